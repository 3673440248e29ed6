"""The six date filters of the event list as moments: default window, whole days, the zone of the site."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from functools import lru_cache

from peewee import Expression, Field

from calendar_api.database.models import Event
from calendar_api.domain import dates
from calendar_api.domain.auth import Caller
from calendar_api.store.publishable import moment
from calendar_api.store.visibility import Params

DATE_FILTERS = ("start_date", "end_date", "starts_before", "starts_after", "ends_before", "ends_after")
_RELATIVE = DATE_FILTERS[2:]
_AFTER, _BEFORE = ("start_date", "starts_after"), ("end_date", "starts_before", "ends_before")
_ABSOLUTE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?", re.ASCII)


def bounds(query: Params, zone: tzinfo, caller: Caller) -> dict[str, datetime]:
    """The date filters as aware moments in the zone of the site (docs/interface.md#date-filters).

    `include` disables all of them (docs/interface.md#event-filters). Without any of the four relative filters
    the default window applies; without `strict_dates` each value means a whole day. Raises InvalidParameters.
    """
    if "include" in query:
        return {}
    given = tuple((name, query[name]) for name in DATE_FILTERS if name in query)
    return dict(_moments(given, strict(query), zone, caller.now))


@lru_cache(maxsize=64)
def _moments(
    texts: tuple[tuple[str, str | int], ...], strict: bool, zone: tzinfo, now: str
) -> Mapping[str, datetime]:
    """Cached, because a list needs it twice: for its query and for the filters in its links."""
    caller = Caller(now)
    given = {name: moment(name, value, zone, caller, dates.parse_filter) for name, value in texts}
    if not any(name in given for name in _RELATIVE):
        start, end = dates.default_window(caller.at, zone)
        given = {"start_date": start, "end_date": end, **given}
    if strict:
        return given
    return {
        name: dates.day_start(at) if name == "start_date" else dates.day_end(at) for name, at in given.items()
    }


def strict(query: Params) -> bool:
    return str(query.get("strict_dates", "false")).lower() in ("true", "1", "yes", "on")


def absolute(query: Params) -> bool:
    """Whether the dates mean the same at any time of the day: no word such as "now"."""
    given = [query[name] for name in DATE_FILTERS if name in query]
    if not all(isinstance(value, str) and _ABSOLUTE.fullmatch(value) for value in given):
        return False
    by_default = not any(name in query for name in _RELATIVE)
    return not (strict(query) and by_default and len(given) < 2) or "include" in query


def clauses(filters: dict[str, datetime], start: Field = Event.utc_start_date) -> list[Expression]:
    """Compare instants in UTC. `start_date` and `end_date` include the moment, the others do not.

    `start` is the column that holds the start of an event.
    """
    compared = {
        "end_date": lambda at: Event.utc_end_date <= at,
        "ends_before": lambda at: Event.utc_end_date < at,
        "ends_after": lambda at: Event.utc_end_date > at,
    }
    instants = _instants(filters)
    ends = [compared[name](instants[name]) for name in compared if name in filters]
    return [*starts(filters, start), *ends]


def starts(filters: dict[str, datetime], start: Field) -> list[Expression]:
    """Conditions on `start` with at most one bound on each side, so that an index on it is a range.

    An event that ends before a moment has also started before it.
    """
    instants = _instants(filters)
    after = [(instants[name], name == "starts_after") for name in _AFTER if name in filters]
    before = [(instants[name], name == "end_date") for name in _BEFORE if name in filters]
    # Always true without a filter; SQLite prefers the index for which the query has a range.
    instant, strictly = max(after, default=("", False))
    found = [start > instant if strictly else start >= instant]
    if before:
        instant, inclusive = min(before)
        found.append(start <= instant if inclusive else start < instant)
    return found


def bounded(filters: dict[str, datetime]) -> bool:
    """Whether the starts have a bound on both sides."""
    return any(name in filters for name in _AFTER) and any(name in filters for name in _BEFORE)


def _instants(filters: dict[str, datetime]) -> dict[str, str]:
    return {name: dates.text(at.astimezone(UTC)) for name, at in filters.items()}
