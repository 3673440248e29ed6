"""Lists of events: a query is understood, and made into statements that stay.

See docs/interface.md#list-envelope, #event-filters.
"""

from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import reduce
from typing import Any, Protocol

from peewee import JOIN, SQL

from calendar_api import database
from calendar_api.database.models import Event
from calendar_api.domain.auth import Caller
from calendar_api.domain.bounded_cache import BoundedCache
from calendar_api.domain.errors import InvalidParameters
from calendar_api.store import date_range, event_filters, query_hints
from calendar_api.store.compiled_queries import NOW, SINCE, UNTIL
from calendar_api.store.event_filters import Clauses, EventQuery
from calendar_api.store.paging import Listing, Marks, Page, Spread

#: What does not say which events are found; dates are there as moments.
_NO_FILTERS = frozenset({"page", "per_page", "password", "_fields", *date_range.DATE_FILTERS})
#: Filters that name records, or look for words in them.
_NAMING = frozenset({"search", "categories", "tags", "venue", "organizer", "post_parent"})
_listings: BoundedCache[Listing] = BoundedCache(4_000_000)
_MARKS = 15_000  # bytes that the marks of a list take, about


@dataclass(frozen=True)
class Counted:
    """How many events a list has, and where some of them are in it, if anybody has asked."""

    total: int
    marks: Marks | None


class Totals(Protocol):
    """A memory of what was counted, by shape."""

    def get(self, key: str) -> Counted | None: ...

    def put(self, key: str, value: Counted, size: int) -> None: ...


def search(query: dict[str, Any], caller: Caller, zone: tzinfo, totals: Totals | None = None) -> Page[int]:
    """A page of the ids of events in order of their UTC start, then id; raises InvalidParameters.

    `totals` remembers how many there are and where, for a caller without an account and as long as nothing
    changes.
    """
    return understood(query, caller, zone).page(query["page"], query["per_page"], caller.now, totals)


@dataclass(frozen=True)
class Understood:
    """A query that was checked; `shape` is the same for all that find the same."""

    listing: Listing
    shape: str

    def page(self, number: int, size: int, now: str, totals: Totals | None) -> Page[int]:
        if totals is None:
            return self.listing.page(number, size, self.listing.total(now), now)
        known = totals.get(self.shape)
        total = self.listing.total(now) if known is None else known.total
        marks = None if known is None else known.marks
        if marks is None and self.listing.far(number, size, total):
            marks = self.listing.marks(now, total)
        if known is None or marks is not known.marks:
            totals.put(self.shape, Counted(total, marks), len(self.shape) + (_MARKS if marks else 0))
        return self.listing.page(number, size, total, now, marks)


def understood(query: dict[str, Any], caller: Caller, zone: tzinfo) -> Understood:
    """Raises InvalidParameters."""
    asked = EventQuery(query, caller, zone)
    problems = event_filters.unknown(asked)
    if problems:
        raise InvalidParameters(problems)
    moments = date_range.bounds(query, zone, caller)
    shape = _shape(asked, moments)
    return Understood(_listing(asked, moments, shape), shape)


def stays_understood(query: dict[str, Any]) -> bool:
    """Whether writes change neither what the query means nor whether it may be asked."""
    return not _NAMING & query.keys()


def reads_texts(query: dict[str, Any]) -> bool:
    """Whether an event that is not in the list may come into it by its texts alone."""
    return "search" in query


def _shape(asked: EventQuery, moments: dict[str, datetime]) -> str:
    """The same for two queries that find the same, as long as nothing is written."""
    filters = {name: asked.query[name] for name in sorted(asked.query) if name not in _NO_FILTERS}
    terms = {name: sorted(ids) for name, ids in sorted(asked.terms.items())}
    return repr((database.db.param, asked.caller.shape, filters, terms, sorted(moments.items())))


def _listing(asked: EventQuery, moments: dict[str, datetime], shape: str) -> Listing:
    known = _listings.get(shape)
    if known is not None:
        return known
    lasting = replace(asked, caller=Caller(NOW, asked.caller.id, role=asked.caller.role))
    found = event_filters.by_index(lasting, moments)
    made = (None if found else _members(lasting, moments)) or _events(lasting, moments, found)
    if "search" not in asked.query:  # whose clauses are made of the texts that there are just now
        _listings.put(shape, made, 10 * len(shape) + 8000)
    return made


def _events(asked: EventQuery, moments: dict[str, datetime], found: Clauses) -> Listing:
    """The events in order, each looked at; or first all that one filter finds, then the others.

    How many those are is told by the total only where no other filter makes it smaller.
    """
    given, window = _given(asked), date_range.clauses(moments)
    order = (Event.utc_start_date, Event.id)

    def events(first: Clauses, window: list[Any] = window) -> Any:
        clauses = {**given, **first}
        return Event.select(Event.id, Event.utc_start_date).where(
            *query_hints.led([*clauses.values(), *window])
        )

    linked = {} if found else event_filters.by_links(asked, moments)
    few = found or (linked if given.keys() == linked.keys() | event_filters.ALWAYS else {})
    counted = found or linked or event_filters.by_reading(asked, moments)
    parts = date_range.parts(moments) if database.has_partial_indexes() and not counted else []
    if parts:
        return _together(parts, list(given.values()))
    spread = None
    if not counted and given.keys() <= event_filters.COVERED:
        since = date_range.clauses(moments, since=SINCE)
        spread = Spread(events({}, since), events({}, [*since, Event.utc_start_date < UNTIL]))
    return Listing(
        events({}), order, few=events(few) if few else None, counted=events(counted), spread=spread
    )


def _together(parts: list[list[Any]], clauses: list[Any]) -> Listing:
    """The events of all parts that meet these clauses."""
    each = [
        Event.select(Event.id, Event.utc_start_date).where(*query_hints.led([*part, *clauses]))
        for part in parts
    ]
    every = reduce(lambda one, other: one.union_all(other), each)
    return Listing(every, (SQL("2"), SQL("1")), counted=Event.select(Event.id).from_(every))


def _members(asked: EventQuery, moments: dict[str, datetime]) -> Listing | None:
    """The events of one term, venue or organizer, read in order from its links; None for other queries.

    Otherwise the database would sort all of them for each page, or look at all events of the window.
    """
    named = event_filters.memberships(asked)
    if len(named) != 1 or len(named[0][2]) != 1:
        return None
    [(named_by, column, (id,))] = named
    link = column.model
    members = (
        link.select(link.event)
        .join(Event, JOIN.CROSS)  # as it stands here: first the links, then each event
        .where(
            column == id,
            Event.id == link.event,
            *(clause for one, clause in _given(asked).items() if one is not named_by),
            *date_range.clauses(moments, link.utc_start_date),
        )
    )
    return Listing(members, (link.utc_start_date, link.event), counted=members)


def _given(asked: EventQuery) -> Clauses:
    clauses = {one: one(asked) for one in event_filters.FILTERS}
    return {one: clause for one, clause in clauses.items() if clause is not None}
