"""The six date filters of the event list as moments: defaults, whole days, the zone of the site (pure)."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Any

from peewee import SQL, fn

from calendar_api.database.models import Event
from calendar_api.domain import dates
from calendar_api.domain.auth import Caller
from calendar_api.store import query_hints
from calendar_api.store.publishable import moment

DATE_FILTERS = ("start_date", "end_date", "starts_before", "starts_after", "ends_before", "ends_after")
_RELATIVE = DATE_FILTERS[2:]
_AFTER, _BEFORE = ("start_date", "starts_after"), ("end_date", "starts_before", "ends_before")
_ABSOLUTE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?", re.ASCII)


def _part(date: Any, first: int, length: int) -> Any:
    return fn.SUBSTR(date, SQL(str(first)), SQL(str(length)))


_start, _end = Event.utc_start_date, Event.utc_end_date
#: As the index `event_months_gone_on` has them: which events go on over the end of a month, and of how many.
_over_months = _part(_start, 1, 7) != _part(_end, 1, 7)
_years, _months = _part(_end, 1, 4) - _part(_start, 1, 4), _part(_end, 6, 2) - _part(_start, 6, 2)
_months_gone_on = SQL("12") * _years + _months
_SOME_MONTHS = tuple(range(2, 8))


def bounds(query: dict[str, Any], zone: tzinfo, caller: Caller) -> dict[str, datetime]:
    """What each date filter means, as an aware moment in the zone of the site
    (docs/interface.md#date-filters).

    `include` switches all of them off (docs/interface.md#event-filters). Without any of the four relative
    filters the default window applies; without `strict_dates` each value stands for a whole day.
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
    given = {name: moment(name, value, zone, caller, dates.parse_filter) for name, value in written}
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


def clauses(filters: dict[str, datetime], start: Any = Event.utc_start_date, since: Any = None) -> list[Any]:
    """Instants are compared, in UTC; `start_date` and `end_date` include the moment, the others do not.

    `start` is the column that holds the start of an event, and `since` a start from which on to look, in the
    place of the first one that the filters let through.
    """
    compared = {
        "end_date": lambda at: Event.utc_end_date <= at,
        "ends_before": lambda at: Event.utc_end_date < at,
        "ends_after": lambda at: Event.utc_end_date > at,
    }
    instants = _instants(filters)
    ends = [compared[name](instants[name]) for name in compared if name in filters]
    return [*starts(filters, start, since), *ends]


def starts(filters: dict[str, datetime], start: Any, since: Any = None) -> list[Any]:
    """What the filters say of this column, which holds starts of events, with one bound on each side.

    What ends before a moment has begun before it: an index in the order of starts is read no further.
    """
    instants = _instants(filters)
    after = [(instants[name], name == "starts_after") for name in _AFTER if name in filters]
    before = [(instants[name], name == "end_date") for name in _BEFORE if name in filters]
    # Nothing is before "": SQLite prefers an index of which a range is asked for, and this is the one.
    instant, strictly = max(after, default=("", False))
    if since is not None:
        instant, strictly = since, False
    found = [start > instant if strictly else start >= instant]
    if before:
        instant, inclusive = min(before)
        found.append(start <= instant if inclusive else start < instant)
    return found


def parts(filters: dict[str, datetime]) -> list[list[Any]]:
    """The clauses for events that are still on after a moment, in parts to be looked for apart; or [].

    They began in its month or later, or are among the few that go on over the end of a month: otherwise each
    event that ever began would be asked for its end. Of those few most end in the next month, nearly all of
    them within some months, and so began no longer before.
    """
    if "ends_after" not in filters:
        return []
    after = filters["ends_after"].astimezone(UTC)
    month = after.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    if any(filters[name] >= month for name in _AFTER if name in filters):
        return []
    few = (
        (_months_gone_on == 1) & (_start >= _months_before(month, 1)),
        _months_gone_on.in_(_SOME_MONTHS) & (_start >= _months_before(month, _SOME_MONTHS[-1])),
        _months_gone_on > _SOME_MONTHS[-1],
    )
    began_before = [
        [*clauses(filters), query_hints.leading(_over_months & one & (_start < dates.text(month)))]
        for one in few
    ]
    return [clauses({**filters, "start_date": month}), *began_before]


def _months_before(month: datetime, number: int) -> str:
    """The first of the month that lies so many before this one, in text form."""
    months = month.year * 12 + month.month - 1 - number
    return f"{months // 12:04}-{months % 12 + 1:02}-01 00:00:00"


def bounded(filters: dict[str, datetime]) -> bool:
    """Whether the starts lie between two moments."""
    return any(name in filters for name in _AFTER) and any(name in filters for name in _BEFORE)


def _instants(filters: dict[str, datetime]) -> dict[str, str]:
    return {name: dates.text(at.astimezone(UTC)) for name, at in filters.items()}
