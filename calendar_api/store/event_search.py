"""The filters of the event list, one small function each; all are ANDed (contract §3.3, decisions §3)."""

import math
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any

from peewee import JOIN

from calendar_api import database, search_words
from calendar_api.auth import Caller
from calendar_api.caching.bounded import Bounded
from calendar_api.errors import InvalidParameters
from calendar_api.messages import message
from calendar_api.models import Event, EventOrganizer, EventTerm, EventVenue, SearchText, Venue
from calendar_api.store import event_window
from calendar_api.store.linked import text_contains
from calendar_api.store.organizers import organizers
from calendar_api.store.paging import Listing, Page
from calendar_api.store.prepared import NOW
from calendar_api.store.terms import Terms, categories, tags
from calendar_api.store.venues import point, venues
from calendar_api.store.visibility import in_status, listed, readable, status_problem, unlocked

EARTH_RADIUS_KM = 6371.0088

#: What does not say which events are found; dates are there as moments.
_NO_FILTERS = frozenset({"page", "per_page", "password", "_fields", *event_window.DATE_FILTERS})
#: Filters that name records, or look for words in them.
_NAMING = frozenset({"search", "categories", "tags", "venue", "organizer", "post_parent"})
#: Filters whose clauses are made of what the database holds just now.
_CHANGING = frozenset({"search", "categories"})
_listings: Bounded[Listing] = Bounded(4_000_000)


@dataclass
class Asked:
    """A checked query, who asks, and the terms that it names."""

    query: dict[str, Any]
    caller: Caller
    zone: tzinfo
    terms: dict[str, set[int]] = field(default_factory=dict)


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
    problems = unknown(asked)
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
    events = Event.select(Event.id).where(*_given(asked), *event_window.clauses(moments))
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
            *_given(asked, without=_BY_LINKS),
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
    clauses = (one(asked) for one in FILTERS if one not in without)
    return [clause for clause in clauses if clause is not None]


def shown(asked: Asked) -> Any:
    """Hidden events are in no list, whoever asks (contract §3.3)."""
    return Event.hide_from_listings.in_((False,))


def statuses(asked: Asked) -> Any:
    if "status" in asked.query:
        return in_status(Event, asked.query["status"], asked.caller)
    return listed(Event, asked.caller)


def words(asked: Asked) -> Any:
    """Every word in title, description or excerpt, excluded ones in none."""
    if "search" not in asked.query:
        return None
    rows = SearchText.select(SearchText.record).where(
        SearchText.record == Event.id, SearchText.field == "all"
    )
    clause: Any = Event.id.is_null(False)
    for word in search_words.parse(asked.query["search"]):
        found = rows.where(text_contains(SearchText.folded, word.text))
        clause &= Event.id.not_in(found) if word.excluded else Event.id.in_(found)
    return clause


def not_masked(asked: Asked) -> Any:
    """A filter on what a password hides finds only events that this caller reads without one."""
    return unlocked(asked.caller) if MASKED & asked.query.keys() else None


def in_categories(asked: Asked) -> Any:
    """Any of the categories or of those below them."""
    if "categories" not in asked.query:
        return None
    return _with_terms(categories.with_descendants(asked.terms["categories"]))


def with_tags(asked: Asked) -> Any:
    return _with_terms(asked.terms["tags"]) if "tags" in asked.query else None


def at_venues(asked: Asked) -> Any:
    if "venue" not in asked.query:
        return None
    return Event.id.in_(EventVenue.select(EventVenue.event).where(EventVenue.venue.in_(asked.query["venue"])))


def by_organizers(asked: Asked) -> Any:
    if "organizer" not in asked.query:
        return None
    links = EventOrganizer.select(EventOrganizer.event)
    return Event.id.in_(links.where(EventOrganizer.organizer.in_(asked.query["organizer"])))


def featured(asked: Asked) -> Any:
    return Event.featured == asked.query["featured"] if "featured" in asked.query else None


def ticketed(asked: Asked) -> Any:
    return Event.ticketed == asked.query["ticketed"] if "ticketed" in asked.query else None


def included(asked: Asked) -> Any:
    return Event.id.in_(asked.query["include"]) if "include" in asked.query else None


def children(asked: Asked) -> Any:
    return Event.parent == asked.query["post_parent"] if "post_parent" in asked.query else None


def located(asked: Asked) -> Any:
    """Whether a venue of the event has coordinates (decisions §3.6)."""
    if "geoloc" not in asked.query:
        return None
    places = _places(asked).where(Venue.geo_lat.is_null(False))
    return Event.id.in_(places) if asked.query["geoloc"] else Event.id.not_in(places)


def near(asked: Asked) -> Any:
    """Within a great-circle distance, right across the 180th meridian and at the poles (decisions §3.6).

    The straight line through the ball grows with the way around it, so comparing its square is exact; the
    band of latitudes lets the index do most of the work.
    """
    if "geoloc_lat" not in asked.query:
        return None
    lat, distance = asked.query["geoloc_lat"], asked.query["geoloc_distance"]
    x, y, z = point(lat, asked.query["geoloc_lng"])
    angle = distance / EARTH_RADIUS_KM
    chord = 2 * math.sin(min(angle, math.pi) / 2)
    away_x, away_y, away_z = Venue.geo_x - x, Venue.geo_y - y, Venue.geo_z - z
    places = _places(asked).where(
        Venue.geo_lat.between(lat - math.degrees(angle) - 1e-9, lat + math.degrees(angle) + 1e-9),
        away_x * away_x + away_y * away_y + away_z * away_z <= chord * chord + 1e-15,
    )
    return Event.id.in_(places)


#: Filters that ask for something that a masked event does not show.
MASKED = frozenset(
    {
        "search", "categories", "tags", "venue", "organizer", "featured", "ticketed",
        "geoloc", "geoloc_lat", "post_parent",
    }
)  # fmt: skip

FILTERS = (
    shown, statuses, not_masked, words, in_categories, with_tags, at_venues, by_organizers,
    featured, ticketed, included, children, located, near,
)  # fmt: skip

_BY_LINKS = (in_categories, with_tags, at_venues, by_organizers)


def unknown(asked: Asked) -> dict[str, str]:
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


def _remember_terms(asked: Asked, name: str, terms: Terms) -> bool:
    given = asked.query[name]
    by_address = terms.resolve(given, by_name=False)
    asked.terms[name] = {id for id in by_address.values() if id is not None}
    lacking = [item for item, id in by_address.items() if id is None]
    # A mere name is known but finds nothing: lists are filtered by id and slug (contract §3.3).
    return not lacking or None not in terms.resolve(lacking).values()


def _readable(id: int, caller: Caller) -> bool:
    return bool(Event.select().where(Event.id == id, readable(Event, caller)).exists())


def _with_terms(ids: set[int]) -> Any:
    return Event.id.in_(EventTerm.select(EventTerm.event).where(EventTerm.term.in_(sorted(ids))))


def _places(asked: Asked) -> Any:
    """The events of venues that the caller may see."""
    return (
        EventVenue.select(EventVenue.event)
        .join(Venue, on=(EventVenue.venue == Venue.id))
        .where(listed(Venue, asked.caller))
    )
