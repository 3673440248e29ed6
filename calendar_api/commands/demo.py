"""Demo records: an invented small town, its clubs and its twin towns."""

import copy
import datetime
import importlib.resources
import json
import re
from dataclasses import dataclass
from typing import Any

Payload = dict[str, Any]

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY = re.compile(rf"({'|'.join(WEEKDAYS)})?(?:([+-]\d+)w)?(?:([+-]\d+)d)?")
SCHEDULE = frozenset({"day", "nights", "from", "to", "weeks", "published"})


@dataclass(frozen=True)
class Records:
    """Payloads of POST requests, to be stored in the order of the fields and of each list.

    Replace two references by ids after storing: `parent` of a category is the name of an earlier category,
    `post_parent` of an event is the slug of an earlier event. Events name venues and organizers by nested
    objects with only a name; duplicate avoidance (docs/interface.md#duplicates) links them to the records
    stored before. Storing everything needs the rights of an administrator.
    """

    categories: list[Payload]
    tags: list[Payload]
    venues: list[Payload]
    organizers: list[Payload]
    events: list[Payload]


def records(today: datetime.date) -> Records:
    """Return the demo records with dates from 20 days before `today` to about 11 months after it.

    Dates are wall times `YYYY-MM-DD HH:MM:SS` in the event's own `timezone`. Scheduled events have the status
    `publish` and a `date` in the future (docs/interface.md#scheduled-records). Each call returns new objects,
    equal for the same day.
    """
    source = importlib.resources.files("calendar_api.commands").joinpath("demo_events.json")
    table = json.loads(source.read_text(encoding="utf-8"))
    events = [
        _event(row, today + datetime.timedelta(weeks=week))
        for row in table.pop("events")
        for week in range(row.get("weeks", 1))
    ]
    return Records(**table, events=events)


def _event(row: Payload, today: datetime.date) -> Payload:
    """Return the payload of a row: its schedule as dates, other keys unchanged.

    The schedule: `weeks` (number of weekly events), `day` (see `named_day`), `nights` until the last day,
    `from` and `to` (all day without them), `published` (day of the publication date). No row uses a time from
    01:00 to 03:59, because a clock change may skip or repeat it.
    """
    first = named_day(row["day"], today)
    last = first + datetime.timedelta(days=row.get("nights", 0))
    payload: Payload = {"status": "publish"}
    payload |= {key: copy.deepcopy(value) for key, value in row.items() if key not in SCHEDULE}
    payload["start_date"] = f"{first} {row.get('from', '00:00')}:00"
    payload["end_date"] = f"{last} {row['to']}:00" if "to" in row else f"{last} 23:59:59"
    if "published" in row:
        payload["date"] = f"{named_day(row['published'], today)} 09:00:00"
    if "venue" in row:
        payload |= {"show_map": True, "show_map_link": True}  # the default is no map
    return payload


def named_day(offset: str, today: datetime.date) -> datetime.date:
    """Parse `+5d`, `fri` (today or the next Friday), `fri+2w`, `fri+2w+1d`. Raise ValueError otherwise."""
    match = DAY.fullmatch(offset)
    if match is None:
        raise ValueError(f"“{offset}” is not a day like “+5d”, “fri” or “fri+2w+1d”")
    weekday, weeks, days = match.groups()
    ahead = (WEEKDAYS.index(weekday) - today.weekday()) % 7 if weekday else 0
    return today + datetime.timedelta(weeks=int(weeks or 0), days=ahead + int(days or 0))
