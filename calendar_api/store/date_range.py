"""The six date filters of the event list as moments: default window, whole days, the zone of the site."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import TypeAlias

from peewee import OP, Expression, Field

from calendar_api.database.models import Event
from calendar_api.domain import dates
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters
from calendar_api.domain.translation import message
from calendar_api.store.compiled_queries import Param
from calendar_api.store.visibility import Params

DATE_FILTERS = ("start_date", "end_date", "starts_before", "starts_after", "ends_before", "ends_after")
_RELATIVE = DATE_FILTERS[2:]
_AFTER, _BEFORE = ("start_date", "starts_after"), ("end_date", "starts_before", "ends_before")
_ENDS = {"end_date": OP.LTE, "ends_before": OP.LT, "ends_after": OP.GT}
_ABSOLUTE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?", re.ASCII)

#: What is compared, "start" or "end", and how.
Comparison: TypeAlias = tuple[str, str]


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
    at = Caller(now).at
    given: dict[str, datetime] = {}
    for name, value in texts:
        try:
            given[name] = dates.parse_filter(value, zone, at)
        except ValueError as error:  # the schema has checked it in UTC, and in another zone it can differ
            problem = message("{name} {reason}.", name=name, reason=message(str(error)))
            raise InvalidParameters({name: problem}) from error
    if not any(name in given for name in _RELATIVE) and not {"start_date", "end_date"} <= given.keys():
        start, end = dates.default_window(at, zone)
        given = {"start_date": start, "end_date": end, **given}
    if strict:
        return given
    return {
        name: dates.day_start(at) if name == "start_date" else dates.day_end(at) for name, at in given.items()
    }


def in_links(query: Params, zone: tzinfo, caller: Caller) -> dict[str, str]:
    """The date filters as links repeat them: with an offset if the wall clock shows the same time twice."""
    return {
        name: dates.text(at)
        if at.utcoffset() == at.replace(fold=0).utcoffset()
        else at.isoformat(" ", "seconds")
        for name, at in bounds(query, zone, caller).items()
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


def comparisons(filters: Mapping[str, datetime]) -> dict[Comparison, str]:
    """The instants in UTC to compare with; `start_date` and `end_date` include the moment, others do not.

    The start has at most one bound on each side, so that an index on it is a range: an event that ends before
    a moment has also started before it. Its lower bound is always there, because SQLite prefers the index for
    which the query has a range.
    """
    instants = {name: dates.text(at.astimezone(UTC)) for name, at in filters.items()}
    after = [(instants[name], name == "starts_after") for name in _AFTER if name in filters]
    before = [(instants[name], name == "end_date") for name in _BEFORE if name in filters]
    first, excluded = max(after, default=("", False))
    found = {("start", OP.GT if excluded else OP.GTE): first}
    if before:
        last, included = min(before)
        found["start", OP.LTE if included else OP.LT] = last
    return found | {("end", compare): instants[name] for name, compare in _ENDS.items() if name in instants}


def clauses(
    compared: Sequence[Comparison], instants: Sequence[Param], start: Field = Event.utc_start_date
) -> list[Expression]:
    """The conditions of `comparisons`; `start` is the column that holds the start of an event."""
    columns = {"start": start, "end": Event.utc_end_date}
    return [
        Expression(columns[column], compare, instant)
        for (column, compare), instant in zip(compared, instants, strict=True)
    ]


def starts(compared: Sequence[Comparison], instants: Sequence[Param], start: Field) -> list[Expression]:
    """Those of the conditions that concern the start."""
    some = [pair for pair in zip(compared, instants, strict=True) if pair[0][0] == "start"]
    return clauses([pair[0] for pair in some], [pair[1] for pair in some], start)


def bounded(filters: Mapping[str, datetime]) -> bool:
    """Whether the starts have a bound on both sides."""
    return any(name in filters for name in _AFTER) and any(name in filters for name in _BEFORE)
