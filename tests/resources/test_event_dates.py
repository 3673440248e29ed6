"""Start, end, zone and whole days of an event (docs/interface.md#dates, #updates).

tests/golden/conformance has the forms of a date and plain moves; here are order, clock changes and limits.
"""

from typing import Any

from tests import factories
from tests.client import Client
from tests.resources.records import Json, change, path_of, read, refused

BERLIN = "Europe/Berlin"
#: In Berlin the hour from 2 to 3 comes twice on this day.
TWICE = "2031-10-26"


def times(event: Json) -> tuple[str, ...]:
    return tuple(event[name] for name in ("start_date", "end_date", "utc_start_date", "utc_end_date"))


def berlin(client: Client, start: str = "2031-01-10 10:00:00", end: str = "", **fields: Any) -> Json:
    end = end or "2031-01-10 12:00:00"
    return factories.event(client, **{"start_date": start, "end_date": end, "timezone": BERLIN, **fields})


def test_end_before_the_start_is_refused(client: Client) -> None:
    for start, end in (
        ("2031-01-10 10:00:01", "2031-01-10 10:00:00"), ("2031-01-10", "2031-01-09"),
        ("2031-01-10 14:00:00", "2031-01-10 midnight"), ("2031-01-10 14:00:00", "1925766000"),
        (f"{TWICE}T02:10:00+01:00", f"{TWICE}T02:30:00+02:00"),
    ):  # fmt: skip
        body = {"title": "Backwards", "start_date": start, "end_date": end, "timezone": BERLIN}
        assert refused(client.post("/events", body, as_="admin", status=400)) == ["end_date"]


def test_edge_of_the_calendar_is_that_of_the_zone(client: Client) -> None:
    for zone, start, status in (
        ("UTC-12", "9999-12-30T23:59:59Z", 201), ("UTC+14", "9999-12-30T23:59:59Z", 400),
        ("UTC-12", "1000-01-02T00:00:00Z", 400), ("UTC+14", "1000-01-02T00:00:00Z", 201),
    ):  # fmt: skip
        body = {"title": "Edge", "start_date": start, "end_date": start, "timezone": zone}
        answer = client.post("/events", body, as_="admin", status=status)
        assert answer.json.get("code") == (None if status == 201 else "rest_invalid_param")


def test_whole_days_stay_whole(client: Client) -> None:
    """Also when an event ends at an earlier hour than it starts, and when its zone or a date changes."""
    event = berlin(client, "2031-01-10 14:00:00", "2031-01-10 09:00:00", all_day=True)
    assert times(event)[:2] == ("2031-01-10 00:00:00", "2031-01-10 23:59:59")
    zone = change(client, event, timezone="America/New_York")
    date = change(client, event, end_date="2031-01-11 09:00:00")

    assert times(zone) == (
        "2031-01-10 00:00:00", "2031-01-10 23:59:59", "2031-01-10 05:00:00", "2031-01-11 04:59:59",
    )  # fmt: skip
    assert times(date)[:2] == ("2031-01-10 00:00:00", "2031-01-11 23:59:59")
    assert (zone["all_day"], date["all_day"]) == (True, True)


def test_end_without_a_time_on_the_day_of_the_start_ends_the_event_when_it_starts(client: Client) -> None:
    event = berlin(client)
    day, start = event["start_date"][:10], event["start_date"]
    for end in (day, int(day.replace("-", ""))):
        assert change(client, event, end_date=end)["end_date"] == start
    later = change(client, event, start_date=f"{day} 20:00:00", end_date=day)
    assert later["end_date"] == f"{day} 20:00:00"
    assert change(client, event, all_day=True, end_date=day)["end_date"] == f"{day} 23:59:59"


# -- clock changes


def test_event_in_the_hour_that_comes_twice_goes_by_its_instants(client: Client) -> None:
    """Its wall times may run backwards, unless a new zone makes that wrong."""
    event = berlin(client, f"{TWICE}T02:30:00+02:00", f"{TWICE}T02:10:00+01:00")
    assert times(event) == (
        f"{TWICE} 02:30:00", f"{TWICE} 02:10:00", f"{TWICE} 00:30:00", f"{TWICE} 01:10:00",
    )  # fmt: skip
    assert event["timezone_abbr"] == "CEST"
    assert times(change(client, event, title="New", show_map=True)) == times(event)
    assert refused(client.put(path_of(event), {"timezone": "UTC"}, as_="admin", status=400))
    assert read(client, event)["timezone"] == BERLIN


def test_hour_that_comes_twice_keeps_its_instant_when_the_other_date_changes(client: Client) -> None:
    """The second 02:30 in Berlin: its wall time alone would mean the first."""
    event = berlin(client, f"{TWICE}T02:30:00+01:00", f"{TWICE} 04:00:00")
    for fields in ({"end_date": f"{TWICE} 05:00:00"}, {"timezone": BERLIN}):
        assert change(client, event, **fields)["utc_start_date"] == f"{TWICE} 01:30:00"


def test_new_zone_with_a_gap_moves_the_wall_time_forward(client: Client) -> None:
    event = berlin(client, "2031-03-30 02:30:00", "2031-03-30 06:00:00", timezone="UTC")
    assert times(change(client, event, timezone=BERLIN)) == (
        "2031-03-30 03:30:00", "2031-03-30 06:00:00", "2031-03-30 01:30:00", "2031-03-30 04:00:00",
    )  # fmt: skip
