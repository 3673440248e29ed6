"""The page of an event."""

import re

from tests import factories
from tests.client import Client
from tests.factories import day
from tests.page_checks import HOSTILE, SITE, get, own, text_of


def test_event_page_shows_everything(client: Client) -> None:
    above = factories.category(client, name="Music")
    factories.category(client, name="Jazz", parent=above["id"])
    before = factories.event(client, title="Before & after", start_date=day(1, "08:00:00"))
    event = factories.event(
        client, title="Open “day” & <night>", cost="5 - 10", website="https://www.band.example/x?a=1&b=2",
        categories=["Jazz"], tags=["late night"], event_status="postponed", event_status_reason="Rain <b>",
        organizer=[{"organizer": "Club A"}, {"organizer": "Club B"}], show_map_link=True,
        venue={"venue": "Hall", "address": "Lane 1", "city": "Ulm", "geo_lat": 48.4, "geo_lng": 9.99},
        description='<h1>Top</h1><h4>Low</h4><p><a href="https://x.example/">x</a><img src="https://i.example/"></p>',
    )  # fmt: skip
    after = factories.event(client, title="Later", start_date=day(2))

    page = get(client, f"/event/{event['slug']}/")

    text = text_of(page)
    for shown in (
        "Jazz", "Open “day” & <night>", "Postponed", "Rain", "Hall Lane 1 Ulm Map", "Club A", "Club B",
        "$5 – $10",
        "band.example", "late night", "Google", "← Before & after", "Later →",
    ):  # fmt: skip
        assert shown in text, shown
    for link in (
        f"{SITE}/events/category/music/jazz/", f"{SITE}/tag/late-night/",
        own(before["url"]), own(after["url"]),
        own(event["venue"]["url"]), own(event["organizer"][1]["url"]), f"{SITE}/event/{event['slug']}.ics",
        "https://www.band.example/x?a=1&b=2",
        "https://www.openstreetmap.org/?mlat=48.400000&mlon=9.990000#map=17/48.400000/9.990000",
    ):  # fmt: skip
        assert f'href="{link.replace("&", "&amp;")}"' in page.text, link
    assert "<h2>Top</h2><h3>Low</h3>" in page.text
    assert 'rel="nofollow noopener ugc"' in page.text
    assert '<img alt="" loading="lazy" referrerpolicy="no-referrer" src="https://i.example/">' in page.text
    assert "<title>Open “day” &amp; &lt;night&gt; – " in page.text
    assert f'<link rel="prev" href="{own(before["url"])}">' in page.text
    assert page.headers["X-TEC-API-ROOT"] == f"{SITE}/wp-json/tribe/events/v1/events/{event['id']}"
    assert '"@type":"Event"' in page.text


def test_title_is_text_wherever_it_stands(client: Client) -> None:
    given = "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7*7 }} \" ' &amp;amp; &lt;/title&gt;"
    event = factories.event(client, title=given, venue={"venue": HOSTILE}, description=HOSTILE, tags=["a'b"])
    factories.event(client, title="Other", start_date=day(2), description=HOSTILE)

    for path in ("/events/", f"/event/{event['slug']}/"):
        page = get(client, path)
        assert "alert(1)" not in "".join(re.findall("<script.*?</script>", page.text))
        assert "onerror=alert" not in re.sub('"[^"]*"', "", page.text.replace("&", ""))
        assert "49" not in text_of(page)


def test_signed_in_callers_see_what_the_interface_shows_them(client: Client) -> None:
    factories.event(client, slug="mine", status="private", title="Inside")

    page = get(client, "/event/mine/", Authorization=client.basic("editor"))

    assert "Inside" in page.text
    assert page.headers["Cache-Control"] == "private, no-store"
    get(client, "/event/mine/", 404)
    get(client, "/event/mine/", 401, Authorization="Basic eDp5")
