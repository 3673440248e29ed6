"""The date filters of the event list: their boundaries, whole days, zones, and the forms of a date.

tests/store/test_date_range.py has the default window and the ends of the calendar.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client
from tests.resources.records import listed, titles

FILTERS = ("start_date", "end_date", "starts_before", "starts_after", "ends_before", "ends_after")
#: Around every event of a test, for filters that would otherwise begin with today.
FAR = {"start_date": "2031-01-01", "end_date": "2031-12-31"}


def made(client: Client, title: str, start: str, end: str = "", **fields: Any) -> None:
    factories.event(client, title=title, start_date=start, end_date=end or start, **fields)


def by_filter(client: Client, value: str, **more: str) -> dict[str, list[str]]:
    """What each filter finds with this date."""
    return {name: titles(client, **{**FAR, name: value}, **more) for name in FILTERS}


@pytest.mark.both_databases
def test_strict_dates_count_to_the_second(client: Client) -> None:
    for title, at in (("before", "09:59:59"), ("at", "10:00:00"), ("after", "10:00:01")):
        made(client, title, f"2031-05-10 {at}")
    assert by_filter(client, "2031-05-10 10:00:00", strict_dates="true") == {
        "start_date": ["at", "after"], "end_date": ["before", "at"],
        "starts_before": ["before"], "starts_after": ["after"],
        "ends_before": ["before"], "ends_after": ["after"],
    }  # fmt: skip


def test_dates_mean_whole_days(client: Client) -> None:
    moments = ("09 23:59:59", "10 00:00:00", "10 12:00:00", "10 23:59:59", "11 00:00:00")
    for title, at in zip(("eve", "first", "noon", "last", "next"), moments, strict=True):
        made(client, title, f"2031-05-{at}")
    assert by_filter(client, "2031-05-10 10:00:00") == {
        "start_date": ["first", "noon", "last", "next"], "end_date": ["eve", "first", "noon", "last"],
        "starts_before": ["eve", "first", "noon"], "starts_after": ["next"],
        "ends_before": ["eve", "first", "noon"], "ends_after": ["next"],
    }  # fmt: skip


@pytest.mark.both_databases
def test_what_touches_a_window_and_what_lies_in_it(client: Client) -> None:
    for title, first, last in (
        ("before", "01", "02"), ("around", "03", "30"), ("into", "04", "12"), ("inside", "11", "11"),
        ("out of", "12", "25"), ("after", "26", "27"),
    ):  # fmt: skip
        made(client, title, f"2031-05-{first} 10:00:00", f"2031-05-{last} 10:00:00")
    touching = {"ends_after": "2031-05-09", "starts_before": "2031-05-20"}

    assert titles(client, **touching) == ["around", "into", "inside", "out of"]
    assert titles(client, **touching, start_date="2031-05-04") == ["into", "inside", "out of"]
    assert titles(client, **touching, end_date="2031-05-25") == ["into", "inside", "out of"]
    assert titles(client, start_date="2031-05-10", end_date="2031-05-20") == ["inside"]


def test_relative_filters_drop_the_default_window(client: Client) -> None:
    made(client, "past", "2001-05-10 10:00:00")
    made(client, "tomorrow", factories.day(1))
    made(client, "far", "2099-05-10 10:00:00")

    assert titles(client) == ["tomorrow"]
    assert titles(client, start_date="2000-01-01") == ["past", "tomorrow"]
    assert titles(client, end_date="2100-01-01") == ["tomorrow", "far"]
    # Dates beyond the calendar are its ends.
    assert titles(client, start_date="0001-01-01", end_date="9999-12-31") == ["past", "tomorrow", "far"]
    for name in FILTERS[2:]:
        value = "2100-01-01" if name.endswith("before") else "2000-01-01"
        assert titles(client, **{name: value}) == ["past", "tomorrow", "far"]
        assert titles(client, **{name: value}, start_date="2050-01-01") == ["far"]
        assert titles(client, **{name: value}, end_date="2020-01-01") == ["past"]


def test_instants_are_compared_and_ordered_whatever_the_zone_of_the_event(client: Client) -> None:
    made(client, "Tokyo", "2031-05-10 10:00:00", timezone="Asia/Tokyo")  # 01:00 UTC
    made(client, "UTC", "2031-05-10 09:00:00", timezone="UTC")
    made(client, "New York", "2031-05-10 08:00:00", timezone="America/New_York")  # 12:00 UTC
    assert titles(client, start_date="2031-05-10", end_date="2031-05-10") == ["Tokyo", "UTC", "New York"]
    assert titles(client, starts_after="2031-05-10 09:00:00", strict_dates="1") == ["New York"]
    assert titles(client, starts_before="2031-05-10 09:00:00", strict_dates="1") == ["Tokyo"]


def test_links_have_the_whole_day_or_the_exact_value(client: Client) -> None:
    for name in FILTERS:
        whole = client.get("/events", {name: "2031-05-10 10:20:30"}).json["rest_url"]
        exact = client.get("/events", {name: "2031-05-10 10:20:30", "strict_dates": "true"}).json["rest_url"]
        clock = "00%3A00%3A00" if name == "start_date" else "23%3A59%3A59"
        assert f"&{name}=2031-05-10+{clock}&" in whole + "&"
        assert f"&{name}=2031-05-10+10%3A20%3A30&" in exact + "&"
        assert ("&end_date=" in whole, "&end_date=" in exact) == ((name in FILTERS[:2],) * 2)


# -- naive values and whole days are those of the zone of the site

NEW_YORK = pytest.mark.settings(timezone="America/New_York")


@NEW_YORK
def test_whole_days_are_those_of_the_site(client: Client) -> None:
    moments = {"eve": "10 03:59:59", "first": "10 04:00:00", "last": "11 03:59:59", "next": "11 04:00:00"}
    for title, at in moments.items():
        made(client, title, f"2031-05-{at}", timezone="UTC")
    assert titles(client, start_date="2031-05-10", end_date="2031-05-10") == ["first", "last"]
    for name in FILTERS[2:]:
        expected = ["eve", "first"] if name.endswith("before") else ["next"]
        assert titles(client, **{name: "2031-05-10"}) == expected


@NEW_YORK
def test_naive_values_are_of_the_site_and_offsets_are_honoured(client: Client) -> None:
    for title, at in (("early", "09:59:59"), ("ten", "10:00:00"), ("late", "10:00:01")):
        made(client, title, f"2031-05-10 {at}")
    for value in ("2031-05-10 10:00:00", "2031-05-10T16:00:00+02:00", "1936188000"):
        assert titles(client, starts_after=value, strict_dates="1") == ["late"]
        assert titles(client, starts_before=value, strict_dates="1") == ["early"]


@NEW_YORK
@pytest.mark.parametrize(("day", "last"), [("2031-03-09", "03:59:59"), ("2031-11-02", "04:59:59")])
def test_days_on_which_clocks_change_are_whole(client: Client, day: str, last: str) -> None:
    made(client, "first", f"{day} 00:00:00")
    made(client, "last", f"{day} 23:59:59")
    made(client, "eve", f"{day[:-1]}{int(day[-1]) - 1} 23:59:59")
    found = listed(client, "/events", start_date=day, end_date=day)
    assert [event["title"] for event in found] == ["first", "last"]
    assert found[1]["utc_start_date"][11:] == last


@NEW_YORK
def test_moment_in_the_hour_that_comes_twice_is_kept_by_the_links(client: Client) -> None:
    """The first two are at 01:30 on the wall clock of 2 November 2031."""
    for hour, title in enumerate(("first", "second", "third"), 5):
        made(client, title, f"2031-11-02T0{hour}:30:00Z")
    query = {"start_date": "2031-11-02T06:00:00Z", "end_date": "2031-11-03", "strict_dates": "1"}
    page = client.get("/events", {**query, "per_page": 1}).json
    following = client.get(page["next_rest_url"].partition("/calendar/events/v1")[2]).json
    assert [event["title"] for event in page["events"] + following["events"]] == ["second", "third"]
