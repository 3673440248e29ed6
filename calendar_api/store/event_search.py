"""The filters of the event list, one small function each; all are ANDed (contract §3.3, decisions §3)."""

from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from peewee import fn

from calendar_api import search_words
from calendar_api.auth import Caller
from calendar_api.messages import message
from calendar_api.models import Event, EventOrganizer, EventTerm, EventVenue, Term, Venue
from calendar_api.store import nearby, planning, search_text
from calendar_api.store.organizers import organizers
from calendar_api.store.terms import Terms, categories, tags
from calendar_api.store.venues import venues
from calendar_api.store.visibility import in_status, listed, readable, status_problem, unlocked

#: With more events than this, those of several terms are looked for in the order of the list.
_MANY = 500


@dataclass
class Asked:
    """A checked query, who asks, and the terms that it names."""

    query: dict[str, Any]
    caller: Caller
    zone: tzinfo
    terms: dict[str, set[int]] = field(default_factory=dict)


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
    given = search_words.parse(asked.query["search"])
    wanted = [word.text for word in given if not word.excluded]
    found: Any = search_text.holding(Event.id, wanted, "all") if wanted else Event.id.is_null(False)
    clause = found
    for word in given:
        if word.excluded:
            clause &= ~search_text.holding(Event.id, [word.text], "all")
    return planning.leading(clause) if isinstance(found, planning.Leading) else clause


def not_masked(asked: Asked) -> Any:
    """A filter on what a password hides finds only events that this caller reads without one."""
    return unlocked(asked.caller) if MASKED & asked.query.keys() else None


def in_categories(asked: Asked) -> Any:
    """Any of the categories or of those below them."""
    if "categories" not in asked.query:
        return None
    return _with_any(categories.with_descendants(asked.terms["categories"]))


def with_tags(asked: Asked) -> Any:
    return _with_any(asked.terms["tags"]) if "tags" in asked.query else None


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
    if "include" not in asked.query:
        return None
    return planning.leading(Event.id.in_(asked.query["include"]))


def children(asked: Asked) -> Any:
    return Event.parent == asked.query["post_parent"] if "post_parent" in asked.query else None


def located(asked: Asked) -> Any:
    """Whether a venue of the event has coordinates (decisions §3.6)."""
    if "geoloc" not in asked.query:
        return None
    places = _events_at(
        EventVenue.event == Event.id, Venue.geo_lat.is_null(False), listed(Venue, asked.caller)
    )
    # One by one in the order of the list: most events have a place, or none has.
    return fn.EXISTS(places) if asked.query["geoloc"] else ~fn.EXISTS(places)


def near(asked: Asked) -> Any:
    """Within a great-circle distance (decisions §3.6): the venues there first, then their events."""
    if "geoloc_lat" not in asked.query:
        return None
    there = (asked.query["geoloc_lat"], asked.query["geoloc_lng"], asked.query["geoloc_distance"])
    seen = planning.unindexed(listed(Venue, asked.caller))
    return Event.id.in_(_events_at(nearby.box(*there), nearby.within(*there), seen))


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

#: Filters that name what events are linked to.
BY_LINKS = (in_categories, with_tags, at_venues, by_organizers)


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


def _with_any(ids: set[int]) -> Any:
    """Events of these terms: all of them together if they are few, or one by one in the order of the list."""
    links = EventTerm.select(EventTerm.event).where(EventTerm.term.in_(sorted(ids)))
    found = Term.select(fn.SUM(Term.counted)).where(Term.id.in_(sorted(ids))).scalar() if ids else 0
    if (found or 0) < _MANY:
        return Event.id.in_(links)
    return fn.EXISTS(links.where(EventTerm.event == Event.id))


def _events_at(*where: Any) -> Any:
    """The events of these venues."""
    return EventVenue.select(EventVenue.event).join(Venue, on=(EventVenue.venue == Venue.id)).where(*where)
