"""The records that a demo server starts with: an invented small town, its clubs and its twin towns."""

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
    """Create payloads, to be stored in the order of the fields and, inside a field, in the order of the list.

    Two references are left to the caller, because ids are known only after storing: `parent` of a category is
    the name of an earlier category, and `post_parent` of an event the slug of an earlier event; both must be
    replaced by the id. Everything else is ready to be posted by somebody who may publish, create terms and
    set passwords. Events name their venue and organizers in nested objects with nothing but the name;
    duplicate avoidance (docs/interface.md#duplicates) links them to the records stored before.
    """

    categories: list[Payload]
    tags: list[Payload]
    venues: list[Payload]
    organizers: list[Payload]
    events: list[Payload]


def records(today: datetime.date) -> Records:
    """Return the demo's records with their dates arranged around `today`.

    Dates are wall times `YYYY-MM-DD HH:MM:SS` in the event's own `timezone`, from 20 days before `today` to
    about 11 months after it. An event that is to be `future` is a published one whose `date` lies ahead
    (docs/interface.md#scheduled-records). The same day gives equal records, in new objects that the caller
    may change.
    """
    source = importlib.resources.files("calendar_api.commands").joinpath("demo_events.json")
    table = json.loads(source.read_text(encoding="utf-8"))
    return Records(
        categories=table["categories"],
        tags=table["tags"],
        venues=table["venues"],
        organizers=table["organizers"],
        events=[event for row in table["events"] for event in _series(row, today)],
    )


def _series(row: Payload, today: datetime.date) -> list[Payload]:
    """Return the events of one row: one, or one for each of its `weeks`."""
    return [_event(row, today + datetime.timedelta(weeks=week)) for week in range(row.get("weeks", 1))]


def _event(row: Payload, today: datetime.date) -> Payload:
    """Return the payload of a row: its schedule as dates, every other key as it stands.

    The schedule is `day` (see `named_day`), `nights` until the last day, `from` and `to` (the whole day
    without them), and `published`, the day of the publication date. The table keeps clear of 01:00 to 03:59,
    so that no time falls into the hour that a change of the clocks skips or repeats.
    """
    first = named_day(row["day"], today)
    last = first + datetime.timedelta(days=row.get("nights", 0))
    payload: Payload = {"status": "publish"}
    payload |= {key: copy.deepcopy(value) for key, value in row.items() if key not in SCHEDULE}
    payload["start_date"] = f"{first} {row.get('from', '00:00')}:00"
    payload["end_date"] = f"{last} {row['to']}:00" if "to" in row else f"{last} 23:59:59"
    if "published" in row:
        payload["date"] = f"{named_day(row['published'], today)} 09:00:00"
    # A created event shows no map unless it asks for one, and a demo is there to be looked at.
    if "venue" in row:
        payload |= {"show_map": True, "show_map_link": True}
    return payload


def named_day(offset: str, today: datetime.date) -> datetime.date:
    """Return the day that `offset` names: `+5d`, `fri` (the first from today on), `fri+2w`, `fri+2w+1d`.

    Raise ValueError for any other spelling.
    """
    match = DAY.fullmatch(offset)
    if match is None:
        raise ValueError(f"“{offset}” is not a day like “+5d”, “fri” or “fri+2w+1d”")
    weekday, weeks, days = match.groups()
    ahead = (WEEKDAYS.index(weekday) - today.weekday()) % 7 if weekday else 0
    return today + datetime.timedelta(weeks=int(weeks or 0), days=ahead + int(days or 0))
