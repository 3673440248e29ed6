"""Events as lists have them, made without a database, and the feed that they are in."""

import itertools
from datetime import datetime
from typing import Any

from calendar_api.domain import time_zones
from calendar_api.representations.feed import Feed

Json = dict[str, Any]
SITE = "https://calendar.example.org"
FEED = Feed(
    name="Town: Music, Art; Film", description="All, always", self_url=f"{SITE}/events.ics",
    page_url=f"{SITE}/events/",
    json_url=f"{SITE}/calendar/events/v1/events", timezone="Europe/Berlin", language="en", translate=str,
)  # fmt: skip

_numbers = itertools.count(1)


def record(**fields: Any) -> Json:
    """An event as lists have it, from 10 to 12 in UTC."""
    number = next(_numbers)
    return {
        "uid": f"{number:08}-0000-4000-8000-000000000000",
        "sequence": 0,
        "parent_uid": "",
        "status": "publish",
        "event_status": "scheduled",
        "event_status_reason": "",
        "date_utc": "2031-01-01 08:00:00",
        "modified_utc": "2031-01-02 09:30:15",
        "url": f"{SITE}/event/e{number}/",
        "website": f"{SITE}/event/e{number}/",
        "title": f"Event {number}",
        "description": "",
        "image": False,
        "all_day": False,
        "start_date": "2031-05-01 10:00:00",
        "end_date": "2031-05-01 12:00:00",
        "utc_start_date": fields.get("start_date", "2031-05-01 10:00:00"),
        "utc_end_date": fields.get("end_date", "2031-05-01 12:00:00"),
        "timezone": "UTC",
        "categories": [],
        "tags": [],
        "venue": [],
        "organizer": [],
        **fields,
    }


def between(start: datetime, end: datetime, zone: str) -> Json:
    """An event between two instants, with wall times of a zone."""
    local = [f"{moment.astimezone(time_zones.named(zone)):%Y-%m-%d %H:%M:%S}" for moment in (start, end)]
    utc = [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in (start, end)]
    return record(
        start_date=local[0], end_date=local[1], utc_start_date=utc[0], utc_end_date=utc[1], timezone=zone
    )
