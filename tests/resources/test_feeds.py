"""Feeds: which events they have, what they say of them, and their headers (docs/interface.md#feeds)."""

import csv
import json
import re
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
import time_machine
from playhouse.test_utils import count_queries

from calendar_api.domain.feed_formats import LISTS, MEDIA_TYPES
from calendar_api.store import event_query
from tests import factories
from tests.client import ROOT, Client, links

pytestmark = pytest.mark.usefixtures("cheap_digests")
Json = dict[str, Any]
ALL = "start_date=2000-01-01&end_date=2100-01-01"
EVERYBODY = (None, "subscriber", "contributor", "author", "author2", "editor")
UIDS: dict[str, Callable[[str], list[str]]] = {
    "ics": lambda text: re.findall(r"^UID:(.*)\r$", text, re.MULTILINE),
    "rss": lambda text: re.findall(r"<guid[^>]*>(.*?)</guid>", text),
    "atom": lambda text: re.findall(r"<id>urn:uuid:(.*?)</id>", text),
    "csv": lambda text: [row["Event UID"] for row in csv.DictReader(StringIO(text[1:]))],
    "jsonld": lambda text: [node["@id"].removeprefix("urn:uuid:") for node in json.loads(text)["@graph"]],
}


def uids(client: Client, format: str, query: str = "", as_: str | None = None) -> list[str]:
    return UIDS[format](client.get(f"/events.{format}?{query}", as_=as_, status=200).text)


@pytest.fixture
def town(client: Client) -> Json:
    """Events for each filter; the ids of what they are linked to."""
    parent = factories.event(client, title="Fair", categories=["Music"], tags=["jazz"], featured=True)
    child = factories.event(
        client, title="Open day", post_parent=parent["id"], ticketed=True, organizer={"organizer": "Ann"},
        venue={"venue": "Town hall", "geo_lat": 10, "geo_lng": 10},
    )  # fmt: skip
    factories.event(
        client, title="Locked day", password="sesame", categories=["Music", "Secret"], description="Secret",
        tags=["Secret"], venue={"venue": "Secret"}, organizer={"organizer": "Secret"}, cost="5 Secret",
        image="https://x.example/Secret.png", website="https://x.example/Secret",
    )  # fmt: skip
    factories.event(client, title="Past", start_date="2001-01-01 10:00:00")
    linked = {"venue": child["venue"]["id"], "organizer": child["organizer"][0]["id"]}
    return {"parent": parent["id"], "child": child["id"], **linked}


@pytest.mark.both_databases
def test_feeds_have_the_events_of_the_list(client: Client, town: Json) -> None:
    for query in (
        "", "categories=music", "tags=jazz", "venue={venue}", "organizer={organizer}", "search=day",
        "featured=true", "ticketed=true", "include={child},{parent}", "post_parent={parent}",
        "geoloc_lat=10&geoloc_lng=10",
    ):  # fmt: skip
        asked = f"{ALL}&{query}".format(**town)
        expected = [event["uid"] for event in client.get(f"/events?{asked}", status=200).json["events"]]
        assert expected
        found = {format: uids(client, format, asked) for format in LISTS}
        assert [format for format in LISTS if found[format] != expected] == [], query


@pytest.mark.parametrize("as_", EVERYBODY)
def test_feeds_show_each_caller_what_the_list_shows(client: Client, town: Json, as_: str | None) -> None:
    for fields in (
        {"status": "draft"}, {"status": "pending"}, {"status": "private"}, {"status": "trash"},
        {"date_utc": "2099-01-01"}, {"hide_from_listings": True},
    ):  # fmt: skip
        factories.event(client, author=client.ids["author"], **fields)
    listed = client.get(f"/events?{ALL}", as_=as_, status=200)
    expected = [event["uid"] for event in listed.json["events"]]

    for format in LISTS:
        response = client.get(f"/events.{format}?{ALL}", as_=as_, status=200)
        assert UIDS[format](response.text) == expected
        assert response.headers["X-TEC-Total"] == listed.headers["X-TEC-Total"]
        assert ("Secret" in response.text) == (as_ == "editor")
        assert response.headers["Cache-Control"] == listed.headers["Cache-Control"]
    assert (listed.headers["Cache-Control"] == "private, no-store") == (as_ is not None)


@pytest.mark.parametrize("format", LISTS)
def test_password_opens_the_events_of_a_feed(client: Client, town: Json, format: str) -> None:
    for password, opens in (("sesame", True), ("wrong", False)):
        response = client.get(f"/events.{format}?{ALL}&password={password}", status=200)
        assert ("Secret" in response.text) == opens
        assert response.headers["Cache-Control"] == "private, no-store"
        assert "sesame" not in response.text + str(response.headers)


@pytest.mark.parametrize("format", LISTS)
def test_format_is_a_parameter_of_the_list(client: Client, town: Json, format: str) -> None:
    """Pages and fields have no meaning where everything is in one file."""
    by_suffix, by_parameter = (
        client.get(path, status=200)
        for path in (f"/events.{format}?{ALL}&tags=jazz", f"/events?tags=jazz&format={format}&{ALL}")
    )

    assert by_parameter.body == by_suffix.body
    assert by_parameter.headers["ETag"] == by_suffix.headers["ETag"]
    assert by_suffix.headers["Content-Type"] == MEDIA_TYPES[format]
    if format in ("ics", "csv", "jsonld"):
        cut = client.get(f"/events.{format}?{ALL}&tags=jazz&page=9&per_page=1&_fields=id", status=200)
        assert cut.body == by_suffix.body


def test_json_is_the_default_and_other_formats_are_refused(client: Client, town: Json) -> None:
    assert client.get("/events?format=json").body == client.get("/events").body
    for path in ("/events?format=pdf", "/events?format=", "/events?format[]=ics"):
        assert list(client.get(path, status=400).json["data"]["params"]) == ["format"]
    for path in ("/events.pdf", "/events.json", f"/events/{town['child']}.rss", "/venues.ics", "/tags.csv"):
        client.get(path, status=404)


@pytest.mark.parametrize("format", LISTS)
def test_errors_are_those_of_the_list(client: Client, format: str) -> None:
    every = "start_date=x&categories=none&tags=no&venue=7"
    for query in (*every.split("&"), every, "status=draft", "page=0", "per_page=x"):
        refused = client.get(f"/events.{format}?{query}", status=400)
        assert refused.json == client.get(f"/events?{query}", status=400).json
        assert refused.headers["Content-Type"].startswith("application/json")


@pytest.mark.parametrize("format", ["rss", "atom"])
def test_pages_follow_each_other(client: Client, town: Json, format: str) -> None:
    first = client.get(f"/events.{format}?{ALL}&per_page=3", status=200)
    second = client.get(links(first)["next"], status=200)
    assert [len(UIDS[format](page.text)) for page in (first, second)] == [3, 1]
    query = f"{ALL}&per_page=3&page=2&password=sesame"
    assert "Secret" in client.get(f"/events.{format}?{query}", status=200).text
    assert f'rel="next" type="{MEDIA_TYPES[format].split(";")[0]}"' in first.text
    assert "next" not in links(second)
    assert first.headers["X-TEC-TotalPages"] == "2"
    missing = client.get(f"/events.{format}?{ALL}&page=2", status=404)
    assert missing.json["code"] == "event-archive-page-not-found"


@time_machine.travel("2031-05-31T22:30:00Z", tick=False)
@pytest.mark.settings(timezone="Europe/Berlin", feed_past=2)
def test_feeds_without_dates_begin_with_a_whole_day(client: Client) -> None:
    """The zone of the site, whose June has begun, decides; what goes on then is in."""
    for title, start, end in (
        ("old", "2031-05-29 10:00", "2031-05-29 23:59"), ("long", "2031-01-01 10:00", "2031-05-30 00:00"),
        ("over", "2031-05-31 20:00", "2031-05-31 23:00"), ("today", "2031-06-01 00:00", "2031-06-01 00:10"),
        ("far", "2099-01-01 10:00", "2099-01-01 11:00"),
    ):  # fmt: skip
        factories.event(client, title=title, start_date=start, end_date=end)

    for format in LISTS:
        expected = ["today", "far"] if format in ("rss", "atom") else ["long", "over", "today", "far"]
        assert titles(client, format) == titles(client, format, "strict_dates=1") == expected
    assert titles(client, "ics", "start_date=2031-05-29") == ["old", "over", "today"]


def titles(client: Client, format: str, query: str = "") -> list[str]:
    """The titles of the events in a feed, each of one word."""
    text = client.get(f"/events.{format}?{query}", status=200).text
    found = {
        "ics": r"^SUMMARY:(.*)\r$", "csv": r"^([a-z]+),", "jsonld": r'"name":"(\w+)"',
        "rss": r"<item><title>(\w+)", "atom": r"<entry><title>(\w+)",
    }  # fmt: skip
    return re.findall(found[format], text, re.MULTILINE)


@pytest.mark.both_databases
@pytest.mark.settings(cache=0)
def test_long_list_has_a_fixed_number_of_statements_for_each_chunk(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_query, "CHUNK", 2)
    counts = []
    for number in range(6):
        linked = {"venue": {"venue": f"Hall {number}"}, "organizer": {"organizer": "A"}}
        factories.event(client, tags=[f"tag {number}"], **linked)
        client.get("/events.ics", status=200)
        with count_queries() as counter:
            assert len(uids(client, "ics")) == number + 1
        counts.append(counter.count)

    listed = [event["uid"] for event in client.get("/events", status=200).json["events"]]
    assert uids(client, "ics") == uids(client, "csv") == listed
    assert [count - counts[0] for count in counts] == [0, 0, 2, 2, 4, 4]


@pytest.mark.settings(feed_max=2)
def test_longest_feed_has_the_first_events_and_tells_how_many_there_are(client: Client) -> None:
    made = [factories.event(client, start_date=factories.day(day))["uid"] for day in (3, 1, 2)]
    assert uids(client, "ics") == [made[1], made[2]]
    headers = client.get("/events.ics").headers
    assert (headers["X-TEC-Total"], headers["X-TEC-TotalPages"]) == ("3", "1")
    assert len(uids(client, "csv")) == 3


def test_feed_is_named_after_what_it_is_narrowed_to(client: Client, town: Json) -> None:
    for query, name in (
        ("categories=music", "Calendar: Music"), ("tags=jazz", "Calendar: jazz"),
        ("featured=true", "Calendar"), ("venue={venue}", "Calendar: Town hall"),
        ("organizer={organizer}&search=day", "Calendar: Ann, day"),
    ):  # fmt: skip
        slug, title = re.sub("[^a-z]+", "-", name.lower()), f"<title>{name}</title>"
        in_calendars = f"X-WR-CALNAME:{name}\r\n".replace(",", "\\,")
        for format, shown, kind in (
            ("ics", in_calendars, "inline"), ("rss", title, "inline"), ("atom", title, "inline"),
            ("csv", "", "attachment"),
        ):  # fmt: skip
            response = client.get(f"/events.{format}?{query.format(**town)}", status=200)
            assert shown in response.text
            assert response.headers["Content-Disposition"] == f'{kind}; filename="{slug}.{format}"'


@pytest.mark.parametrize(
    "path", [*(f"/events.{format}" for format in LISTS), "/events/{child}.ics", "/venues.csv"]
)
def test_http(client: Client, town: Json, path: str) -> None:
    path = path.format(**town)
    full = client.get(path, status=200)
    head = client.send("HEAD", path, status=200)
    unchanged = client.get(path, headers={"If-None-Match": full.headers["ETag"]}, status=304)
    options = client.send("OPTIONS", path, status=200)
    of_a_page = client.get(path, headers={"Origin": "https://site.example", "Accept-Encoding": "gzip"})

    names = ("ETag", "Content-Type", "Content-Disposition", "Content-Length", "Link", "Cache-Control")
    assert head.body == unchanged.body == b""
    assert [head.headers[name] for name in names] == [full.headers[name] for name in names]
    assert "Content-Disposition" not in unchanged.headers
    assert options.json["methods"] == ["GET"]
    assert of_a_page.headers["Access-Control-Allow-Origin"] == "https://site.example"
    assert full.headers["X-Content-Type-Options"] == "nosniff"
    assert full.headers["Cache-Control"] == "public, max-age=0, must-revalidate"
    client.post(path, {}, as_="admin", status=405)


def test_feeds_name_where_the_interface_is(client: Client, town: Json) -> None:
    record, origin = f"/events/{town['child']}", "http://localhost:80"
    for path, root in {"/events.ics?tags=jazz": "/", "/venues.csv": "/", f"{record}.ics": record}.items():
        headers = client.get(path, status=200).headers
        named = [headers[f"X-TEC-API-{name}"] for name in ("VERSION", "ROOT", "ORIGIN")]
        assert named == ["v1", f"{origin}{ROOT}{root}", origin]
    assert "X-TEC-API-ROOT" not in client.get(record, status=200).headers


def test_links_lead_to_the_same_records_as_json_and_as_page(client: Client, town: Json) -> None:
    feed = client.get("/events.ics?tags=jazz&utm_source=x&password=y", status=200).headers["Link"]
    single = client.get(f"/events/{town['child']}.ics", status=200).headers["Link"]
    html, site = '; rel="alternate"; type="text/html"', "http://localhost:80"

    json_url = re.search(r'<([^>]*)>; rel="alternate"; type="application/json"', feed)
    assert json_url is not None
    listed = client.get(json_url[1], status=200).json["events"]
    assert [event["uid"] for event in listed] == uids(client, "ics", "tags=jazz")
    assert f"<{site}/events/?tags=jazz>{html}" in feed
    assert f'<{site}{ROOT}/events/{town["child"]}>; rel="alternate"; type="application/json"' in single
    assert f"<{site}/event/open-day/>{html}" in single


def test_single_event_by_id_and_by_slug(client: Client, town: Json) -> None:
    uid = client.get(f"/events/{town['child']}").json["uid"]
    for format in ("ics", "jsonld"):
        by_id = client.get(f"/events/{town['child']}.{format}", status=200)
        by_slug = client.get(f"/events/by-slug/Open-Day.{format}", status=200)
        assert by_id.body == by_slug.body
        assert UIDS[format](by_id.text) == [uid]
        assert by_id.headers["Content-Disposition"] == f'attachment; filename="open-day.{format}"'


@pytest.mark.parametrize("address", ["/events/{id}.ics", "/events/by-slug/{slug}.ics", "/events/{id}.jsonld"])
def test_single_event_is_shown_to_those_who_may_read_it(client: Client, address: str) -> None:
    def status(event: Json, as_: str | None = None) -> int:
        return int(client.get(address.format(**event), as_=as_).status_int)

    for fields in ({"status": "draft", "slug": "plan"}, {"status": "private"}, {"date_utc": "2099-01-01"}):
        hidden = factories.event(client, author=client.ids["author"], **fields)
        assert [status(hidden, as_) for as_ in EVERYBODY] == [404, 404, 404, 200, 404, 200]
    locked = factories.event(client, password="sesame", description="Secret", slug="locked")
    paths = [address.format(**locked) + query for query in ("", "?password=wrong", "?password=sesame")]
    assert ["Secret" in client.get(path, status=200).text for path in paths] == [False, False, True]
    assert "Secret" in client.get(paths[0], as_="editor", status=200).text
    assert status({"id": 999_999, "slug": "never-was"}) == 404


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_files_of_venues_and_organizers(client: Client, noun: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calendar_api.resources.venue_organizer.CHUNK", 2)
    for name in ("Town hall", "Fish & chips", "Third", "Drafted"):
        getattr(factories, noun)(client, **{noun: name}, status="draft" if name == "Drafted" else "publish")

    def names(query: str = "", as_: str | None = None) -> list[str]:
        response = client.get(f"/{noun}s.csv?{query}", as_=as_, status=200)
        assert response.headers["Content-Disposition"] == f'attachment; filename="calendar-{noun}s.csv"'
        return [row[f"{noun.capitalize()} Name"] for row in csv.DictReader(StringIO(response.text[1:]))]

    assert names() == ["Third", "Fish & chips", "Town hall"]
    assert names("search=town&page=7") == ["Town hall"]
    assert names(as_="editor") == ["Drafted", "Third", "Fish & chips", "Town hall"]
    client.get(f"/{noun}s.csv?has_events=true&event=99", status=400)
