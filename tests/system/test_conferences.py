"""Import a large collection and compare the responses with the file."""

import html
import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import pytest

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


def test_every_event_is_listed_once_as_the_file_has_it(imported: Imported) -> None:
    pages = pages_of(imported.server)
    events = [event for page in pages for event in page["events"]]

    assert len({event["id"] for event in events}) == len(events)
    assert [shown(event) for event in events] == [expected(event) for event in imported.events]
    assert len(pages) == math.ceil(len(imported.events) / 50) == pages[0]["total_pages"]


def pages_of(server: Server) -> list[dict[str, Any]]:
    """Every page of the events, following `next_rest_url`."""
    pages = [server.get("/events", per_page=50, **EVER).json]
    while "next_rest_url" in pages[-1]:
        pages.append(server.get(pages[-1]["next_rest_url"]).json)
    return pages


def shown(event: dict[str, Any]) -> dict[str, Any]:
    names = ("all_day", "start_date", "end_date", "utc_start_date", "utc_end_date", "timezone", "cost")
    venue = event["venue"] or {}
    return {name: event[name] for name in names} | {
        "title": html.unescape(event["title"]), "website": event["website"],
        "venue": [html.unescape(venue.get(name, "")) for name in ("venue", "city", "country")],
        "place": (venue.get("geo_lat"), venue.get("geo_lng")),
        "topics": sorted(html.unescape(category["name"]) for category in event["categories"]),
    }  # fmt: skip


def expected(conference: Conference) -> dict[str, Any]:
    given = conference.given
    venue = [conference.venue, given["city"], given["country"]] if conference.venue else [""] * 3
    first = conference.start.astimezone(ZoneInfo(conference.zone))  # not midnight where the clock skips it
    return {
        "all_day": True, "start_date": f"{first:%Y-%m-%d %H:%M:%S}", "end_date": f"{given['end']} 23:59:59",
        "utc_start_date": f"{conference.start:%Y-%m-%d %H:%M:%S}",
        "utc_end_date": f"{conference.end:%Y-%m-%d %H:%M:%S}", "timezone": conference.zone, "cost": "",
        "title": conference.title, "website": conference.payload()["website"], "venue": venue,
        "place": conference.place or (None, None), "topics": conference.topics,
    }  # fmt: skip
