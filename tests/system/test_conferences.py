"""Import a large collection and compare the responses with the file."""

import html
import json
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import pytest

from tests import mariadb
from tests.system import conferences, servers
from tests.system.conferences import Conference
from tests.system.servers import Server

pytestmark = pytest.mark.system

EVER = {"start_date": "2013-01-01", "end_date": "2028-12-31"}


@dataclass
class Imported:
    """The file, the expected events, and the output of the first and second import."""

    lines: list[Conference]
    events: list[Conference]
    server: Server
    first: str
    second: str


@pytest.fixture(
    scope="module", params=[8, pytest.param(1, marks=pytest.mark.long)], ids=["every eighth", "all"]
)
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Imported]:
    """Every eighth line of a large file, or all of it."""
    folder = tmp_path_factory.mktemp("conferences")
    lines = conferences.read(conferences.source(os.environ))
    lines = lines[:: request.param if len(lines) > 1000 else 1]
    file = folder / "payloads.jsonl"
    file.write_text("".join(json.dumps(line.payload()) + "\n" for line in lines), "utf-8")
    with servers.running(folder) as server:
        first, second = (servers.done("import", str(file), "--user", "admin", env=server.env) for _ in "12")
        yield Imported(lines, conferences.stored(lines), server, first, second)


def test_import_stores_every_conference_once(imported: Imported) -> None:
    lines, events = len(imported.lines), len(imported.events)

    header, *rows = [text.split() for text in imported.first.splitlines()]
    assert header == ["created", "updated", "unchanged", "conflicts", "refused", "gone"]
    assert rows == [["event", f"{events:,}", "0", f"{lines - events:,}", "0", "0", "0"]]
    [row] = [text.split() for text in imported.second.splitlines()[1:]]
    assert row == ["event", "0", "0", f"{lines:,}", "0", "0", "0"]


def test_totals_of_events_venues_and_categories(imported: Imported) -> None:
    venues = {event.venue for event in imported.events if event.venue}
    topics = {topic for event in imported.events for topic in event.topics}

    lists = ("events", "venues", "categories", "organizers")
    totals = [imported.server.get(f"/{noun}", **EVER).json["total"] for noun in lists]

    assert totals == [len(imported.events), len(venues), len(topics), 0]


def test_pages_have_every_event_once(imported: Imported) -> None:
    pages = pages_of(imported.server, "/events", **EVER)
    events = [event for page in pages for event in page["events"]]

    assert len({event["id"] for event in events}) == len(events)
    assert seen(events) == expected(imported.events)
    assert len(pages) == math.ceil(len(imported.events) / 50) == pages[0]["total_pages"]


def test_events_of_a_month(imported: Imported) -> None:
    month = conferences.commonest(event.given["start"][:7] for event in imported.events)
    days = [(f"{event.start:%Y-%m-%d}", f"{event.end:%Y-%m-%d}") for event in imported.events]
    inside = [f"{month}-01" <= start and end <= f"{month}-31" for start, end in days]
    last_day = max(end for (_, end), is_inside in zip(days, inside, strict=True) if is_inside)

    found = events_of(imported.server, start_date=f"{month}-01", end_date=last_day)

    check_some(found, imported, list(compress(imported.events, inside)))


def test_events_of_a_city(imported: Imported) -> None:
    city = conferences.commonest(event.venue for event in imported.events)

    venues = imported.server.get("/venues", search=city, per_page=50).json["venues"]
    (venue,) = (venue["id"] for venue in venues if html.unescape(venue["venue"]) == city)
    found = events_of(imported.server, venue=venue, **EVER)

    check_some(found, imported, [event for event in imported.events if event.venue == city])


def test_events_of_a_topic(imported: Imported) -> None:
    topic = conferences.commonest(topic for event in imported.events for topic in event.topics)
    wanted = [event for event in imported.events if topic in event.topics]

    categories = imported.server.get("/categories", search=topic, per_page=50).json["categories"]
    (category,) = (one for one in categories if html.unescape(one["name"]) == topic)
    found = events_of(imported.server, categories=category["id"], **EVER)

    assert category["count"] == len(wanted)
    check_some(found, imported, wanted)


def test_search_finds_with_and_without_accents(imported: Imported) -> None:
    word = conferences.commonest(conferences.accented_words(imported.events))
    bare = conferences.folded(word)
    wanted = [event for event in imported.events if bare in conferences.folded(event.title)]

    with_accent = events_of(imported.server, search=word, **EVER)
    without = events_of(imported.server, search=bare, **EVER)

    assert bare != word.casefold()
    assert seen(with_accent) == seen(without) == expected(wanted)


@pytest.mark.parametrize("kilometres", [10, 100, 2000])
def test_events_near_a_place(imported: Imported, kilometres: int) -> None:
    lat, lng = conferences.commonest(event.place for event in imported.events)
    circle = {"geoloc_lat": lat, "geoloc_lng": lng, "geoloc_distance": kilometres}

    found = events_of(imported.server, **circle, **EVER)

    check_some(found, imported, [one for one in imported.events if one.distance((lat, lng)) <= kilometres])


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "Europe/Berlin", "Pacific/Honolulu"])
def test_days_of_an_all_day_event_are_those_of_its_zone(imported: Imported, zone: str) -> None:
    wanted = [event for event in imported.events if event.zone == zone]
    first, last = f"{wanted[0].start:%Y-%m-%d}", f"{wanted[-1].end:%Y-%m-%d}"

    near = events_of(imported.server, start_date=first, end_date=last, geoloc="true")
    names = ("all_day", "start_date", "end_date", "utc_start_date", "utc_end_date")
    found = [tuple(event[name] for name in names) for event in near if event["timezone"] == zone]

    assert found == [
        (True, f"{event.given['start']} 00:00:00", f"{event.given['end']} 23:59:59",
         f"{event.start:%Y-%m-%d %H:%M:%S}", f"{event.end:%Y-%m-%d %H:%M:%S}")
        for event in wanted
    ]  # fmt: skip


def test_event_fields(imported: Imported) -> None:
    wanted = next(event for event in imported.events if event.place and len(event.topics) > 1)

    found = events_of(imported.server, search=f'"{wanted.title}"', **EVER)
    event = next(one for one in found if one["start_date"].startswith(wanted.given["start"]))

    assert {name: html.unescape(event["venue"][name]) for name in ("venue", "city", "country")} == {
        "venue": wanted.venue, "city": wanted.given["city"], "country": wanted.given["country"]
    }  # fmt: skip
    assert (event["venue"]["geo_lat"], event["venue"]["geo_lng"]) == wanted.place
    assert sorted(category["name"] for category in event["categories"]) == wanted.topics
    assert (event["cost"], event["timezone"]) == ("", wanted.zone)
    assert event["website"] == wanted.payload()["website"]


def test_copy_to_mariadb_and_back_answers_alike(imported: Imported, tmp_path: Path) -> None:
    here = imported.server
    kept = answers(here)
    with mariadb.started() as server:
        env = {**here.env, "CALENDAR_DATABASE_URL": server.url()}
        back = servers.environment(tmp_path / "back.sqlite3")
        away = servers.done("copy", "--to", env["CALENDAR_DATABASE_URL"], env=here.env)
        home = servers.done("copy", "--to", back["CALENDAR_DATABASE_URL"], env=env)
        copies = []
        for one in (env, back):
            port = servers.free_port()
            command, log = servers.gunicorn(port), tmp_path / f"{port}.log"
            with servers.started(command, port, one, log, secret=here.secret) as copied:
                copies.append(answers(copied))

    assert away == home
    assert away.splitlines()[-1].endswith("every table was read back and is equal")
    assert copies == [kept, kept]


def answers(server: Server) -> dict[str, str]:
    """Every page of every list, and some single records."""
    found = {}
    for noun in ("events", "venues", "organizers", "categories", "tags"):
        page, pages = 0, 1
        while page < pages:
            page += 1
            answer = server.get(f"/{noun}", page=page, per_page=50, hide_empty="false", **EVER)
            totals = [answer.header(name) for name in ("X-TEC-Total", "X-TEC-TotalPages")]
            found[f"{noun} {page}"] = f"{answer.status} {totals} {answer.body.decode()}"
            pages = answer.json["total_pages"]
            for record in answer.json[noun][::25]:
                found[f"{noun}/{record['id']}"] = server.get(f"/{noun}/{record['id']}").body.decode()
    return {address: text.replace(f":{server.port}/", ":0/") for address, text in found.items()}


def pages_of(server: Server, path: str, **parameters: Any) -> list[dict[str, Any]]:
    """Every page of a list, following `next_rest_url`."""
    pages = [server.get(path, per_page=50, **parameters).json]
    while "next_rest_url" in pages[-1]:
        pages.append(server.get(pages[-1]["next_rest_url"]).json)
    return pages


def events_of(server: Server, **parameters: Any) -> list[dict[str, Any]]:
    return [event for page in pages_of(server, "/events", **parameters) for event in page["events"]]


def seen(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(html.unescape(event["title"]), event["utc_start_date"]) for event in events]


def expected(events: list[Conference]) -> list[tuple[str, str]]:
    return [(event.title, re.sub(r"\+.*", "", str(event.start))) for event in events]


def check_some(found: list[dict[str, Any]], imported: Imported, wanted: list[Conference]) -> None:
    """The events are those that are wanted: some, but not all."""
    assert 1 < len(wanted) < len(imported.events)
    assert seen(found) == expected(wanted)
