"""The demo's records hold together, whatever the day."""

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


def instant(event: dict[str, Any], field: str) -> datetime.datetime:
    return wall_time(event, field).astimezone(datetime.UTC)


def days_ahead(event: dict[str, Any], field: str, today: datetime.date) -> int:
    return (wall_time(event, field).date() - today).days


def event_titled(title: str, today: datetime.date) -> dict[str, Any]:
    (event,) = [event for event in demo.records(today).events if event["title"] == title]
    return event


def test_records_counts() -> None:
    records = demo.records(DAYS[0])

    counts = {field: len(payloads) for field, payloads in asdict(records).items()}

    assert counts == {"categories": 9, "tags": 8, "venues": 11, "organizers": 6, "events": 60}


@pytest.mark.parametrize("today", DAYS)
def test_records_on_the_same_day_are_equal_and_independent(today: datetime.date) -> None:
    first, second = demo.records(today), demo.records(today)
    first_text = json.dumps(asdict(first))

    second.events[0]["title"] = "Changed"
    second.venues.clear()

    assert json.dumps(asdict(first)) == first_text
    assert demo.records(today) == first


def test_series_events_share_no_objects() -> None:
    first, second, *_ = [event for event in demo.records(DAYS[0]).events if event["title"] == SERIES]

    first["tags"].append("changed")

    assert second["tags"] == ["vinyl", "open mic"]


def test_statuses_every_one_is_present() -> None:
    today = DAYS[0]
    events = demo.records(today).events

    statuses = Counter(
        "future" if "date" in event and days_ahead(event, "date", today) > 1 else event["status"]
        for event in events
    )

    assert statuses == {"publish": 54, "future": 2, "draft": 1, "pending": 1, "private": 1, "trash": 1}


def test_flags_are_on_few_events() -> None:
    events = demo.records(DAYS[0]).events

    assert [event["password"] for event in events if "password" in event] == ["lantern"]
    assert sum(event.get("sticky", False) for event in events) == 1
    assert sum(event.get("hide_from_listings", False) for event in events) == 1
    assert sum(event.get("featured", False) for event in events) == 6
    assert sum(len(event.get("organizer", [])) == 2 for event in events) == 7


def test_costs_of_every_kind() -> None:
    costs = {event.get("cost") for event in demo.records(DAYS[0]).events}

    assert costs >= {None, "Free", "0", 10, "12", "€15", "20 €", "10-20", "€8 - €14", "Donation", "$25.50"}
    assert costs >= {"7,50 €", "¥2,500", "$1,234.56", "1.234,56 €"}


def test_time_zones_all_load() -> None:
    zones = {event["timezone"] for event in demo.records(DAYS[0]).events}

    offsets = {name: f"{datetime.datetime(2027, 1, 15, tzinfo=zone(name)):%z}" for name in zones}

    assert offsets == {
        "America/New_York": "-0500",
        "Asia/Tokyo": "+0900",
        "Europe/Athens": "+0200",
        "Europe/Berlin": "+0100",
        "Europe/Lisbon": "+0000",
        "Europe/Paris": "+0100",
        "Pacific/Auckland": "+1300",
        "Pacific/Honolulu": "-1000",
        "UTC": "+0000",
        "UTC+5:30": "+0530",
    }


@given(ANY_DAY)
@example(DAYS[0])
@example(DAYS[1])
@example(DAYS[2])
def test_dates_on_any_day_are_ordered_and_within_a_year(today: datetime.date) -> None:
    for event in demo.records(today).events:
        assert instant(event, "start_date") < instant(event, "end_date"), event["title"]
        assert -20 <= days_ahead(event, "start_date", today) <= 340, event["title"]


@given(ANY_DAY)
@example(DAYS[0])
@example(DAYS[1])
@example(DAYS[2])
def test_dates_on_any_day_name_one_instant_each(today: datetime.date) -> None:
    for event in demo.records(today).events:
        for field in ("start_date", "end_date"):
            time = wall_time(event, field)

            assert time.utcoffset() == time.replace(fold=1).utcoffset(), (event["title"], event[field])


@pytest.mark.parametrize("today", DAYS)
def test_events_are_mostly_in_the_next_eight_weeks(today: datetime.date) -> None:
    events = demo.records(today).events

    soon = [event for event in events if 0 <= days_ahead(event, "start_date", today) < 56]
    past = [event for event in events if days_ahead(event, "end_date", today) < 0]

    assert len(soon) == 45
    assert len(past) == 7


@pytest.mark.parametrize("today", DAYS)
def test_events_running_all_day_long_today(today: datetime.date) -> None:
    events = demo.records(today).events

    running = [
        event["title"]
        for event in events
        if days_ahead(event, "start_date", today) < 0 < days_ahead(event, "end_date", today)
    ]

    assert running == [
        "One Roof, Two Barns: Building Week",
        "Moorlicht Open Studios",
        "48 Hours of Twin Town Radio",
    ]


def test_all_day_events_last_whole_days() -> None:
    events = [event for event in demo.records(DAYS[0]).events if event.get("all_day")]

    times = {(event["start_date"][11:], event["end_date"][11:]) for event in events}
    nights = [
        (wall_time(event, "end_date").date() - wall_time(event, "start_date").date()).days for event in events
    ]

    assert times == {("00:00:00", "23:59:59")}
    assert sorted(nights) == [0, 2, 3, 4, 6]


@pytest.mark.parametrize(("today", "tomorrow"), [("2028-02-29", "2028-03-01"), ("2026-12-31", "2027-01-01")])
def test_night_event_ends_on_the_day_after(today: str, tomorrow: str) -> None:
    event = event_titled("Bass for Wading Birds", datetime.date.fromisoformat(today))

    assert (event["start_date"], event["end_date"]) == (f"{today} 22:00:00", f"{tomorrow} 05:30:00")


def test_night_event_across_a_clock_change_is_an_hour_shorter() -> None:
    event = event_titled("Last Tram Techno", datetime.date(2027, 3, 28))

    assert (event["start_date"], event["end_date"]) == ("2027-03-27 22:30:00", "2027-03-28 05:00:00")
    assert instant(event, "end_date") - instant(event, "start_date") == datetime.timedelta(
        hours=5, minutes=30
    )


def test_weekly_series_is_the_only_repeated_title() -> None:
    events = demo.records(DAYS[0]).events

    repeated = {title: count for title, count in Counter(e["title"] for e in events).items() if count > 1}
    starts = [event["start_date"] for event in events if event["title"] == SERIES]

    assert repeated == {SERIES: 6}
    assert starts[:2] + starts[-1:] == ["2028-02-29 19:00:00", "2028-03-07 19:00:00", "2028-04-04 19:00:00"]


def test_names_are_unique() -> None:
    records = demo.records(DAYS[0])

    names = (
        [("category", category["name"].casefold()) for category in records.categories]
        + [("tag", tag["name"].casefold()) for tag in records.tags]
        + [("venue", venue["venue"].casefold()) for venue in records.venues]
        + [("organizer", organizer["organizer"].casefold()) for organizer in records.organizers]
    )

    assert Counter(names).most_common(1)[0][1] == 1


def test_categories_follow_their_parents() -> None:
    seen: list[str] = []

    for category in demo.records(DAYS[0]).categories:
        assert category.get("parent") in [None, *seen]
        seen.append(category["name"])

    assert "Techno & house" in seen


def test_events_refer_only_to_declared_records() -> None:
    records = demo.records(DAYS[0])
    events = records.events

    categories = {name for event in events for name in event.get("categories", [])}
    tags = {name for event in events for name in event.get("tags", [])}
    venues = [event["venue"] for event in events if "venue" in event]
    organizers = [organizer for event in events for organizer in event.get("organizer", [])]

    assert categories == {category["name"] for category in records.categories}
    assert tags == {tag["name"] for tag in records.tags}
    assert {tuple(v.items()) for v in venues} == {(("venue", v["venue"]),) for v in records.venues}
    assert {tuple(o.items()) for o in organizers} == {
        (("organizer", o["organizer"]),) for o in records.organizers
    }


def test_sub_events_follow_their_parent_and_lie_within_it() -> None:
    events = demo.records(DAYS[0]).events
    slugs = [event.get("slug") for event in events]
    (parent,) = [event for event in events if "slug" in event]

    children = [event for event in events if "post_parent" in event]

    assert [child["post_parent"] for child in children] == ["lantern-weekend", "lantern-weekend"]
    assert slugs.index("lantern-weekend") < min(events.index(child) for child in children)
    assert all(parent["start_date"] <= child["start_date"] <= parent["end_date"] for child in children)


def test_venues_have_both_coordinates_or_neither() -> None:
    venues = demo.records(DAYS[0]).venues

    unplaced = [venue["venue"] for venue in venues if "geo_lat" not in venue and "geo_lng" not in venue]
    placed = [venue for venue in venues if "geo_lat" in venue and "geo_lng" in venue]

    assert unplaced == ["Torfscheune Sieben", "Moorlicht Online"]
    assert len(placed) == 9
    assert all(-90 <= venue["geo_lat"] <= 90 and -180 <= venue["geo_lng"] <= 180 for venue in placed)


def test_domains_are_example_org_only() -> None:
    text = json.dumps(asdict(demo.records(DAYS[0])), ensure_ascii=False)

    hosts = re.findall(r'(?://|@)([^/?#"\\<>\s]*)', text)

    assert set(hosts) == {"example.org"}
    assert re.findall(r"www\.|http:", text) == []


@pytest.mark.parametrize(
    ("offset", "day"),
    [
        ("+0d", datetime.date(2027, 3, 28)),
        ("-20d", datetime.date(2027, 3, 8)),
        ("sun", datetime.date(2027, 3, 28)),
        ("sat", datetime.date(2027, 4, 3)),
        ("sat-1w", datetime.date(2027, 3, 27)),
        ("fri+2w+1d", datetime.date(2027, 4, 17)),
    ],
)
def test_named_day_counts_from_today(offset: str, day: datetime.date) -> None:
    assert demo.named_day(offset, datetime.date(2027, 3, 28)) == day


def test_named_day_unknown_spelling_is_refused() -> None:
    with pytest.raises(ValueError, match="“tomorrow” is not a day like"):
        demo.named_day("tomorrow", datetime.date(2027, 3, 28))
