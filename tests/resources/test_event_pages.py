"""The page of an event, and the form for its password."""

import re

import pytest

from tests import factories
from tests.client import Client
from tests.factories import day
from tests.page_checks import HOSTILE, SITE, check, get, own, text_of


def test_event_page_shows_everything(client: Client) -> None:
    above = factories.category(client, name="Music")
    factories.category(client, name="Jazz", parent=above["id"])
    before = factories.event(client, title="Before & after", start_date=day(1, "08:00:00"))
    event = factories.event(
        client, title="Open “day” & <night>", cost="5 - 10", website="https://www.band.example/x?a=1&b=2",
        categories=["Jazz"], tags=["late night"], event_status="postponed", event_status_reason="Rain <b>",
        organizer=[{"organizer": "Club A"}, {"organizer": "Club B"}], show_map_link=True,
        venue={
            "venue": "Hall", "address": "Lane 1", "city": "Ulm", "stateprovince": "Swabia",
            "geo_lat": 48.4, "geo_lng": 9.99,
        },
        description='<h1>Top</h1><h4>Low</h4><p><a href="https://x.example/">x</a><img src="https://i.example/"></p>',
    )  # fmt: skip
    after = factories.event(client, title="Later", start_date=day(2))

    page = get(client, f"/event/{event['slug']}/")

    text = text_of(page)
    for shown in (
        "Jazz", "Open “day” & <night>", "Postponed", "Rain", "Hall Lane 1 Ulm Swabia Map", "Club A", "Club B",
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


# -- the form for the password


@pytest.mark.usefixtures("cheap_digests")
def test_password_is_sent_in_a_form_and_opens_the_page(client: Client) -> None:
    event = factories.event(
        client, title="Supper", password="lantern", description="Under the bridge", venue={"venue": "Bridge"},
    )  # fmt: skip
    path = f"/event/{event['slug']}/"

    closed = get(client, path)
    sneaked = get(client, f"{path}?password=lantern")
    wrong = client.app.post(path, {"password": "candle"}, expect_errors=True)
    opened = client.app.post(path, {"password": "lantern"})
    empty = client.app.post(path, {"password": ""}, expect_errors=True)

    for page in (closed, sneaked, wrong):
        assert "Supper" in text_of(page)
        assert not re.search("ridge|ld[+]json", page.text)
        assert '<form class="password" method="post"' in page.text
    (when,) = re.findall("<time[^>]*>([^<]*)</time>", closed.text)
    for page, described in ((closed, when), (opened, "Under the bridge")):
        assert f'<meta property="og:description" content="{described}">' in page.text
    assert re.search("Under the bridge.*Bridge|Bridge.*Under the bridge", text_of(opened))
    assert "ld+json" not in opened.text
    assert (wrong.status_int, empty.status_int) == (403, 400)
    assert "This is not the password." in text_of(wrong)
    for page in (closed, sneaked, wrong, opened, empty):
        check(page)
        assert page.headers["Cache-Control"] == "private, no-store"
        assert page.headers["X-Robots-Tag"] == "noindex"
        assert "Set-Cookie" not in page.headers
    assert "ridge" not in get(client, "/events/").text


def test_form_sent_to_a_former_slug_is_sent_again_to_the_present_one(client: Client) -> None:
    event = factories.event(client, slug="former", password="lantern", description="Under the bridge")
    client.post(f"/events/{event['id']}", {"slug": "now"}, as_="admin", status=200)
    moved = client.app.post("/event/former/?embed=1", {"password": "lantern"}, status=308)
    assert moved.headers["Location"] == f"{SITE}/event/now/?embed=1"
    assert "Under the bridge" in client.app.post(moved.headers["Location"], {"password": "lantern"}).text
    check(client.app.post("/event/absent/", {"password": "lantern"}, status=404))


def test_odd_bodies_are_refused_with_a_page(client: Client) -> None:
    event = factories.event(client, password="lantern", description="Under the bridge")
    json, form = "application/json", "application/x-www-form-urlencoded"

    for body, content_type, statuses in (
        (b'{"password": ["lantern"]}', json, (400, 403)), (b'{"password": 5}', json, (400, 403)),
        (b'{"password": null}', json, (400, 403)), (b"{", json, (400,)), (b"password=%00", form, (400,)),
        (b"password=" + b"x" * 300, form, (400,)), (b"", form, (403,)),
        (b"password=lantern", "text/plain", (403, 415)),
    ):  # fmt: skip
        page = client.app.post(
            f"/event/{event['slug']}/", body, content_type=content_type, expect_errors=True
        )
        assert page.status_int in statuses, body
        check(page)
        assert "bridge" not in page.text


@pytest.mark.usefixtures("cheap_digests")
def test_guesses_are_limited_as_in_the_interface(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    event = factories.event(client, title="Supper", password="lantern")
    path = f"/event/{event['slug']}/"
    for number in range(10):
        client.app.post(path, {"password": f"guess {number}"}, status=403)
    blocked = client.app.post(path, {"password": "lantern"}, status=429)

    check(blocked)
    assert int(blocked.headers["Retry-After"]) > 0
    client.get(f"/events/{event['id']}", {"password": "lantern"}, status=429)
    log = capfd.readouterr().err
    assert "event_password_failed" in log
    assert "lantern" not in log.replace('"password":"lantern"', "x")
    assert "guess" not in log
