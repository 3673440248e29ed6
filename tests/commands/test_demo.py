"""The demo records are consistent, whatever the day, and show every kind of event."""

import datetime
import json
import re
from collections import Counter
from dataclasses import asdict
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calendar_api.commands import demo

DAYS = [datetime.date(2028, 2, 29), datetime.date(2026, 12, 31), datetime.date(2027, 3, 28)]
ANY_DAY = st.dates(datetime.date(2025, 1, 1), datetime.date(2036, 12, 31))
SERIES = "Tuesday Vinyl Table"


def zone(name: str) -> datetime.tzinfo:
    if name == "UTC+5:30":
        return datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    return ZoneInfo(name)


def wall_time(event: dict[str, Any], field: str) -> datetime.datetime:
    naive = datetime.datetime.strptime(event[field], "%Y-%m-%d %H:%M:%S")
    return naive.replace(tzinfo=zone(event["timezone"]))


def days_ahead(event: dict[str, Any], field: str, today: datetime.date) -> int:
    return (wall_time(event, field).date() - today).days


def test_records_share_nothing() -> None:
    """A second call, or another event of the series, does not change when the first one is changed."""
    first, second = demo.records(DAYS[0]), demo.records(DAYS[0])
    unchanged = json.dumps(asdict(first))
    series = [event for event in second.events if event["title"] == SERIES]

    series[0]["tags"].append("changed")
    second.venues.clear()

    assert series[1]["tags"] == ["vinyl", "open mic"]
    assert json.dumps(asdict(first)) == json.dumps(asdict(demo.records(DAYS[0]))) == unchanged


def test_every_kind_of_record_is_shown() -> None:
    today = DAYS[0]
    records = demo.records(today)
    events = records.events
    counts = {field: len(payloads) for field, payloads in asdict(records).items()}
    starts = [days_ahead(event, "start_date", today) for event in events]
    statuses = Counter(
        "future" if "date" in event and days_ahead(event, "date", today) > 1 else event["status"]
        for event in events
    )
    flags = {
        name: sum(bool(event.get(name)) for event in events)
        for name in ("password", "sticky", "hide_from_listings", "featured")
    }
    costs = {event.get("cost") for event in events}
    offsets = {
        f"{datetime.datetime(2027, 1, 15, tzinfo=zone(name)):%z}"
        for name in {event["timezone"] for event in events}
    }
    all_day = [event for event in events if event.get("all_day")]

    assert counts == {"categories": 9, "tags": 8, "venues": 11, "organizers": 6, "events": 60}
    assert sum(0 <= start < 56 for start in starts) == 45
    assert sum("geo_lat" in venue for venue in records.venues) == 9
    assert statuses == {"publish": 54, "future": 2, "draft": 1, "pending": 1, "private": 1, "trash": 1}
    assert flags == {"password": 1, "sticky": 1, "hide_from_listings": 1, "featured": 6}
    assert sum(len(event.get("organizer", [])) == 2 for event in events) == 7
    assert costs >= {None, "Free", "0", 10, "12", "€15", "20 €", "10-20", "€8 - €14", "Donation", "$25.50",
                     "7,50 €", "¥2,500", "$1,234.56", "1.234,56 €"}  # fmt: skip
    assert offsets >= {"-1000", "-0500", "+0000", "+0100", "+0200", "+0530", "+0900", "+1300"}
    assert {(event["start_date"][11:], event["end_date"][11:]) for event in all_day} == {
        ("00:00:00", "23:59:59")
    }


@given(ANY_DAY)
@example(DAYS[0])
@example(DAYS[1])
@example(DAYS[2])
def test_dates_on_any_day_are_ordered_within_a_year_and_unambiguous(today: datetime.date) -> None:
    for event in demo.records(today).events:
        start, end = wall_time(event, "start_date"), wall_time(event, "end_date")

        assert start.astimezone(datetime.UTC) < end.astimezone(datetime.UTC), event["title"]
        assert -20 <= days_ahead(event, "start_date", today) <= 340, event["title"]
        for time in (start, end):  # neither skipped nor repeated by a clock change
            assert time.utcoffset() == time.replace(fold=1).utcoffset(), (event["title"], time)


def test_names_are_unique_but_for_the_weekly_series() -> None:
    records = demo.records(DAYS[0])
    fields = {"categories": "name", "tags": "name", "venues": "venue", "organizers": "organizer"}
    titles = Counter(event["title"] for event in records.events)
    starts = [event["start_date"] for event in records.events if event["title"] == SERIES]

    for plural, name in fields.items():
        names = [payload[name].casefold() for payload in getattr(records, plural)]
        assert len(names) == len(set(names)), plural
    assert {title: count for title, count in titles.items() if count > 1} == {SERIES: 6}
    assert starts[:2] + starts[-1:] == ["2028-02-29 19:00:00", "2028-03-07 19:00:00", "2028-04-04 19:00:00"]


def test_events_refer_only_to_declared_records_and_use_all_of_them() -> None:
    records = demo.records(DAYS[0])
    known: list[str] = []
    for category in records.categories:
        assert category.get("parent") in [None, *known]
        known.append(category["name"])
    used: dict[str, set[str]] = {"categories": set(), "tags": set(), "venue": set(), "organizer": set()}
    for event in records.events:
        for field, names in used.items():
            linked = event.get(field, [])
            linked = linked if isinstance(linked, list) else [linked]
            names |= {one if isinstance(one, str) else one[field] for one in linked}

    assert used == {
        "categories": set(known), "tags": {tag["name"] for tag in records.tags},
        "venue": {venue["venue"] for venue in records.venues},
        "organizer": {organizer["organizer"] for organizer in records.organizers},
    }  # fmt: skip


def test_sub_events_follow_their_parent_and_lie_within_it() -> None:
    events = demo.records(DAYS[0]).events
    (parent,) = [event for event in events if "slug" in event]
    children = [event for event in events if "post_parent" in event]

    assert [child["post_parent"] for child in children] == [parent["slug"]] * 2
    assert events.index(parent) < min(events.index(child) for child in children)
    assert all(parent["start_date"] <= child["start_date"] <= parent["end_date"] for child in children)


def test_domains_are_example_org_only() -> None:
    text = json.dumps(asdict(demo.records(DAYS[0])), ensure_ascii=False)

    assert set(re.findall(r'(?://|@)([^/?#"\\<>\s]*)', text)) == {"example.org"}
    assert re.findall(r"www\.|http:", text) == []


@pytest.mark.parametrize(
    ("offset", "day"),
    [
        ("+0d", "2027-03-28"), ("-20d", "2027-03-08"), ("sun", "2027-03-28"), ("sat", "2027-04-03"),
        ("sat-1w", "2027-03-27"), ("fri+2w+1d", "2027-04-17"),
    ],
)  # fmt: skip
def test_named_day_counts_from_today(offset: str, day: str) -> None:
    assert str(demo.named_day(offset, datetime.date(2027, 3, 28))) == day
