"""The date filters of the event list: their boundaries, whole days, and the forms of a date."""

from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.client import Client

FILTERS = ("start_date", "end_date", "starts_before", "starts_after", "ends_before", "ends_after")
Listed = Callable[..., list[str]]


@pytest.fixture
def listed(client: Client) -> Listed:
    """The titles that a list with these filters has, in order."""

    def titles(**filters: str) -> list[str]:
        page = client.get("/events", {"per_page": 50, **filters}, status=200).json
        return [event["title"] for event in page["events"]]

    return titles


def made(client: Client, title: str, start: str, end: str = "", **fields: Any) -> None:
    factories.event(client, title=title, start_date=start, end_date=end or start, **fields)


@pytest.mark.parametrize(("first", "last"), [("0001-01-01", "9999-12-31")])
@pytest.mark.parametrize("strict", ["true", "false"])
def test_ends_of_the_calendar_are_no_errors(
    client: Client, listed: Listed, first: str, last: str, strict: str
) -> None:
    for title, day in (("first", "1000-01-02 10:00:00"), ("now", "2031-01-01"), ("last", "9999-12-30 10:00")):
        made(client, title, day)
    everything = ["first", "now", "last"]

    assert listed(start_date=first, end_date=last, strict_dates=strict) == everything
    for before in ("starts_before", "ends_before"):
        assert listed(**{before: last, "strict_dates": strict}) == everything
        assert set(listed(**{before: first, "strict_dates": strict})) <= {"first"}
    for after in ("starts_after", "ends_after"):
        assert listed(**{after: last, "strict_dates": strict}) == []
        assert listed(**{after: first, "strict_dates": strict})[-2:] == ["now", "last"]


STRICT = {
    "start_date": ["at", "after"],
    "end_date": ["before", "at"],
    "starts_before": ["before"],
    "starts_after": ["after"],
    "ends_before": ["before"],
    "ends_after": ["after"],
}


@pytest.mark.both_databases
def test_strict_dates_count_to_the_second(client: Client, listed: Listed) -> None:
    for title, at in (("before", "09:59:59"), ("at", "10:00:00"), ("after", "10:00:01")):
        made(client, title, f"2031-05-10 {at}")
    far = {"start_date": "2031-01-01", "end_date": "2031-12-31", "strict_dates": "true"}

    assert {name: listed(**{**far, name: "2031-05-10 10:00:00"}) for name in FILTERS} == STRICT


WHOLE_DAYS = {
    "start_date": ["first", "noon", "last", "next"],
    "end_date": ["eve", "first", "noon", "last"],
    "starts_before": ["eve", "first", "noon"],
    "starts_after": ["next"],
    "ends_before": ["eve", "first", "noon"],
    "ends_after": ["next"],
}


def test_dates_mean_whole_days(client: Client, listed: Listed) -> None:
    moments = ("09 23:59:59", "10 00:00:00", "10 12:00:00", "10 23:59:59", "11 00:00:00")
    for title, at in zip(("eve", "first", "noon", "last", "next"), moments, strict=True):
        made(client, title, f"2031-05-{at}")
    far = {"start_date": "2031-01-01", "end_date": "2031-12-31"}

    for more in ({}, {"strict_dates": "false"}):
        found = {name: listed(**{**far, name: "2031-05-10 10:00:00"}, **more) for name in FILTERS}
        assert found == WHOLE_DAYS


@pytest.mark.both_databases
def test_what_touches_a_window_and_what_lies_in_it(client: Client, listed: Listed) -> None:
    made(client, "before", "2031-05-01 10:00:00", "2031-05-02 10:00:00")
    made(client, "around", "2031-05-03 10:00:00", "2031-05-30 10:00:00")
    made(client, "into", "2031-05-04 10:00:00", "2031-05-12 10:00:00")
    made(client, "inside", "2031-05-11 10:00:00", "2031-05-11 12:00:00")
    made(client, "out of", "2031-05-12 10:00:00", "2031-05-25 10:00:00")
    made(client, "after", "2031-05-26 10:00:00", "2031-05-27 10:00:00")

    touching = {"ends_after": "2031-05-09", "starts_before": "2031-05-20"}

    assert listed(**touching) == ["around", "into", "inside", "out of"]
    assert listed(**touching, start_date="2031-05-04") == ["into", "inside", "out of"]
    assert listed(**touching, end_date="2031-05-25") == ["into", "inside", "out of"]
    assert listed(**touching, start_date="2031-05-10", end_date="2031-05-20") == ["inside"]
    assert listed(start_date="2031-05-10", end_date="2031-05-20") == ["inside"]


def test_relative_filters_drop_the_default_window(client: Client, listed: Listed) -> None:
    made(client, "past", "2001-05-10 10:00:00")
    made(client, "tomorrow", factories.day(1))
    made(client, "far", "2099-05-10 10:00:00")

    assert listed() == ["tomorrow"]
    assert listed(start_date="2000-01-01") == ["past", "tomorrow"]
    assert listed(end_date="2100-01-01") == ["tomorrow", "far"]
    for name in FILTERS[2:]:
        value = {"starts_before": "2100-01-01", "ends_before": "2100-01-01"}.get(name, "2000-01-01")
        assert listed(**{name: value}) == ["past", "tomorrow", "far"]
        assert listed(**{name: value}, start_date="2050-01-01") == ["far"]
        assert listed(**{name: value}, end_date="2020-01-01") == ["past"]


def test_instants_are_compared_and_ordered_whatever_the_zone_of_the_event(
    client: Client, listed: Listed
) -> None:
    made(client, "Tokyo", "2031-05-10 10:00:00", timezone="Asia/Tokyo")  # 01:00 UTC
    made(client, "UTC", "2031-05-10 09:00:00", timezone="UTC")
    made(client, "New York", "2031-05-10 08:00:00", timezone="America/New_York")  # 12:00 UTC

    assert listed(start_date="2031-05-10", end_date="2031-05-10") == ["Tokyo", "UTC", "New York"]
    assert listed(starts_after="2031-05-10 09:00:00", strict_dates="1") == ["New York"]
    assert listed(starts_before="2031-05-10 09:00:00", strict_dates="1") == ["Tokyo"]


def test_links_have_the_whole_day_or_the_exact_value(client: Client) -> None:
    for name in FILTERS:
        whole = client.get("/events", {name: "2031-05-10 10:20:30"}).json["rest_url"]
        exact = client.get("/events", {name: "2031-05-10 10:20:30", "strict_dates": "true"}).json["rest_url"]

        clock = "00%3A00%3A00" if name == "start_date" else "23%3A59%3A59"
        assert f"&{name}=2031-05-10+{clock}&" in whole + "&"
        assert f"&{name}=2031-05-10+10%3A20%3A30&" in exact + "&"
        assert ("&end_date=" in whole, "&end_date=" in exact) == ((name in FILTERS[:2],) * 2)
