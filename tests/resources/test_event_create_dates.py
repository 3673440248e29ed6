"""Start and end of a new event: forms, offsets, whole days and clock changes (docs/interface.md#dates)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

FOUR = ("start_date", "end_date", "utc_start_date", "utc_end_date")
BERLIN = "Europe/Berlin"


def times(event: dict[str, Any]) -> tuple[str, ...]:
    return tuple(event[name] for name in FOUR)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2031-01-10 10:00:01", "2031-01-10 10:00:00"),
        ("2031-01-10", "2031-01-09"),
        ("2031-01-10 14:00:00", "2031-01-10 midnight"),
        ("2031-01-10 14:00:00", "1925766000"),
        ("2031-10-26T02:10:00+01:00", "2031-10-26T02:30:00+02:00"),
    ],
)
def test_end_before_the_start_is_refused(client: Client, start: str, end: str) -> None:
    body = {"title": "Backwards", "start_date": start, "end_date": end, "timezone": BERLIN}

    response = client.post("/events", body, as_="admin", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert list(response.json["data"]["params"]) == ["end_date"]


@pytest.mark.parametrize("end", ["2031-01-10", 20310110])
def test_end_without_a_time_on_the_day_of_the_start_is_the_start(client: Client, end: str | int) -> None:
    event = factories.event(
        client, start_date="2031-01-10 14:00:00", end_date=end, timezone="America/New_York"
    )

    assert times(event) == (
        "2031-01-10 14:00:00", "2031-01-10 14:00:00", "2031-01-10 19:00:00", "2031-01-10 19:00:00",
    )  # fmt: skip


def test_end_that_looks_earlier_on_the_clock_is_taken_by_its_instant(client: Client) -> None:
    """In Berlin the hour from 2 to 3 comes twice on 26 October 2031."""
    event = factories.event(
        client, start_date="2031-10-26T02:30:00+02:00", end_date="2031-10-26T02:10:00+01:00", timezone=BERLIN
    )

    assert times(event) == (
        "2031-10-26 02:30:00", "2031-10-26 02:10:00", "2031-10-26 00:30:00", "2031-10-26 01:10:00",
    )  # fmt: skip
    assert event["timezone_abbr"] == "CEST"


def test_whole_days_are_widened(client: Client) -> None:
    event = factories.event(
        client, start_date="2031-01-10 14:00:00", end_date="2031-01-12 09:30:00", all_day="yes",
        timezone="America/New_York",
    )  # fmt: skip

    assert times(event) == (
        "2031-01-10 00:00:00", "2031-01-12 23:59:59", "2031-01-10 05:00:00", "2031-01-13 04:59:59",
    )  # fmt: skip


def test_whole_day_may_end_at_an_earlier_hour_than_it_starts(client: Client) -> None:
    event = factories.event(
        client, start_date="2031-01-10 14:00:00", end_date="2031-01-10 09:00:00", all_day=True
    )

    assert times(event)[:2] == ("2031-01-10 00:00:00", "2031-01-10 23:59:59")


@pytest.mark.parametrize("start", ["9999-12-31", "1000-01-01", "99999999999999"])
def test_date_beyond_the_calendar_is_refused(client: Client, start: str) -> None:
    body = {"title": "Far away", "start_date": start, "end_date": "2031-01-10"}

    response = client.post("/events", body, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == ["start_date"]


@pytest.mark.parametrize(
    ("zone", "start", "status"),
    [
        ("UTC-12", "9999-12-30T23:59:59Z", 201),
        ("UTC+14", "9999-12-30T23:59:59Z", 400),
        ("UTC-12", "1000-01-02T00:00:00Z", 400),
        ("UTC+14", "1000-01-02T00:00:00Z", 201),
    ],
)
def test_edge_of_the_calendar_is_that_of_the_zone_of_the_event(
    client: Client, zone: str, start: str, status: int
) -> None:
    body = {"title": "Edge", "start_date": start, "end_date": start, "timezone": zone}

    response = client.post("/events", body, as_="admin", status=status)

    assert response.json.get("code") == (None if status == 201 else "rest_invalid_param")
