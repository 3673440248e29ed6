"""The date filters of a site that is not in UTC: naive values and whole days are those of its zone."""

from typing import Any

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import Client


@pytest.fixture
def config(database_url: str) -> Config:
    return Config(database_url=database_url, timezone="America/New_York")


def made(client: Client, title: str, start: str, **fields: Any) -> None:
    factories.event(client, title=title, start_date=start, end_date=start, **fields)


def listed(client: Client, **filters: str) -> list[str]:
    return [event["title"] for event in client.get("/events", filters, status=200).json["events"]]


def test_whole_days_are_those_of_the_site(client: Client) -> None:
    for title, at in (
        ("eve", "2031-05-10 03:59:59"),
        ("first", "2031-05-10 04:00:00"),
        ("last", "2031-05-11 03:59:59"),
        ("next", "2031-05-11 04:00:00"),
    ):
        made(client, title, at, timezone="UTC")

    assert listed(client, start_date="2031-05-10", end_date="2031-05-10") == ["first", "last"]
    assert listed(client, starts_before="2031-05-10") == ["eve", "first"]
    assert listed(client, starts_after="2031-05-10") == ["next"]
    assert listed(client, ends_before="2031-05-10") == ["eve", "first"]
    assert listed(client, ends_after="2031-05-10") == ["next"]


def test_naive_values_are_read_in_the_zone_of_the_site_and_offsets_are_honoured(client: Client) -> None:
    made(client, "early", "2031-05-10 09:59:59")
    made(client, "ten", "2031-05-10 10:00:00")
    made(client, "late", "2031-05-10 10:00:01")

    for value in ("2031-05-10 10:00:00", "2031-05-10T14:00:00Z", "2031-05-10T16:00:00+02:00", "1936188000"):
        assert listed(client, starts_after=value, strict_dates="1") == ["late"]
        assert listed(client, starts_before=value, strict_dates="1") == ["early"]


@pytest.mark.parametrize(("day", "hours"), [("2031-03-09", 23), ("2031-11-02", 25)])
def test_days_on_which_clocks_change_are_whole(client: Client, day: str, hours: int) -> None:
    made(client, "first", f"{day} 00:00:00")
    made(client, "last", f"{day} 23:59:59")
    made(client, "eve", f"{day[:-1]}{int(day[-1]) - 1} 23:59:59")

    page = client.get("/events", {"start_date": day, "end_date": day}).json

    assert [event["title"] for event in page["events"]] == ["first", "last"]
    utc = [event["utc_start_date"] for event in page["events"]]
    assert utc[1][11:] == {23: "03:59:59", 25: "04:59:59"}[hours]


def test_moment_in_the_hour_that_comes_twice_is_kept_by_the_links(client: Client) -> None:
    """Both are 01:30 on the wall clock of 2 November 2031 in New York."""
    made(client, "first", "2031-11-02T05:30:00Z")
    made(client, "second", "2031-11-02T06:30:00Z")
    made(client, "third", "2031-11-02T07:30:00Z")
    query = {"start_date": "2031-11-02T06:00:00Z", "end_date": "2031-11-03", "strict_dates": "1"}

    page = client.get("/events", {**query, "per_page": 1}).json
    following = client.get(page["next_rest_url"].partition("/calendar/events/v1")[2]).json

    assert [event["title"] for event in page["events"] + following["events"]] == ["second", "third"]
