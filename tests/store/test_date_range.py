"""The bounds of the date filters, and which events are found by them."""

from datetime import UTC
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from calendar_api import database
from calendar_api.database.models import Event, Record
from calendar_api.domain import dates
from calendar_api.domain.auth import Caller
from calendar_api.store import date_range, event_query
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory

NEW_YORK = ZoneInfo("America/New_York")
NOON = Caller("2026-06-15 12:00:00")
FILTERS = date_range.DATE_FILTERS
STRICT = {"strict_dates": "1"}


def written(query: dict[str, Any], zone: Any = UTC, caller: Caller = NOON) -> dict[str, str]:
    return {name: dates.text(at) for name, at in date_range.bounds(query, zone, caller).items()}


def listed(caller: Caller, zone: Any = UTC, **query: Any) -> list[str]:
    with database.read():
        page = event_query.search({"page": 1, "per_page": 50, **query}, caller, zone)
        return [Event.get_by_id(row.id).title for row in page.records]


@pytest.mark.parametrize(
    ("now", "zone", "query", "window"),
    [
        ("2026-06-15 12:00:00", UTC, {}, ("2026-06-14 00:00:00", "2028-06-15 23:59:59")),
        ("2026-06-15 12:00:00", NEW_YORK, {}, ("2026-06-14 00:00:00", "2028-06-15 23:59:59")),
        ("2026-06-15 23:59:59", UTC, {}, ("2026-06-14 00:00:00", "2028-06-15 23:59:59")),
        ("2026-06-16 00:00:00", UTC, {}, ("2026-06-15 00:00:00", "2028-06-16 23:59:59")),
        ("9999-12-30 12:00:00", UTC, STRICT, ("9999-12-29 23:59:00", "9999-12-30 23:59:59")),
        ("2026-06-15 12:00:00", UTC, STRICT, ("2026-06-14 23:59:00", "2028-06-15 12:00:00")),
        ("2026-06-15 12:00:00", NEW_YORK, STRICT, ("2026-06-14 19:59:00", "2028-06-15 08:00:00")),
    ],
)  # fmt: skip
def test_default_window(now: str, zone: Any, query: dict[str, Any], window: tuple[str, str]) -> None:
    assert written(query, zone, Caller(now)) == dict(zip(FILTERS[:2], window, strict=True))


def test_relative_dates_start_at_the_clock_of_the_caller() -> None:
    query = {"starts_after": "now", "ends_before": "tomorrow 9am", "strict_dates": "1"}

    assert written(query) == {"starts_after": "2026-06-15 12:00:00", "ends_before": "2026-06-16 09:00:00"}
    assert written(query, NEW_YORK) == {
        "starts_after": "2026-06-15 08:00:00",
        "ends_before": "2026-06-16 09:00:00",
    }


@pytest.mark.parametrize("zone", ["Etc/GMT+12", "UTC", "Etc/GMT-14"])
def test_dates_beyond_the_calendar_select_everything_in_every_zone(zone: str) -> None:
    query = {"start_date": "0001-01-01", "end_date": "9999-12-31"}

    window = date_range.bounds(query, ZoneInfo(zone), NOON)

    assert dates.text(window["start_date"].astimezone(UTC)) <= "1000-01-02 00:00:00"
    assert dates.text(window["end_date"].astimezone(UTC)) >= "9999-12-30 23:59:59"


@pytest.mark.parametrize(
    ("value", "strict"),
    [("true", True), ("TRUE", True), ("1", True), ("yes", True), ("On", True),
     ("false", False), ("0", False), ("no", False), ("y", False), ("2", False), ("null", False)],
)  # fmt: skip
def test_values_of_strict_dates(value: str, strict: bool) -> None:
    assert date_range.strict({"strict_dates": value}) is strict
    assert date_range.strict({}) is False


MOMENTS = (
    "2026-01-20 08:00:00", "2026-02-28 23:59:59", "2026-03-01 00:00:00", "2026-03-31 23:59:59",
    "2026-04-01 00:00:00", "2026-04-01 00:00:01", "2026-04-20 08:00:00", "2026-05-01 00:00:00",
)  # fmt: skip


OTHER = ({}, {"starts_after": MOMENTS[2]}, {"start_date": MOMENTS[4]}, {"starts_before": MOMENTS[5]})


@pytest.mark.both_databases
def test_what_is_still_on_is_found_once_and_in_order(client: Client, caller: CallerFactory) -> None:
    spans = [(start, end) for start in MOMENTS for end in MOMENTS if start <= end]
    first = factories.event(
        client, title="1", start_date=spans[0][0], end_date=spans[0][1], date="2026-01-01"
    )
    with database.write():
        columns = Event.get_by_id(first["id"]).__data__
        for start, end in spans[1:]:
            id = int(Record.create(kind="event").id)
            instants = {"utc_start_date": start, "utc_end_date": end}
            Event.insert({**columns, **instants, "id": id, "slug": f"event-{id}", "uid": str(id)}).execute()
    with database.read():
        places = {int(event.id): number for number, event in enumerate(Event.select().order_by(Event.id))}
    allowed = {"starts_after": str.__gt__, "start_date": str.__ge__, "starts_before": str.__lt__}

    for at, other in product(MOMENTS[2:5], OTHER):
        expected = sorted(
            (start, number)
            for number, (start, end) in enumerate(spans)
            if end > at and all(allowed[name](start, moment) for name, moment in other.items())
        )
        found: list[tuple[str, int]] = []
        with database.read():
            for page in range(1, len(expected) // 5 + 2):
                query = {"page": page, "per_page": 5, "strict_dates": "1", "ends_after": at, **other}
                answer = event_query.search(query, caller(None), UTC)
                found += [(spans[places[row.id]][0], places[row.id]) for row in answer.records]
                assert answer.total == len(expected)
        assert found == expected, (at, other)
