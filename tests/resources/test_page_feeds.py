"""The feeds of pages (docs/interface.md#feeds-of-pages)."""

import re
from typing import Any

import pytest
import time_machine

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.usefixtures("cheap_digests")
Json = dict[str, Any]
SITE = "http://localhost"


#: The same without pages; the other tests need not run twice, as the feeds are of the same code.
WITH_PAGES_AND_WITHOUT = pytest.mark.parametrize(
    "pages", ["on", pytest.param("off", marks=pytest.mark.settings(pages="off"))]
)


@pytest.fixture
def town(client: Client) -> Json:
    with time_machine.travel("2026-11-01T12:00:00Z"):
        parent = factories.category(client, name="Arts")["id"]
        music = factories.category(client, name="Music", parent=parent)["id"]
        concert = factories.event(
            client, title="Concert", categories=[music], tags=["jazz"], venue={"venue": "Town hall"},
            organizer={"organizer": "Ann"}, start_date="2026-11-22 20:00:00", end_date="2026-11-23 01:00:00",
        )  # fmt: skip
        factories.event(client, title="Fair", categories=[parent], start_date="2026-12-01 10:00:00")
        factories.event(client, title="Old", start_date="2026-08-01 10:00:00")
    return concert


@pytest.fixture(autouse=True)
def _november() -> Any:
    with time_machine.travel("2026-11-22T12:00:00Z", tick=False):
        yield


def body(client: Client, path: str) -> bytes:
    return bytes(client.app.get(path, status=200).body)


def titles(client: Client, path: str) -> list[str]:
    found = re.findall(r"SUMMARY:(.*)\r|<(?:item|entry)><title>(.*?)<", body(client, path).decode())
    return ["".join(pair) for pair in found]


FEEDS = {
    "/events.ics": ["Concert", "Fair"], "/events/month/2026-11.ics": ["Concert"],
    "/events/2026-11-22.ics": ["Concert"], "/events/2026-11-23.ics": ["Concert"],
    "/events/2026-11-24.ics": [], "/events/month.ics": ["Concert"],
    "/events/today.ics": ["Concert"], "/events/category/arts.ics": ["Concert", "Fair"],
    "/events/category/arts/music.ics": ["Concert"], "/events/category/arts/month/2026-12.ics": ["Fair"],
    "/tag/jazz.ics": ["Concert"], "/venue/town-hall.rss": ["Concert"], "/organizer/ann.atom": ["Concert"],
    "/event/concert.ics": ["Concert"], "/events.ics?eventDisplay=past": ["Old"],
    "/events.ics?tribe-bar-search=fair": ["Fair"], "/events.ics?tribe-bar-date=2026-12-01": ["Fair"],
    "/events.ics?event_ids={id}": ["Concert"], "/events.ics?eventDisplay=past&start_date=2026-09-01": [],
    "/events.ics?tribe-bar-date=&tags=jazz": ["Concert"], "/events/?eventDisplay=month&ical=1": ["Concert"],
    "/events/?eventDisplay=day&ical=1": ["Concert"],
    "/events/?eventDisplay=day&tribe-bar-date=2026-12-01&ical=1": ["Fair"],
    "/events/category/arts/?eventDisplay=month&ical=1": ["Concert"],
    "/events/month.ics?start_date=2026-12-05": ["Fair"],
}  # fmt: skip


@WITH_PAGES_AND_WITHOUT
def test_page_has_a_feed_of_what_it_lists(client: Client, town: Json, pages: str) -> None:
    for language in ("", "/de"):
        found = {path: titles(client, language + path.format(**town)) for path in FEEDS}
        assert found == FEEDS


ADDRESSES_OF_THE_REFERENCE = {
    "/events.ics": (
        "/events/ical/", "/events/?ical=1", "/events/list/?outlook-ical=1", "/?ical=1", "/events/list.ics",
    ),
    "/events.rss": (
        "/events/feed/", "/events/rss/", "/events/feed/rss/", "/events/feed/rss2/", "/events/feed/rdf/",
    ),
    "/events.atom": ("/events/atom/", "/events/feed/atom/"),
    "/events/category/arts/music.ics": (
        "/events/category/arts/music/ical/", "/events/category/arts/music/?ical=1",
        "/events/category/music.ics", "/Events/Category/Arts/Music/list/?ical=1",
    ),
    "/events/category/arts.rss": ("/events/category/arts/feed/",),
    "/tag/jazz.rss": ("/tag/jazz/feed/", "/events/tag/jazz/feed/"),
    "/tag/jazz.ics": ("/events/tag/jazz/ical/", "/events/tag/jazz/?ical=1", "/events/tag/jazz.ics"),
    "/event/concert.ics": ("/event/concert/ical/", "/event/concert/?ical=1", "/event/Concert.ics"),
    "/events/month/2026-11.ics": ("/events/2026-11/?ical=1", "/events/month/2026-11/?ical=1"),
    "/events.ics?search=fair": ("/events/?ical=1&tribe-bar-search=fair", "/events/ical/?search=fair"),
}  # fmt: skip


def test_start_date_alone_has_no_end_as_on_the_page(client: Client) -> None:
    factories.event(client, title="Jubilee", start_date="2030-05-05 10:00:00", tags=["jazz"])
    for path in ("/events", "/tag/jazz"):
        assert "Jubilee" in client.app.get(f"{path}/?start_date=2030-01-01", status=200).text
        feed = client.app.get(f"{path}.ics?start_date=2030-01-01", status=200)
        assert "SUMMARY:Jubilee" in feed.text
        assert f"SOURCE;VALUE=URI:{SITE}{path}.ics?start_date=2030-01-01\r" in feed.text.replace("\r\n ", "")


def test_addresses_of_the_reference_have_the_same_bytes(client: Client, town: Json) -> None:
    for ours, theirs in ADDRESSES_OF_THE_REFERENCE.items():
        expected = body(client, ours)
        assert b"Concert" in expected or b"Fair" in expected
        assert {path: body(client, path) == expected for path in theirs} == dict.fromkeys(theirs, True)
        german = [body(client, f"/de{path}") for path in (ours, *theirs)]
        assert len(set(german)) == 1, ours


@WITH_PAGES_AND_WITHOUT
def test_feed_names_itself_and_its_page(client: Client, town: Json, pages: str) -> None:
    feed = client.app.get("/de/events/category/music.ics?tribe-bar-search=concert", status=200)

    unfolded = feed.text.replace("\r\n ", "")
    assert f"SOURCE;VALUE=URI:{SITE}/de/events/category/arts/music.ics?search=concert\r\n" in unfolded
    assert "X-WR-CALNAME:Calendar: Music\\, concert\r\n" in feed.text
    assert "X-WR-CALDESC:Veranstaltungen von Calendar: Music\\, concert\r\n" in unfolded
    (listed,) = re.findall(r'<([^>]*)>; rel="alternate"; type="application/json"', feed.headers["Link"])
    page = f"{SITE}/de/events/category/arts/music/?search=concert"
    assert f"URL:{page if pages == 'on' else listed}\r\n" in unfolded
    assert (f"<{page}>" in feed.headers["Link"]) == (pages == "on")
    assert [event["id"] for event in client.get(listed, status=200).json["events"]] == [town["id"]]


@WITH_PAGES_AND_WITHOUT
@pytest.mark.parametrize("format", ["ics", "rss", "atom", "csv", "jsonld"])
def test_addresses_in_a_feed_are_answered(client: Client, town: Json, format: str, pages: str) -> None:
    """Without pages they are those of the interface."""
    for path in (f"/events.{format}", f"/event/concert.{'ics' if format == 'ics' else 'jsonld'}"):
        feed = client.app.get(path, status=200)
        text = f"{feed.headers['Link']}\n{feed.text}".replace("\r\n ", "").replace("\\n", "\n")
        links = {link.replace("&amp;", "&") for link in re.findall(rf'{SITE}/[^\s"<>,]*', text)}
        assert len(links) >= 2
        assert {link for link in links if client.app.get(link, expect_errors=True).status_int != 200} == set()


@WITH_PAGES_AND_WITHOUT
def test_there_is_nothing_elsewhere(client: Client, town: Json, pages: str) -> None:
    for path in (
        "/events/month/2026-13.ics", "/events/2026-02-30.ics", "/events/x.ics", "/events/category.ics",
        "/tag.ics", "/tag/none.ics", "/venue/none.rss", "/events/category/none.ics", "/event/none.ics",
        "/event/concert.rss", "/event/concert/x.ics", "/x.ics", "/events/0000-01.ics",
        "/events/month/x/2026-11.ics",
    ):  # fmt: skip
        assert client.app.get(path, expect_errors=True).status_int == 404, path


def test_feed_is_that_of_the_interface_also_in_its_errors(client: Client, town: Json) -> None:
    aliased = client.app.get(f"/wp-json/tribe/events/v1/events/{town['id']}.ics", status=200)
    assert body(client, "/event/concert.ics") == aliased.body
    bad = "start_date=x&venue=7&tags=none"
    refused = client.app.get(f"/events.ics?{bad}", status=400)
    assert refused.json == client.get(f"/events?{bad}", status=400).json
    client.patch(f"/events/{town['id']}", {"slug": "gig"}, as_="admin", status=200)
    moved = client.app.get("/event/concert.ics?password=a", status=301)
    assert moved.headers["Location"] == f"{SITE}/event/gig.ics?password=a"


def test_former_slug_of_a_term_leads_to_page_and_feed(client: Client, town: Json) -> None:
    for noun, slug, path in (("categories", "arts", "/events/category/{}"), ("tags", "jazz", "/tag/{}")):
        (term,) = client.get(f"/{noun}", {"slug": slug}, status=200).json[noun]
        client.patch(f"/{noun}/{term['id']}", {"slug": "new"}, as_="admin", status=200)
        page = client.app.get(f"{path.format(slug)}/", status=301)
        assert page.headers["Location"] == f"{SITE}{path.format('new')}/"
        assert body(client, f"{path.format(slug)}.ics") == body(client, f"{path.format('new')}.ics")
        for address in ("/events/?{}=none,{}", "/events.ics?{}=none,{}"):
            client.app.get(address.format(noun, slug), status=400)
        # To the interface this is a mere name, which finds nothing.
        assert client.get("/events", {noun: slug}, status=200).json["events"] == []
        listed = client.app.get(f"/events/?{noun}={slug}", status=200).text
        assert f'<link rel="canonical" href="{SITE}/events/?{noun}=new">' in listed
        former = body(client, f"/events.ics?{noun}={slug},{slug}")
        assert former == body(client, f"/events.ics?{noun}=new,new")
        client.patch(f"/{noun}/{term['id']}", {"slug": slug}, as_="admin", status=200)
        client.app.get(f"{path.format(slug)}/", status=200)


@pytest.mark.both_databases
def test_feed_of_days_has_the_events_of_its_page(client: Client) -> None:
    for number, (start, end, zone) in enumerate((
        ("2026-11-30 20:00:00", "2026-12-01 00:00:00", "UTC"), ("2026-12-01 00:00:00",) * 2 + ("UTC",),
        ("2026-11-30 20:00:00", "2026-12-01 00:00:01", "UTC"),
        # In UTC these are on other days.
        ("2026-12-01 01:00:00", "2026-12-01 02:00:00", "Pacific/Kiritimati"),
        ("2026-11-30 22:00:00", "2026-11-30 23:00:00", "Pacific/Pago_Pago"),
    )):  # fmt: skip
        factories.event(client, title=f"Fair{number}", start_date=start, end_date=end, timezone=zone)

    for path, expected in {
        "2026-11-30": {"Fair0", "Fair2", "Fair4"}, "2026-12-01": {"Fair1", "Fair2", "Fair3"},
        "month/2026-11": {"Fair0", "Fair2", "Fair4"}, "month/2026-12": {"Fair1", "Fair2", "Fair3"},
    }.items():  # fmt: skip
        found = client.app.get(f"/events/{path}.ics", status=200)
        assert set(re.findall("SUMMARY:(.*)\r", found.text)) == expected, path
        assert found.headers["X-TEC-Total"] == str(len(expected))
        assert set(re.findall(r"Fair\d", client.app.get(f"/events/{path}/", status=200).text)) == expected


def test_hidden_records_have_no_feed_and_protected_ones_a_masked_one(client: Client) -> None:
    for noun, name in (("venue", "venue"), ("organizer", "organizer"), ("event", "title")):
        getattr(factories, noun)(client, **{name: "Secret"}, slug="secret", status="draft")
        client.app.get(f"/{noun}/secret.ics", status=404)
        client.app.get(f"/{noun}/secret.ics", headers={"Authorization": client.basic("editor")}, status=200)
    factories.event(client, title="Locked", password="sesame", description="Secret")
    shown = [body(client, f"/event/locked.ics{query}") for query in ("", "?password=no", "?password=sesame")]
    assert [b"Secret" in one for one in shown] == [False, False, True]


def test_cached_feed_is_that_of_its_parameters(client: Client, town: Json) -> None:
    one = f"/events.ics?event_ids={town['id']}"
    feeds = {"/events.ics": 2, one: 1, "/events/?eventDisplay=past&ical=1": 1}
    for _ in range(3):
        assert {path: len(titles(client, path)) for path in feeds} == feeds
