"""Import of JSON lines that were not imported before: stored, adopted and invalid lines."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO, RawIOBase
from itertools import count
from typing import Any, BinaryIO, cast
from uuid import UUID

import pytest

from calendar_api import database
from calendar_api.commands.import_engine import Import
from calendar_api.commands.import_work import Decision, Policy
from calendar_api.commands.sources import jsonl
from calendar_api.commands.sources.items import Notice, Options
from calendar_api.config import Config
from calendar_api.domain import html
from calendar_api.domain.errors import StorageFull
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory

EVER = {"start_date": "2000-01-01", "end_date": "2100-01-01", "per_page": 50}
FAIR: dict[str, Any] = {
    "title": "Spring Fair",
    "start_date": "2031-05-01 10:00:00",
    "end_date": "2031-05-01 18:00:00",
    "venue": {"venue": "Town Hall", "city": "Lindau", "geo_lat": 47.5, "geo_lng": 9.7},
    "categories": ["Markets", "Outdoors"],
}


def line(**fields: Any) -> str:
    return json.dumps({**FAIR, **fields}) + "\n"


@dataclass
class Summary:
    """What became of lines; `skipped` events were there already, `bad` are numbers and reasons."""

    created: int = 0
    skipped: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)

    def add(self, decision: Decision | Notice) -> None:
        assert isinstance(decision, Decision)
        self.created += decision.result == "created"
        self.skipped += decision.result in ("adopted", "unchanged")
        if decision.result == "refused":
            self.bad.append((int(decision.place.removeprefix("line ")), decision.reason))


Importing = Callable[..., Summary]


@pytest.fixture
def imported(client: Client, caller: CallerFactory, config: Config) -> Importing:
    """`imported(line, line)` imports from a new source for an administrator, or for `caller`."""
    numbers = count()

    def run(*lines: str, **options: Any) -> Summary:
        return run_import(
            BytesIO("".join(lines).encode("utf-8", "surrogateescape")),
            Import(
                "jsonl", f"file {next(numbers)}", options.pop("caller", caller("admin")), config.site,
                Policy(**options), Summary().add,
            ),
        )  # fmt: skip

    return run


def run_import(stream: BinaryIO, work: Import) -> Summary:
    summary = Summary()
    work.report = summary.add
    options = Options("UTC", work.caller.at, work.caller.at)
    work.run(jsonl.read(stream, options))
    return summary


def titles(client: Client) -> list[str]:
    return [event["title"] for event in client.get("/events", EVER).json["events"]]


def test_valid_lines_store_events_and_each_venue_and_category_once(
    client: Client, imported: Importing
) -> None:
    summary = imported(line(), line(title="Autumn Fair", venue={"venue": "TOWN HALL"}))

    event, other = client.get("/events", EVER).json["events"]
    assert summary == Summary(created=2)
    assert (event["title"], event["start_date"]) == ("Spring Fair", "2031-05-01 10:00:00")
    assert event["author"] == str(client.ids["admin"])
    assert (event["venue"]["venue"], event["venue"]["geo_lat"]) == ("Town Hall", 47.5)
    assert [category["name"] for category in event["categories"]] == ["Markets", "Outdoors"]
    assert other["title"] == "Autumn Fair"
    assert [client.get(path).json["total"] for path in ("/venues", "/categories")] == [1, 2]


def test_invalid_lines_are_reported_with_number_and_reason(client: Client, imported: Importing) -> None:
    invalid = {
        line(description="<p><b><i><u><s>" + "<p>x" * 300): f"description {html.TOO_MUCH_HTML}.",
        "nothing\n": "line must be valid JSON: Expecting value.",
        "[]\n": "line must be a JSON object with the fields of an event.",
        "{}\n": "title is missing. start_date is missing. end_date is missing.",
        line(title=None): "title is missing.",
        line(timezone="Europe/Nowhere"): (
            "timezone must be a time zone such as Europe/Berlin, UTC, UTC+5:30 or -08:00."
        ),
        line(end_date="2031-04-30"): "end_date must leave the end of the event at or after its start.",
        line(venue=[999, 888]): "venue must be records that you may read; there is none with the id 888.",
        line(venue={"venue": "Mill", "geo_lat": 1}): (
            "venue: geo_lng must be sent together with the other coordinate."
        ),
        line(venue={"venue": "Mill", "geo_lat": float("nan"), "geo_lng": 1}): (
            "venue: geo_lat must be a number from -90 to 90, together with geo_lng."
        ),
        line(author=999): "author must be the id of a user.",
        line(title="\ud800"): "title must be valid Unicode text, without half a surrogate pair.",
    }

    summary = imported(line(title="Before"), "\n", "  \n", *invalid, line(title="After"))

    assert summary == Summary(created=2, bad=list(enumerate(invalid.values(), 4)))
    assert titles(client) == ["Before", "After"]


def test_deeply_nested_line_is_refused(client: Client, imported: Importing) -> None:
    ((number, reason),) = imported("[" * 100_000).bad

    assert (number, reason.startswith("line must be valid JSON: ")) == (1, True)


def test_invalid_line_stores_no_nested_records(client: Client, imported: Importing) -> None:
    summary = imported(line(date="2031-13-01"), line(end_date="2031-04-30"))

    assert (summary.created, summary.skipped, len(summary.bad)) == (0, 0, 2)
    assert client.get("/venues").json["total"] == 0
    assert client.get("/categories").json["total"] == 0


def test_line_without_the_right_is_refused(
    client: Client, imported: Importing, caller: CallerFactory
) -> None:
    summary = imported(line(categories=["New"]), line(categories=[]), caller=caller("contributor"))

    assert summary.bad == [
        (1, "Your role does not allow you to create new categories: choose among those that exist.")
    ]
    assert summary.created == 1


def test_same_title_start_and_venue_are_skipped(client: Client, imported: Importing) -> None:
    venue = factories.venue(client, venue="Town Hall")
    same: list[dict[str, Any]] = [
        {},
        {"title": "  Spring <b>Fair</b> "},
        {"start_date": "1 May 2031 10am"},
        {"start_date": "2031-05-01T08:00:00-02:00", "timezone": "UTC"},
        {"venue": {"venue": "town hall"}},
        {"venue": venue["id"]},
        {"description": "Another one", "categories": []},
        {"title": "Day", "all_day": True},
        {"title": "Day", "all_day": True, "start_date": "2031-05-01"},
    ]
    imported(line(), line(title="Day", all_day=True))

    assert [imported(line(**one)) for one in same] == [Summary(skipped=1)] * len(same)
    assert sorted(titles(client)) == ["Day", "Spring Fair"]


def test_other_title_start_or_venue_is_stored(client: Client, imported: Importing) -> None:
    others: list[dict[str, Any]] = [
        {"title": "Spring Fairs"},
        {"title": "spring fair"},
        {"start_date": "2031-05-01 10:00:01"},
        {"venue": {"venue": "Mill"}},
        {"venue": []},
        {"venue": [{"venue": "Town Hall"}, {"venue": "Mill"}]},
        {"all_day": True},
    ]
    imported(line())

    assert [imported(line(**one)) for one in others] == [Summary(created=1)] * len(others)


def test_uid_of_a_line_is_kept_and_makes_a_second_run_skip_it(client: Client, imported: Importing) -> None:
    longest = "ü" * 255

    first = imported(line(uid=" 7@elsewhere.example "), line(uid=longest, title="Other"), line(title="Third"))
    (event,) = client.get("/events", {**EVER, "search": "Spring Fair"}).json["events"]
    client.patch(f"/events/{event['id']}", {"title": "Renamed"}, as_="admin", status=200)
    second = imported(
        line(uid="7@elsewhere.example"), line(uid=longest, title="Changed"), line(uid="", title="4")
    )

    shown = {event["title"]: event["uid"] for event in client.get("/events", EVER).json["events"]}
    assert (first, second.created, second.skipped) == (Summary(created=3), 0, 2)
    assert shown == {"Renamed": "7@elsewhere.example", "Other": longest, "Third": shown["Third"]}
    assert UUID(shown["Third"]).version == 4
    assert [number for number, _ in second.bad] == [3]


def test_uid_that_is_no_printable_text_is_refused(client: Client, imported: Importing) -> None:
    summary = imported(*(line(uid=uid) for uid in (None, 7, "", "u" * 256, "a\nb", ["a"])))

    reason = "uid must be a text of 1 to 255 printable characters"
    assert [reason in said for _, said in summary.bad] == [True] * 6
    assert titles(client) == []


def test_event_in_the_trash_is_stored_again(client: Client, imported: Importing) -> None:
    imported(line())
    (event,) = client.get("/events", EVER).json["events"]
    client.delete(f"/events/{event['id']}", as_="admin", status=200)

    assert imported(line()) == Summary(created=1)


def test_dry_run_counts_and_stores_nothing(client: Client, imported: Importing) -> None:
    summary = imported(line(), line(), "no\n", line(title="Second"), dry_run=True)

    assert (summary.created, summary.skipped, [number for number, _ in summary.bad]) == (2, 1, [3])
    assert titles(client) == []
    assert client.get("/venues").json["total"] == 0


class Lines(RawIOBase):
    """A stream during which the disk gets full."""

    number = 0

    def readline(self, size: int | None = -1) -> bytes:
        self.number += 1
        if self.number == 52:  # the first batch is stored when the next one begins
            database.db.pragma("max_page_count", database.db.pragma("page_count"))
        event = line(title=f"Event {self.number}", description="x" * 2000)
        return event.encode() if self.number < 101 else b""


@pytest.mark.sqlite
def test_database_that_fails_ends_the_import(client: Client, caller: CallerFactory, config: Config) -> None:
    work = Import("jsonl", "file", caller("admin"), config.site, Policy(), Summary().add)

    with pytest.raises(StorageFull):
        run_import(cast(BinaryIO, Lines()), work)

    assert client.get("/events", EVER).json["total"] == 50


def test_a_batch_of_long_texts_fits_a_packet_of_the_database(imported: Importing) -> None:
    """MariaDB takes 16 MiB at once."""
    lines = [line(title=f"Event {number}", description="ж" * 65_000) for number in range(32)]

    assert imported(*lines) == Summary(created=32)
