"""Events as lists return them, made without a database, and feeds: what the tests of feeds are given."""

import itertools
from datetime import datetime
from typing import Any

from calendar_api.domain import time_zones
from calendar_api.domain.text import escape
from calendar_api.domain.translation import translator
from calendar_api.representations.feed import Feed

Json = dict[str, Any]

SITE = "https://cal.example.test"


def venue(**fields: Any) -> Json:
    return {
        "id": 7, "status": "publish", "url": f"{SITE}/venue/town-hall/", "venue": "Town hall",
        "slug": "town-hall", "show_map": True, "show_map_link": True, **fields,
    }  # fmt: skip


def organizer(**fields: Any) -> Json:
    return {
        "id": 9, "status": "publish", "url": f"{SITE}/organizer/ann/", "organizer": "Ann", "slug": "ann",
        **fields,
    }  # fmt: skip


def term(name: str) -> Json:
    return {"id": 3, "name": escape(name), "slug": "music"}


def image(address: str = f"{SITE}/poster.jpg?a=1&b=2", extension: str = "jpg") -> Json:
    return {"url": address, "id": 5, "extension": extension}


def event(**fields: Any) -> Json:
    """An event on Sunday, 22 November 2026, in Berlin, without anything that may be left out."""
    return {
        "id": 12, "uid": "0d7f3c1a-43a5-4a3e-9b0b-d2a5b6c7d8e9", "sequence": 0, "parent_uid": "",
        "event_status": "scheduled", "event_status_reason": "",
        "status": "publish", "date": "2026-11-01 09:30:00", "date_utc": "2026-11-01 08:30:00",
        "modified": "2026-11-02 09:30:00", "modified_utc": "2026-11-02 08:30:00",
        "url": f"{SITE}/event/open-day/", "title": "Open day", "description": "", "excerpt": "",
        "slug": "open-day", "image": False, "all_day": False,
        "start_date": "2026-11-22 10:00:00", "end_date": "2026-11-22 16:00:00",
        "utc_start_date": "2026-11-22 09:00:00", "utc_end_date": "2026-11-22 15:00:00",
        "timezone": "Europe/Berlin", "cost": "", "website": f"{SITE}/event/open-day/",
        "cost_details": {"currency_symbol": "", "currency_code": "", "currency_position": "", "values": []},
        "show_map": True, "show_map_link": False, "hide_from_listings": False, "sticky": False,
        "featured": True, "categories": [], "tags": [], "venue": [], "organizer": [], "post_parent": 0,
        "ticketed": False, **fields,
    }  # fmt: skip


def masked() -> Json:
    """An event that a password protects, for a reader without it."""
    return event(
        title="Secret party", website="", event_status_reason="",
        **dict.fromkeys(
            ("all_day", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured",
             "post_parent", "ticketed")
        ),
    )  # fmt: skip


def all_day(**fields: Any) -> Json:
    """An event of two days in Berlin."""
    return event(
        all_day=True, start_date="2026-11-22 00:00:00", end_date="2026-11-23 23:59:59",
        utc_start_date="2026-11-21 23:00:00", utc_end_date="2026-11-23 22:59:59", **fields,
    )  # fmt: skip


def feed(language: str = "en", **fields: Any) -> Feed:
    values = {
        "name": "Ulm & around: Music", "description": "What is on", "timezone": "Europe/Berlin",
        "self_url": f"{SITE}/events.rss?search=a&page=2", "page_url": f"{SITE}/events/?search=a&page=2",
        "json_url": f"{SITE}/v1/events?search=a", "language": language, "translate": translator(language),
    }  # fmt: skip
    return Feed(**{**values, **fields})


_numbers = itertools.count(1)


def numbered(**fields: Any) -> Json:
    """An event with a name and an address of its own, from 10 to 12 in UTC."""
    number = next(_numbers)
    start, end = (
        fields.get(name, f"2031-05-01 {hour}:00:00") for name, hour in (("start_date", 10), ("end_date", 12))
    )
    return event(
        **{
            "uid": f"{number:08}-0000-4000-8000-000000000000", "title": f"Event {number}", "timezone": "UTC",
            "date_utc": "2031-01-01 08:00:00", "modified_utc": "2031-01-02 09:30:15",
            "url": f"{SITE}/event/e{number}/", "website": f"{SITE}/event/e{number}/",
            "start_date": start, "end_date": end, "utc_start_date": start, "utc_end_date": end, **fields,
        }
    )  # fmt: skip


def between(start: datetime, end: datetime, zone: str) -> Json:
    """An event between two instants, with wall times of a zone."""
    local = [f"{moment.astimezone(time_zones.named(zone)):%Y-%m-%d %H:%M:%S}" for moment in (start, end)]
    utc = [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in (start, end)]
    return numbered(
        start_date=local[0], end_date=local[1], utc_start_date=utc[0], utc_end_date=utc[1], timezone=zone
    )
