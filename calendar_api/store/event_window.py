"""The six date filters of the event list as moments: defaults, whole days, the zone of the site (pure)."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Any

from calendar_api import dates
from calendar_api.auth import Caller
from calendar_api.models import Event
from calendar_api.store.records import moment

DATE_FILTERS = ("start_date", "end_date", "starts_before", "starts_after", "ends_before", "ends_after")
_RELATIVE = DATE_FILTERS[2:]
_ABSOLUTE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?", re.ASCII)


def moments(query: dict[str, Any], zone: tzinfo, caller: Caller) -> dict[str, datetime]:
    """What each date filter means, as an aware moment in the zone of the site (contract §3.2).

    `include` switches all of them off (decisions §3.1). Without any of the four relative filters the
    default window applies; without `strict_dates` each value stands for a whole day.
    """
    if "include" in query:
        return {}
    written = tuple((name, query[name]) for name in DATE_FILTERS if name in query)
    return dict(_moments(written, strict(query), zone, caller.now))


@lru_cache(maxsize=64)
def _moments(
    written: tuple[tuple[str, str | int], ...], strict: bool, zone: tzinfo, now: str
) -> Mapping[str, datetime]:
    """Remembered, because a list asks twice: to find events, and to say which filters were in effect."""
    caller = Caller(now)
    given = {name: moment(name, value, zone, caller) for name, value in written}
    if not any(name in given for name in _RELATIVE):
        start, end = dates.default_window(caller.at, zone)
        given = {"start_date": start, "end_date": end, **given}
    if strict:
        return given
    return {
        name: dates.day_start(at) if name == "start_date" else dates.day_end(at) for name, at in given.items()
    }


def strict(query: dict[str, Any]) -> bool:
    return str(query.get("strict_dates", "false")).lower() in ("true", "1", "yes", "on")


def absolute(query: dict[str, Any]) -> bool:
    """Whether the dates mean the same all day long: no words such as "now", no default of this second."""
    given = [query[name] for name in DATE_FILTERS if name in query]
    if not all(isinstance(value, str) and _ABSOLUTE.fullmatch(value) for value in given):
        return False
    by_default = not any(name in query for name in _RELATIVE)
    return not (strict(query) and by_default and len(given) < 2) or "include" in query


def clauses(filters: dict[str, datetime], start: Any = Event.utc_start_date) -> list[Any]:
    """Instants are compared, in UTC; `start_date` and `end_date` include the moment, the others do not.

    `start` is the column that holds the start of an event.
    """
    compared = {
        "start_date": lambda at: start >= at,
        "end_date": lambda at: Event.utc_end_date <= at,
        "starts_before": lambda at: start < at,
        "starts_after": lambda at: start > at,
        "ends_before": lambda at: Event.utc_end_date < at,
        "ends_after": lambda at: Event.utc_end_date > at,
    }
    return [compared[name](dates.text(at.astimezone(UTC))) for name, at in filters.items()]
