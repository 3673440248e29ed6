"""The date filters of the event list: their boundaries, whole days, zones, and the forms of a date.

tests/store/test_date_range.py has the default window and the ends of the calendar.
"""

from typing import Any

import pytest

from calendar_api.config import Config
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
        "start_date": ["at", "after"],
        "end_date": ["before", "at"],
        "starts_before": ["before"],
        "starts_after": ["after"],
        "ends_before": ["before"],
        "ends_after": ["after"],
    }


@pytest.mark.both_databases
def test_what_touches_a_window_and_what_lies_in_it(client: Client) -> None:
    made(client, "before", "2031-05-01 10:00:00", "2031-05-02 10:00:00")
    made(client, "around", "2031-05-03 10:00:00", "2031-05-30 10:00:00")
    made(client, "into", "2031-05-04 10:00:00", "2031-05-12 10:00:00")
    made(client, "inside", "2031-05-11 10:00:00", "2031-05-11 12:00:00")
    made(client, "out of", "2031-05-12 10:00:00", "2031-05-25 10:00:00")
    made(client, "after", "2031-05-26 10:00:00", "2031-05-27 10:00:00")

    touching = {"ends_after": "2031-05-09", "starts_before": "2031-05-20"}

    assert titles(client, **touching) == ["around", "into", "inside", "out of"]
    assert titles(client, **touching, start_date="2031-05-04") == ["into", "inside", "out of"]
    assert titles(client, **touching, end_date="2031-05-25") == ["into", "inside", "out of"]
    assert titles(client, start_date="2031-05-10", end_date="2031-05-20") == ["inside"]


def test_instants_are_compared_and_ordered_whatever_the_zone_of_the_event(client: Client) -> None:
    made(client, "Tokyo", "2031-05-10 10:00:00", timezone="Asia/Tokyo")  # 01:00 UTC
    made(client, "UTC", "2031-05-10 09:00:00", timezone="UTC")
    made(client, "New York", "2031-05-10 08:00:00", timezone="America/New_York")  # 12:00 UTC

    assert titles(client, start_date="2031-05-10", end_date="2031-05-10") == ["Tokyo", "UTC", "New York"]
    assert titles(client, starts_after="2031-05-10 09:00:00", strict_dates="1") == ["New York"]
    assert titles(client, starts_before="2031-05-10 09:00:00", strict_dates="1") == ["Tokyo"]


class TestNewYork:
    """Naive values and whole days are those of the zone of the site."""

    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, timezone="America/New_York")

    def test_whole_days_are_those_of_the_site(self, client: Client) -> None:
        for title, at in (
            ("eve", "10 03:59:59"), ("first", "10 04:00:00"), ("last", "11 03:59:59"), ("next", "11 04:00:00")
        ):  # fmt: skip
            made(client, title, f"2031-05-{at}", timezone="UTC")

        noon = "2031-05-10 12:00:00"
        assert titles(client, start_date=noon, end_date=noon) == ["first", "last"]
        for name in FILTERS[2:]:
            expected = ["eve", "first"] if name.endswith("before") else ["next"]
            assert titles(client, **{name: noon}) == expected

    def test_naive_values_are_of_the_site_and_offsets_are_honoured(self, client: Client) -> None:
        for title, at in (("early", "09:59:59"), ("ten", "10:00:00"), ("late", "10:00:01")):
            made(client, title, f"2031-05-10 {at}")

        for value in ("2031-05-10 10:00:00", "2031-05-10T16:00:00+02:00", "1936188000"):
            assert titles(client, starts_after=value, strict_dates="1") == ["late"]
            assert titles(client, starts_before=value, strict_dates="1") == ["early"]

    @pytest.mark.parametrize(("day", "last"), [("2031-03-09", "03:59:59"), ("2031-11-02", "04:59:59")])
    def test_days_on_which_clocks_change_are_whole(self, client: Client, day: str, last: str) -> None:
        made(client, "first", f"{day} 00:00:00")
        made(client, "last", f"{day} 23:59:59")
        made(client, "eve", f"{day[:-1]}{int(day[-1]) - 1} 23:59:59")

        found = listed(client, "/events", start_date=day, end_date=day)

        assert [event["title"] for event in found] == ["first", "last"]
        assert found[1]["utc_start_date"][11:] == last

    def test_moment_in_the_hour_that_comes_twice_is_kept_by_the_links(self, client: Client) -> None:
        """The first two are at 01:30 on the wall clock of 2 November 2031."""
        for hour, title in enumerate(("first", "second", "third"), 5):
            made(client, title, f"2031-11-02T0{hour}:30:00Z")
        query = {"start_date": "2031-11-02T06:00:00Z", "end_date": "2031-11-03", "strict_dates": "1"}

        page = client.get("/events", {**query, "per_page": 1}).json
        following = client.get(page["next_rest_url"].partition("/calendar/events/v1")[2]).json

        assert [event["title"] for event in page["events"] + following["events"]] == ["second", "third"]
