"""Start, end, zone and whole days of an event (docs/interface.md#dates, #updates)."""

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


def test_end_that_looks_earlier_on_the_clock_is_taken_by_its_instant(client: Client) -> None:
    """In Berlin the hour from 2 to 3 comes twice on 26 October 2031."""
    event = factories.event(
        client, start_date="2031-10-26T02:30:00+02:00", end_date="2031-10-26T02:10:00+01:00", timezone=BERLIN
    )

    assert times(event) == (
        "2031-10-26 02:30:00", "2031-10-26 02:10:00", "2031-10-26 00:30:00", "2031-10-26 01:10:00",
    )  # fmt: skip
    assert event["timezone_abbr"] == "CEST"


def test_whole_day_may_end_at_an_earlier_hour_than_it_starts(client: Client) -> None:
    event = factories.event(
        client, start_date="2031-01-10 14:00:00", end_date="2031-01-10 09:00:00", all_day=True
    )

    assert times(event)[:2] == ("2031-01-10 00:00:00", "2031-01-10 23:59:59")


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


def morning(client: Client, **fields: Any) -> dict[str, Any]:
    dates = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}
    return factories.event(client, **{**dates, "timezone": BERLIN, **fields})


def changed(client: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.put(f"/events/{event['id']}", fields, as_="admin", status=200).json
    return answer


def test_whole_days_stay_whole_when_the_zone_or_a_date_changes(client: Client) -> None:
    event = morning(client, all_day=True)

    zone = changed(client, event, timezone="America/New_York")
    date = changed(client, event, end_date="2031-01-11 09:00:00")

    assert times(zone) == (
        "2031-01-10 00:00:00", "2031-01-10 23:59:59", "2031-01-10 05:00:00", "2031-01-11 04:59:59",
    )  # fmt: skip
    assert times(date)[:2] == ("2031-01-10 00:00:00", "2031-01-11 23:59:59")
    assert (zone["all_day"], date["all_day"]) == (True, True)


def test_hour_that_comes_twice_keeps_its_instant_when_the_other_date_changes(client: Client) -> None:
    """The second 02:30 in Berlin: its wall time alone would mean the first."""
    event = factories.event(
        client, timezone=BERLIN, start_date="2031-10-26T02:30:00+01:00", end_date="2031-10-26 04:00:00"
    )

    end = changed(client, event, end_date="2031-10-26 05:00:00")
    zone = changed(client, event, timezone=BERLIN)

    assert end["utc_start_date"] == "2031-10-26 01:30:00"
    assert zone["utc_start_date"] == "2031-10-26 01:30:00"


def test_new_zone_may_not_turn_an_event_around(client: Client) -> None:
    """Wall times that run backwards are right only where a clock was set back."""
    event = factories.event(
        client, timezone=BERLIN, start_date="2031-10-26T02:30:00+02:00", end_date="2031-10-26T02:10:00+01:00"
    )

    assert times(changed(client, event, title="New", show_map=True)) == times(event)
    response = client.put(f"/events/{event['id']}", {"timezone": "UTC"}, as_="admin", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert client.get(f"/events/{event['id']}").json["timezone"] == BERLIN


def test_end_without_a_time_on_the_day_of_the_start_ends_the_event_when_it_starts(client: Client) -> None:
    event = morning(client)
    day, start = event["start_date"][:10], event["start_date"]

    for end in (day, int(day.replace("-", ""))):
        assert changed(client, event, end_date=end)["end_date"] == start
    assert changed(client, event, start_date=f"{day} 20:00:00", end_date=day)["end_date"] == f"{day} 20:00:00"
    assert changed(client, event, all_day=True, end_date=day)["end_date"] == f"{day} 23:59:59"


def test_new_zone_with_a_gap_moves_the_wall_time_forward(client: Client) -> None:
    event = morning(client, start_date="2031-03-30 02:30:00", end_date="2031-03-30 06:00:00", timezone="UTC")

    answer = changed(client, event, timezone=BERLIN)

    assert times(answer) == (
        "2031-03-30 03:30:00", "2031-03-30 06:00:00", "2031-03-30 01:30:00", "2031-03-30 04:00:00",
    )  # fmt: skip
