"""The filters of the event list, one small function each; all are ANDed (docs/interface.md#event-filters)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, TypeAlias

from peewee import JOIN, fn

from calendar_api.database.models import Event, EventOrganizer, EventTerm, EventVenue, Venue
from calendar_api.domain import search_query
from calendar_api.domain.auth import Caller
from calendar_api.domain.translation import message
from calendar_api.store import date_range, full_text, geo, query_hints
from calendar_api.store.organizers import organizers
from calendar_api.store.terms import Terms, categories, tags
from calendar_api.store.venues import venues
from calendar_api.store.visibility import in_status, listed, readable, status_problem, unlocked


@dataclass
class EventQuery:
    """A checked query, who asks, and the terms that it means: those that it names, and all below them."""

    query: dict[str, Any]
    caller: Caller
    zone: tzinfo
    terms: dict[str, set[int]] = field(default_factory=dict)


Filter: TypeAlias = Callable[[EventQuery], Any]
#: What filters that a query asks for are in SQL.
Clauses: TypeAlias = dict[Filter, Any]


def shown(asked: EventQuery) -> Any:
    """Hidden events are in no list, whoever asks (docs/interface.md#event-filters)."""
    return Event.hide_from_listings.in_((False,))


def statuses(asked: EventQuery) -> Any:
    if "status" in asked.query:
        return in_status(Event, asked.query["status"], asked.caller)
    return listed(Event, asked.caller)


def words(asked: EventQuery) -> Any:
    """Every word in title, description or excerpt."""
    wanted = _words(asked, excluded=False)
    return full_text.each(Event.id, wanted, "all") if wanted else None


def other_words(asked: EventQuery) -> Any:
    """Excluded words in none of the three."""
    excluded = _words(asked, excluded=True)
    return (
        query_hints.every(~full_text.holding(Event.id, [word], "all") for word in excluded)
        if excluded
        else None
    )


def _words(asked: EventQuery, *, excluded: bool) -> list[str]:
    given = search_query.parse(asked.query.get("search", ""))
    return [word.text for word in given if word.excluded is excluded]


def not_masked(asked: EventQuery) -> Any:
    """A filter on what a password hides finds only events that this caller reads without one."""
    return unlocked(asked.caller) if MASKED & asked.query.keys() else None


def in_categories(asked: EventQuery) -> Any:
    """Any of the categories or of those below them."""
    return _linked(EventTerm.term, asked.terms["categories"]) if "categories" in asked.query else None


def with_tags(asked: EventQuery) -> Any:
    return _linked(EventTerm.term, asked.terms["tags"]) if "tags" in asked.query else None


def at_venues(asked: EventQuery) -> Any:
    return _linked(EventVenue.venue, asked.query["venue"]) if "venue" in asked.query else None


def by_organizers(asked: EventQuery) -> Any:
    if "organizer" not in asked.query:
        return None
    return _linked(EventOrganizer.organizer, asked.query["organizer"])


def featured(asked: EventQuery) -> Any:
    return Event.featured == asked.query["featured"] if "featured" in asked.query else None


def ticketed(asked: EventQuery) -> Any:
    return Event.ticketed == asked.query["ticketed"] if "ticketed" in asked.query else None


def included(asked: EventQuery) -> Any:
    if "include" not in asked.query:
        return None
    return query_hints.leading(Event.id.in_(asked.query["include"]))


def children(asked: EventQuery) -> Any:
    if "post_parent" not in asked.query:
        return None
    return query_hints.leading(Event.parent == asked.query["post_parent"])


def located(asked: EventQuery) -> Any:
    """Whether a venue of the event has coordinates (docs/interface.md#geo-filters)."""
    if "geoloc" not in asked.query:
        return None
    places = _own_venues(Venue.geo_lat.is_null(False), listed(Venue, asked.caller))
    return fn.EXISTS(places) if asked.query["geoloc"] else ~fn.EXISTS(places)


def near(asked: EventQuery) -> Any:
    """Within a great-circle distance (docs/interface.md#geo-filters)."""
    if "geoloc_lat" not in asked.query:
        return None
    return fn.EXISTS(_own_venues(geo.within(*_place(asked)), listed(Venue, asked.caller)))


#: Filters that every list has.
ALWAYS = frozenset({shown, statuses, not_masked})

#: Filters that an index of all events in the order of their starts answers.
COVERED = ALWAYS | {featured, ticketed}

#: Filters that find few events by themselves.
_FEW = frozenset({"include", "post_parent"})

#: Filters that ask for something that a masked event does not show.
MASKED = frozenset(
    {
        "search", "categories", "tags", "venue", "organizer", "featured", "ticketed",
        "geoloc", "geoloc_lat", "post_parent",
    }
)  # fmt: skip

FILTERS: tuple[Filter, ...] = (
    shown, statuses, not_masked, words, other_words, in_categories, with_tags, at_venues, by_organizers,
    featured, ticketed, included, children, located, near,
)  # fmt: skip


def memberships(asked: EventQuery) -> list[tuple[Filter, Any, list[int]]]:
    """The filters that name what events are linked to, those with the fewest events first: column and ids."""
    query, terms = asked.query, asked.terms
    found: list[tuple[Filter, Any, list[int]]] = []
    if "venue" in query:
        found.append((at_venues, EventVenue.venue, sorted(set(query["venue"]))))
    if "organizer" in query:
        found.append((by_organizers, EventOrganizer.organizer, sorted(set(query["organizer"]))))
    if "tags" in query:
        found.append((with_tags, EventTerm.term, sorted(terms["tags"])))
    if "categories" in query:
        found.append((in_categories, EventTerm.term, sorted(terms["categories"])))
    return found


# -- Each filter above looks at an event by itself, which is soon done in the order of the list where many
# pass. Where few do, one of the filters below finds all that may pass, in the place of the same one above.


def by_index(asked: EventQuery, moments: dict[str, datetime]) -> Clauses:
    """The events with the words of the search, if the index finds few enough."""
    wanted = _words(asked, excluded=False)
    if not wanted or _FEW & asked.query.keys():
        return {}
    narrow = date_range.bounded(moments) or MASKED & asked.query.keys() - {"search"}
    found = full_text.indexed(Event.id, wanted, "all", full_text.FEW if narrow else full_text.COUNTABLE)
    return {} if found is None else {words: found}


def by_links(asked: EventQuery, moments: dict[str, datetime]) -> Clauses:
    """The events of one kind of links, or near a place."""
    if _FEW & asked.query.keys():
        return {}
    if "geoloc_lat" in asked.query:
        return {near: query_hints.leading(Event.id.in_(_events_near(asked, moments)))}
    for one, column, ids in memberships(asked):
        begun = date_range.starts(moments, column.model.utc_start_date)
        return {one: query_hints.leading(Event.id.in_(_links(column, ids).where(*begun)))}
    return {}


def by_reading(asked: EventQuery, moments: dict[str, datetime]) -> Clauses:
    """The events with the words of the search, to be counted: of all texts, where most would be looked at."""
    wanted = _words(asked, excluded=False)
    if not wanted or _FEW & asked.query.keys() or date_range.bounded(moments):
        return {}
    return {words: full_text.scanned(Event.id, wanted, "all")}


def unknown(asked: EventQuery) -> dict[str, str]:
    """Filters that name what is not there for this caller; remembers the terms that are."""
    query, problems = asked.query, status_problem(asked.query, asked.caller)
    for name, terms in (("categories", categories), ("tags", tags)):
        if name in query and not _remember_terms(asked, name, terms):
            problems[name] = message("{name} must be terms that exist, by id or slug.", name=name)
    for name, store in (("venue", venues), ("organizer", organizers)):
        if name in query and store.readable_ids(set(query[name]), asked.caller) != set(query[name]):
            problems[name] = message("{name} must be ids of records that you may read.", name=name)
    if "post_parent" in query and not _readable(query["post_parent"], asked.caller):
        problems["post_parent"] = message(
            "{name} must be the id of an event that you may read.", name="post_parent"
        )
    if ("geoloc_lat" in query) != ("geoloc_lng" in query):
        lacking = "geoloc_lng" if "geoloc_lat" in query else "geoloc_lat"
        problems[lacking] = message("{name} must be sent together with the other coordinate.", name=lacking)
    return problems


def _remember_terms(asked: EventQuery, name: str, terms: Terms) -> bool:
    given = asked.query[name]
    by_address = terms.resolve(given, by_name=False)
    asked.terms[name] = terms.with_descendants({id for id in by_address.values() if id is not None})
    lacking = [item for item, id in by_address.items() if id is None]
    # A mere name is known but finds nothing: lists are filtered by id and slug
    # (docs/interface.md#event-filters).
    return not lacking or None not in terms.resolve(lacking).values()


def _readable(id: int, caller: Caller) -> bool:
    return bool(Event.select().where(Event.id == id, readable(Event, caller)).exists())


def _linked(column: Any, ids: Iterable[int]) -> Any:
    """Events with a link to any of these."""
    links = _links(column, ids)
    return fn.EXISTS(links.where(column.model.event == Event.id))


def _links(column: Any, ids: Iterable[int]) -> Any:
    link = column.model
    return link.select(link.event).where(column.in_(sorted(set(ids))))


def _own_venues(*where: Any) -> Any:
    """The venues of an event that meet these conditions: first its links, then each venue."""
    links = EventVenue.select(EventVenue.event).join(Venue, JOIN.CROSS)
    return links.where(EventVenue.event == Event.id, Venue.id == EventVenue.venue, *where)


def _events_near(asked: EventQuery, moments: dict[str, datetime]) -> Any:
    """First the venues in a box around the place, then their events in these times."""
    there = _place(asked)
    return (
        Venue.select(EventVenue.event)
        .join(EventVenue, JOIN.CROSS)
        .where(
            geo.box(*there),
            geo.within(*there),
            query_hints.unindexed(listed(Venue, asked.caller)),
            EventVenue.venue == Venue.id,
            *date_range.starts(moments, EventVenue.utc_start_date),
        )
    )


def _place(asked: EventQuery) -> tuple[float, float, float]:
    return asked.query["geoloc_lat"], asked.query["geoloc_lng"], asked.query["geoloc_distance"]
