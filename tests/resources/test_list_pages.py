"""Pages of lists: what they have, their filters, and where they say the interface is."""

import gzip
import re

import pytest

from tests import factories
from tests.client import Client
from tests.factories import day
from tests.page_checks import SITE, get, text_of, titles


def test_list_has_what_goes_on_or_comes_by_day(client: Client) -> None:
    factories.event(client, title="Over", start_date=day(-3), end_date=day(-2))
    factories.event(client, title="Now on", start_date=day(-3), end_date=day(3))
    factories.event(client, title="Far", start_date=day(900), end_date=day(900, "11:00:00"))
    factories.event(client, title="Archived", start_date="1955-05-01", end_date="1955-05-02")
    factories.event(client, title="Unlisted", hide_from_listings=True)
    factories.event(
        client, title="Tomorrow", cost="12", venue={"venue": "Hall & Co", "city": "Ulm"},
        categories=["Music & more"], event_status="canceled", description="<p>Come &amp; <b>see</b></p>",
        timezone="Asia/Tokyo", image="https://images.example/a.png",
    )  # fmt: skip

    page = get(client, "/events/")

    assert titles(page) == ["Now on", "Tomorrow", "Far"]
    assert page.text.count('<section class="day') == 3
    text = text_of(page)
    assert "10:00–12:00 JST · $12 · Music & more Cancelled" in text
    assert "Hall & Co, Ulm Come & see" in text
    assert 'src="https://images.example/a.png" alt="" width="400"' in page.text
    assert titles(get(client, "/events/?eventDisplay=past")) == ["Over", "Archived"]
    assert titles(get(client, f"/events/?eventDisplay=past&start_date={day(-1)[:10]}")) == []
    assert titles(get(client, f"/events/?start_date={day(800)[:10]}")) == ["Far"]
    assert "X-Robots-Tag" not in page.headers


def test_past_events_begin_with_the_last(client: Client) -> None:
    for number in range(-14, -2):
        factories.event(client, title=f"Day {number}", start_date=day(number))

    first = get(client, "/events/list/?eventDisplay=past")
    second = get(client, "/events/list/page/2/?eventDisplay=past")

    assert titles(first) + titles(second) == [f"Day {number}" for number in range(-3, -15, -1)]
    assert f'href="{SITE}/events/">Upcoming events' in first.text
    narrowed = get(client, f"/events/?search=day&start_date={day(0)[:10]}")
    assert f'href="{SITE}/events/?search=day&amp;eventDisplay=past">Past events' in narrowed.text
    assert len(titles(first)) == 10
    assert f'<link rel="next" href="{SITE}/events/list/page/2/?eventDisplay=past">' in first.text
    assert f'<link rel="prev" href="{SITE}/events/?eventDisplay=past">' in second.text
    assert "X-Robots-Tag" in second.headers
    get(client, "/events/list/page/3/?eventDisplay=past", 404)


def test_json_of_a_page_has_its_events(client: Client) -> None:
    factories.event(client, title="Over", start_date=day(-3), end_date=day(-1))
    factories.event(client, title="Ended today", start_date=day(-1), end_date=day(0, "00:00:01"))
    factories.event(client, title="Long", start_date=day(-1), end_date=day(9))
    factories.event(client, title="Coming", start_date=day(5))

    for query, found in (
        ("", ["Coming", "Ended today", "Long"]), ("strict_dates=1", ["Coming", "Ended today", "Long"]),
        ("eventDisplay=past", ["Over"]), ("search=coming", ["Coming"]),
        ("start_date={}&end_date={}", ["Coming"]), ("start_date={}", ["Coming"]),
    ):  # fmt: skip
        page = get(client, f"/events/?{query.format(day(4)[:10], day(5)[:10])}")
        assert sorted(titles(page)) == found
        address = page.headers["Link"].partition(">")[0].removeprefix("<")
        assert sorted(event["title"] for event in client.get(address, status=200).json["events"]) == found


@pytest.mark.both_databases
@pytest.mark.parametrize("number", [0, 2, 2**63 - 1, 10**30])
def test_page_without_events_is_not_found(client: Client, number: int) -> None:
    factories.event(client, venue={"venue": "Hall"}, tags=["late"])
    for path in ("/events/list/page/{}/", "/venue/hall/page/{}/", "/tag/late/list/page/{}/"):
        get(client, path.format(number), 404)


def test_filters_are_those_of_the_interface(client: Client) -> None:
    music = factories.category(client, name="Music")
    factories.event(client, title="Jazz night", categories=[music["id"]])
    market = factories.event(client, title="Market", start_date=day(5))

    jazz = ["Jazz night"]
    for query, found in {
        "search=jazz&categories=&start_date=": jazz, "tribe-bar-search=market": ["Market"],
        f"categories={music['slug']}": jazz, "categories[]=music&categories[]=music": jazz,
        f"start_date={day(4)[:10]}&end_date={day(9)[:10]}": ["Market"],
        f"tribe-bar-date={day(4)[:10]}": ["Market"],
        f"event_ids={market['id']}": ["Market"], f"event_ids[]={market['id']}": ["Market"],
        "status=draft&page=7&password=x&utm_source=y": ["Jazz night", "Market"], "search=nothing": [],
    }.items():  # fmt: skip
        page = get(client, f"/events/list/?{query}")
        assert titles(page) == found, query
    assert "No events found." in text_of(page)
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert f'<link rel="canonical" href="{SITE}/events/?search=nothing">' in page.text
    assert f'href="{SITE}/events.ics?search=nothing"' in page.text
    assert re.search(r"/events\?search=nothing&ends_after=[^>]*>; rel=\"alternate\"", page.headers["Link"])
    form = get(client, "/events/?search=%22%3E").text
    assert '<input type="search" name="search" maxlength="200" value="&#34;&gt;">' in form


def test_form_keeps_the_categories_of_the_address(client: Client) -> None:
    music, games = (factories.category(client, name=name) for name in ("Music", "Games"))
    factories.event(client, categories=[music["id"], games["id"]])

    for given, value in (
        ("", ""), ("games", "games"), (str(music["id"]), "music"), (f"games,{music['id']}",) * 2,
    ):  # fmt: skip
        for path in ("/events/list/", "/events/month/"):
            page = get(client, f"{path}?categories={given}")
            assert page.forms[0]["categories"].value == value


def test_list_page_tells_where_the_interface_and_the_feeds_are(client: Client) -> None:
    page = get(client, "/events/")
    root = f"{SITE}/wp-json/tribe/events/v1"

    assert page.headers["X-TEC-API-ROOT"] == f"{root}/"
    listed, *others = page.headers["Link"].split(", ")
    assert re.fullmatch(rf'<{root}/events\?ends_after=\S*>; rel="alternate"; type="application/json"', listed)
    assert others == [f'<{SITE}/wp-json/>; rel="https://api.w.org/"']
    for kind in ("ics", "rss", "atom", "jsonld"):
        assert f'href="{SITE}/events.{kind}">' in page.text
    assert 'href="webcal://localhost/events.ics"' in page.text
    assert "cid=webcal%3A%2F%2Flocalhost%2Fevents.ics" in page.text


@pytest.mark.settings(per_page=50)
def test_fifty_events_fit_in_thirty_kilobytes(client: Client) -> None:
    for number in range(50):
        factories.event(
            client, title=f"An evening with the brass band, part {number}", cost="$12",
            description="<p>" + "All are welcome here. " * 9 + "</p>", start_date=day(1 + number // 3),
            categories=["Concerts"], venue={"venue": "Old fire station", "city": "Lower Valley"},
        )  # fmt: skip
    page = get(client, "/events/")

    assert len(titles(page)) == 50
    assert len(page.body) < 30_000
    assert len(gzip.compress(page.body)) < 8000
