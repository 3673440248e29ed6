"""The filters of the event list, one small function each; all are ANDed (docs/interface.md#event-filters)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import TypeAlias

from peewee import JOIN, Field, ModelSelect, fn

from calendar_api.database.models import Event, EventOrganizer, EventTerm, EventVenue, Venue
from calendar_api.domain import search_query
from calendar_api.domain.auth import Caller
from calendar_api.domain.translation import message
from calendar_api.store import date_range, full_text, geo, query_hints
from calendar_api.store.organizers import organizers
from calendar_api.store.query_hints import Clause
from calendar_api.store.terms import Terms, categories, tags
from calendar_api.store.venues import venues
from calendar_api.store.visibility import (
    Params,
    event_is_readable,
    in_status,
    listed,
    status_problem,
    unlocked,
)


@dataclass
class EventQuery:
    """A checked query, its caller, and the terms it names with all their descendants, by parameter."""

    params: Params
    caller: Caller
    zone: tzinfo
    term_ids: dict[str, set[int]] = field(default_factory=dict)


Filter: TypeAlias = Callable[[EventQuery], Clause | None]
#: The SQL of the filters that a query uses.
Clauses: TypeAlias = dict[Filter, Clause]


def not_hidden(query: EventQuery) -> Clause:
    """Hidden events are in no list, for any caller (docs/interface.md#event-filters)."""
    return Event.hide_from_listings.in_((False,))


def statuses(query: EventQuery) -> Clause:
    if "status" in query.params:
        return in_status(Event, query.params["status"], query.caller)
    return listed(Event, query.caller)


def words(query: EventQuery) -> Clause | None:
    """Every word of the search is in title, description or excerpt."""
    wanted = _words(query, excluded=False)
    return full_text.each(Event.id, wanted, "all") if wanted else None


def other_words(query: EventQuery) -> Clause | None:
    """Excluded words are in none of the three."""
    excluded = _words(query, excluded=True)
    return (
        query_hints.every(~full_text.holding(Event.id, [word], "all") for word in excluded)
        if excluded
        else None
    )


def _words(query: EventQuery, *, excluded: bool) -> list[str]:
    given = search_query.parse(query.params.get("search", ""))
    return [word.text for word in given if word.excluded is excluded]


def not_masked(query: EventQuery) -> Clause | None:
    """A filter on what a password masks finds only events that the caller reads without one."""
    return unlocked(query.caller) if MASKED & query.params.keys() else None


def in_categories(query: EventQuery) -> Clause | None:
    """Any of the categories or their descendants."""
    return _linked(EventTerm.term, query.term_ids["categories"]) if "categories" in query.params else None


def with_tags(query: EventQuery) -> Clause | None:
    return _linked(EventTerm.term, query.term_ids["tags"]) if "tags" in query.params else None


def at_venues(query: EventQuery) -> Clause | None:
    return _linked(EventVenue.venue, query.params["venue"]) if "venue" in query.params else None


def by_organizers(query: EventQuery) -> Clause | None:
    if "organizer" not in query.params:
        return None
    return _linked(EventOrganizer.organizer, query.params["organizer"])


def featured(query: EventQuery) -> Clause | None:
    return Event.featured == query.params["featured"] if "featured" in query.params else None


def ticketed(query: EventQuery) -> Clause | None:
    return Event.ticketed == query.params["ticketed"] if "ticketed" in query.params else None


def included(query: EventQuery) -> Clause | None:
    if "include" not in query.params:
        return None
    return query_hints.leading(Event.id.in_(query.params["include"]))


def children(query: EventQuery) -> Clause | None:
    if "post_parent" not in query.params:
        return None
    return query_hints.leading(Event.parent == query.params["post_parent"])


def located(query: EventQuery) -> Clause | None:
    """Whether a venue of the event has coordinates (docs/interface.md#geo-filters)."""
    if "geoloc" not in query.params:
        return None
    places = _own_venues(Venue.geo_lat.is_null(False), listed(Venue, query.caller))
    return fn.EXISTS(places) if query.params["geoloc"] else ~fn.EXISTS(places)


def near(query: EventQuery) -> Clause | None:
    """Within a great-circle distance (docs/interface.md#geo-filters)."""
    if "geoloc_lat" not in query.params:
        return None
    return fn.EXISTS(_own_venues(geo.within(*_place(query)), listed(Venue, query.caller)))


#: The filters of every list.
ALWAYS = frozenset({not_hidden, statuses, not_masked})

#: Parameters that match few events.
_FEW = frozenset({"include", "post_parent"})

#: Parameters on content that a masked event does not show.
MASKED = frozenset(
    {
        "search", "categories", "tags", "venue", "organizer", "featured", "ticketed",
        "geoloc", "geoloc_lat", "post_parent",
    }
)  # fmt: skip

FILTERS: tuple[Filter, ...] = (
    not_hidden, statuses, not_masked, words, other_words, in_categories, with_tags, at_venues, by_organizers,
    featured, ticketed, included, children, located, near,
)  # fmt: skip


def links(query: EventQuery) -> list[tuple[Filter, Field, list[int]]]:
    """The filters on linked records, with column and ids; those with the fewest events per record first."""
    given: tuple[tuple[str, Filter, Field, Iterable[int]], ...] = (
        ("venue", at_venues, EventVenue.venue, query.params.get("venue", ())),
        ("organizer", by_organizers, EventOrganizer.organizer, query.params.get("organizer", ())),
        ("tags", with_tags, EventTerm.term, query.term_ids.get("tags", ())),
        ("categories", in_categories, EventTerm.term, query.term_ids.get("categories", ())),
    )
    return [(one, column, sorted(set(ids))) for name, one, column, ids in given if name in query.params]


# -- The filters above test one event at a time: fast in the order of the list where many events match. Where
# few match, one of the following clauses replaces the filter: it finds all events that can match first.


def by_index(query: EventQuery, moments: dict[str, datetime]) -> Clauses:
    """The events with the words of the search, if the full-text index finds few enough."""
    wanted = _words(query, excluded=False)
    if not wanted or _FEW & query.params.keys():
        return {}
    narrow = date_range.bounded(moments) or MASKED & query.params.keys() - {"search"}
    found = full_text.indexed(Event.id, wanted, "all", full_text.FEW if narrow else full_text.COUNTABLE)
    return {} if found is None else {words: found}


def by_links(query: EventQuery, moments: dict[str, datetime]) -> Clauses:
    """The events that are linked to records of one kind, or near a place."""
    if _FEW & query.params.keys():
        return {}
    if "geoloc_lat" in query.params:
        return {near: query_hints.leading(Event.id.in_(_events_near(query, moments)))}
    for one, column, ids in links(query)[:1]:
        started = date_range.starts(moments, column.model.utc_start_date)
        return {one: query_hints.leading(Event.id.in_(_links(column, ids).where(*started)))}
    return {}


def by_reading(query: EventQuery, moments: dict[str, datetime]) -> Clauses:
    """For counting: read all texts in their order where most events would have to be tested anyway."""
    wanted = _words(query, excluded=False)
    if not wanted or _FEW & query.params.keys() or date_range.bounded(moments):
        return {}
    return {words: full_text.scanned(Event.id, wanted, "all")}


def unknown(query: EventQuery) -> dict[str, str]:
    """Problems by parameter: records that do not exist for this caller. Fills in `query.term_ids`."""
    params, caller = query.params, query.caller
    problems = status_problem(params, caller)
    for name, terms in (("categories", categories), ("tags", tags)):
        if name in params and not _resolve_terms(query, name, terms):
            problems[name] = message("{name} must be terms that exist, by id or slug.", name=name)
    for name, store in (("venue", venues), ("organizer", organizers)):
        if name in params and store.readable_ids(set(params[name]), caller) != set(params[name]):
            problems[name] = message("{name} must be ids of records that you may read.", name=name)
    if "post_parent" in params and not event_is_readable(params["post_parent"], caller):
        problems["post_parent"] = message(
            "{name} must be the id of an event that you may read.", name="post_parent"
        )
    if ("geoloc_lat" in params) != ("geoloc_lng" in params):
        lacking = "geoloc_lng" if "geoloc_lat" in params else "geoloc_lat"
        problems[lacking] = message("{name} must be sent together with the other coordinate.", name=lacking)
    return problems


def _resolve_terms(query: EventQuery, name: str, terms: Terms) -> bool:
    given = query.params[name]
    by_slug = terms.resolve(given, by_name=False)
    query.term_ids[name] = terms.with_descendants({id for id in by_slug.values() if id is not None})
    lacking = [item for item, id in by_slug.items() if id is None]
    # A mere name is known but finds nothing: lists are filtered by id and slug
    # (docs/interface.md#event-filters).
    return not lacking or None not in terms.resolve(lacking).values()


def _linked(column: Field, ids: Iterable[int]) -> Clause:
    """Events with a link to any of these records."""
    links = _links(column, ids)
    return fn.EXISTS(links.where(column.model.event == Event.id))


def _links(column: Field, ids: Iterable[int]) -> ModelSelect:
    link = column.model
    return link.select(link.event).where(column.in_(sorted(set(ids))))


def _own_venues(*where: Clause) -> ModelSelect:
    """The venues of an event that meet these conditions; reads its links first, then each venue."""
    links = EventVenue.select(EventVenue.event).join(Venue, JOIN.CROSS)
    return links.where(EventVenue.event == Event.id, Venue.id == EventVenue.venue, *where)


def _events_near(query: EventQuery, moments: dict[str, datetime]) -> ModelSelect:
    """Read the venues in a box around the place first, then their events in the date range."""
    place = _place(query)
    return (
        Venue.select(EventVenue.event)
        .join(EventVenue, JOIN.CROSS)
        .where(
            geo.box(*place),
            geo.within(*place),
            query_hints.unindexed(listed(Venue, query.caller)),
            EventVenue.venue == Venue.id,
            *date_range.starts(moments, EventVenue.utc_start_date),
        )
    )


def _place(query: EventQuery) -> tuple[float, float, float]:
    return query.params["geoloc_lat"], query.params["geoloc_lng"], query.params["geoloc_distance"]
