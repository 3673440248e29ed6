"""Lists of events: a query is understood, and made into statements that stay (contract §2, §3)."""

from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any

from peewee import JOIN

from calendar_api import database
from calendar_api.auth import Caller
from calendar_api.caching.bounded import Bounded
from calendar_api.errors import InvalidParameters
from calendar_api.models import Event, EventOrganizer, EventTerm, EventVenue
from calendar_api.store import event_search, event_window, planning
from calendar_api.store.event_search import Asked
from calendar_api.store.paging import Listing, Page
from calendar_api.store.prepared import NOW
from calendar_api.store.terms import categories

#: What does not say which events are found; dates are there as moments.
_NO_FILTERS = frozenset({"page", "per_page", "password", "_fields", *event_window.DATE_FILTERS})
#: Filters that name records, or look for words in them.
_NAMING = frozenset({"search", "categories", "tags", "venue", "organizer", "post_parent"})
#: Filters whose clauses are made of what the database holds just now.
_CHANGING = frozenset({"search", "categories", "tags"})
_listings: Bounded[Listing] = Bounded(4_000_000)


def search(
    query: dict[str, Any], caller: Caller, zone: tzinfo, totals: Bounded[int] | None = None
) -> Page[int]:
    """A page of the ids of events in order of their UTC start, then id; raises InvalidParameters.

    `totals` remembers how many there are, for a caller without an account and as long as nothing changes.
    """
    return understood(query, caller, zone).page(query["page"], query["per_page"], caller.now, totals)


@dataclass(frozen=True)
class Understood:
    """A query that was checked; `shape` is the same for all that find the same."""

    listing: Listing
    shape: str

    def page(self, number: int, size: int, now: str, totals: Bounded[int] | None) -> Page[int]:
        total = totals.get(self.shape) if totals is not None else None
        if total is None:
            total = self.listing.total(now)
            if totals is not None:
                totals.put(self.shape, total, len(self.shape))
        return self.listing.page(number, size, total, now)


def understood(query: dict[str, Any], caller: Caller, zone: tzinfo) -> Understood:
    """Raises InvalidParameters."""
    asked = Asked(query, caller, zone)
    problems = event_search.unknown(asked)
    if problems:
        raise InvalidParameters(problems)
    moments = event_window.moments(query, zone, caller)
    shape = _shape(asked, moments)
    return Understood(_listing(asked, moments, shape), shape)


def stays_understood(query: dict[str, Any]) -> bool:
    """Whether writes change neither what the query means nor whether it may be asked."""
    return not _NAMING & query.keys()


def _shape(asked: Asked, moments: dict[str, datetime]) -> str:
    """The same for two queries that find the same, as long as nothing is written."""
    filters = {name: asked.query[name] for name in sorted(asked.query) if name not in _NO_FILTERS}
    terms = {name: sorted(ids) for name, ids in sorted(asked.terms.items())}
    return repr((database.db.param, asked.caller.shape, filters, terms, sorted(moments.items())))


def _listing(asked: Asked, moments: dict[str, datetime], shape: str) -> Listing:
    known = _listings.get(shape)
    if known is not None:
        return known
    lasting = replace(asked, caller=Caller(NOW, asked.caller.id, role=asked.caller.role))
    made = _members(lasting, moments) or _events(lasting, moments)
    # Terms that a category has below it are in the query as they are now.
    if not _CHANGING & asked.query.keys():
        _listings.put(shape, made, 10 * len(shape) + 5000)
    return made


def _events(asked: Asked, moments: dict[str, datetime]) -> Listing:
    clauses = planning.led([*_given(asked), *event_window.clauses(moments)])
    events = Event.select(Event.id).where(*clauses)
    return Listing(events, (Event.utc_start_date, Event.id))


def _members(asked: Asked, moments: dict[str, datetime]) -> Listing | None:
    """The events of one term, venue or organizer, read in order from its links; None for other queries.

    Otherwise the database would sort all of them for each page, or look at all events of the window.
    """
    named = [(column, ids) for column, ids in _memberships(asked) if ids is not None]
    if len(named) != 1 or len(named[0][1]) != 1:
        return None
    column, (id,) = named[0]
    link = column.model
    members = (
        link.select(link.event)
        .join(Event, JOIN.CROSS)  # as it stands here: first the links, then each event
        .where(
            column == id,
            Event.id == link.event,
            *_given(asked, without=event_search.BY_LINKS),
            *event_window.clauses(moments, link.utc_start_date),
        )
    )
    return Listing(members, (link.utc_start_date, link.event))


def _memberships(asked: Asked) -> list[tuple[Any, set[int] | None]]:
    """What the query names of each kind that events are linked to, None where it does not ask."""
    query, terms = asked.query, asked.terms
    below = categories.with_descendants(terms["categories"]) if "categories" in query else None
    return [
        (EventTerm.term, below),
        (EventTerm.term, terms["tags"] if "tags" in query else None),
        (EventVenue.venue, set(query["venue"]) if "venue" in query else None),
        (EventOrganizer.organizer, set(query["organizer"]) if "organizer" in query else None),
    ]


def _given(asked: Asked, without: tuple[Any, ...] = ()) -> list[Any]:
    clauses = (one(asked) for one in event_search.FILTERS if one not in without)
    return [clause for clause in clauses if clause is not None]
