"""Lists of events: check a query and compile it. See docs/interface.md#list-envelope, #event-filters."""

from dataclasses import replace
from datetime import datetime, tzinfo

from peewee import JOIN, ModelSelect

from calendar_api import database
from calendar_api.database.models import Event
from calendar_api.domain.auth import Caller
from calendar_api.domain.bounded_cache import BoundedCache
from calendar_api.domain.errors import InvalidParameters
from calendar_api.store import date_range, event_filters, query_hints
from calendar_api.store.compiled_queries import NOW
from calendar_api.store.event_filters import Clauses, EventQuery
from calendar_api.store.paging import Listing, Page
from calendar_api.store.visibility import Params

#: Parameters that do not change which events match; dates are compared as moments.
_NO_FILTERS = frozenset({"page", "per_page", "password", "_fields", *date_range.DATE_FILTERS})
_listings: BoundedCache[Listing] = BoundedCache(4_000_000)


def search(params: Params, caller: Caller, zone: tzinfo) -> Page[int]:
    """A page of the ids of events in order of their UTC start, then id. Raises InvalidParameters."""
    query = EventQuery(params, caller, zone)
    problems = event_filters.unknown(query)
    if problems:
        raise InvalidParameters(problems)
    moments = date_range.bounds(params, zone, caller)
    listing = _listing(query, moments, _shape(query, moments))
    return listing.page(params["page"], params["per_page"], listing.total(caller.now), caller.now)


def _shape(query: EventQuery, moments: dict[str, datetime]) -> str:
    """Equal for two queries that find the same events, until the next write."""
    filters = {name: query.params[name] for name in sorted(query.params) if name not in _NO_FILTERS}
    terms = {name: sorted(ids) for name, ids in sorted(query.term_ids.items())}
    return repr((database.db.param, query.caller.shape, filters, terms, sorted(moments.items())))


def _listing(query: EventQuery, moments: dict[str, datetime], shape: str) -> Listing:
    known = _listings.get(shape)
    if known is not None:
        return known
    reusable = replace(query, caller=Caller(NOW, query.caller.id, role=query.caller.role))
    found = event_filters.by_index(reusable, moments)
    listing = (None if found else _linked(reusable, moments)) or _events(reusable, moments, found)
    if "search" not in query.params:  # its clauses depend on the texts that are stored now
        _listings.put(shape, listing, 10 * len(shape) + 8000)
    return listing


def _events(query: EventQuery, moments: dict[str, datetime], found: Clauses) -> Listing:
    """Test all events in order; or first find all that match one filter, then apply the others.

    The total says how many those are only if no other filter makes it smaller.
    """
    given, window = _given(query), date_range.clauses(moments)

    def events(first: Clauses) -> ModelSelect:
        clauses = {**given, **first}
        return Event.select(Event.id, Event.utc_start_date).where(
            *query_hints.led([*clauses.values(), *window])
        )

    linked = {} if found else event_filters.by_links(query, moments)
    few = found or (linked if given.keys() == linked.keys() | event_filters.ALWAYS else {})
    counted = found or linked or event_filters.by_reading(query, moments)
    order = (Event.utc_start_date, Event.id)
    return Listing(events({}), order, few=events(few) if few else None, counted=events(counted))


def _linked(query: EventQuery, moments: dict[str, datetime]) -> Listing | None:
    """The events of one term, venue or organizer, read in order from its links; None for other queries.

    Otherwise the database would sort all of them for each page, or test all events of the date range.
    """
    links = event_filters.links(query)
    if len(links) != 1 or len(links[0][2]) != 1:
        return None
    [(by_link, column, (id,))] = links
    link = column.model
    events = (
        link.select(link.event)
        .join(Event, JOIN.CROSS)  # in this order: the links, then each event
        .where(
            column == id,
            Event.id == link.event,
            *(clause for one, clause in _given(query).items() if one is not by_link),
            *date_range.clauses(moments, link.utc_start_date),
        )
    )
    return Listing(events, (link.utc_start_date, link.event), counted=events)


def _given(query: EventQuery) -> Clauses:
    clauses = ((one, one(query)) for one in event_filters.FILTERS)
    return {one: clause for one, clause in clauses if clause is not None}
