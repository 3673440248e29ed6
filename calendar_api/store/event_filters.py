"""The filters of the event list; all are ANDed (docs/interface.md#event-filters).

A checked query becomes a `Shape`, which decides the SQL, and values for its parameters.
"""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import NamedTuple, TypeAlias

from peewee import JOIN, Field, ModelSelect, fn

from calendar_api.database.models import Event, EventOrganizer, EventTerm, EventVenue, Venue
from calendar_api.domain import search_query
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters
from calendar_api.domain.translation import message
from calendar_api.store import date_range, full_text, geo, query_hints
from calendar_api.store.compiled_queries import Param, padded
from calendar_api.store.date_range import Comparison
from calendar_api.store.query_hints import Clause
from calendar_api.store.terms import categories, tags
from calendar_api.store.venue_organizer import organizers, venues
from calendar_api.store.visibility import (
    Params,
    event_is_readable,
    in_status,
    listed,
    parameter_caller,
    readable_ids,
    status_problem,
    unlocked,
)


class Shape(NamedTuple):
    """What decides the SQL of a query, beside the names of its values and the lengths of lists of them.

    `masked`: it tests what a password masks. `indexed`: the full-text index has found the events. `bounded`:
    the starts have a bound on both sides. `with_hidden`: it finds events that are left out of lists as well.
    """

    role: str
    statuses: tuple[str, ...] | None
    dates: tuple[Comparison, ...]
    words: tuple[bool, ...]
    excluded: tuple[bool, ...]
    geoloc: bool | None
    masked: bool
    indexed: bool
    bounded: bool
    with_hidden: bool


#: Parameters of a builder by name, and lists of them.
Values: TypeAlias = Mapping[str, Param]

#: Filters on linked records; those with the fewest events per record first.
LINKS: dict[str, Field] = {
    "venue": EventVenue.venue,
    "organizer": EventOrganizer.organizer,
    "tags": EventTerm.term,
    "categories": EventTerm.term,
}
#: Parameters that match few events.
FEW = frozenset({"include", "post_parent"})
#: Parameters on content that a masked event does not show.
MASKED = frozenset(
    {
        "search", "categories", "tags", "venue", "organizer", "featured", "ticketed",
        "geoloc", "geoloc_lat", "geoloc_lng", "post_parent",
    }
)  # fmt: skip


def parse(params: Params, caller: Caller, zone: tzinfo) -> tuple[Shape, dict[str, object]]:
    """Shape and values of a checked query; raises InvalidParameters for what the caller may not read.

    Some parameters are none of the interface. Pages of editing have `author`, the id of a user, and
    `with_hidden`; `password_set` finds events with a password, and `opened` are digests that the caller knows
    the password of. `days` finds events that touch the first of two days, or one between it and the second,
    on their own clocks.
    """
    moments = date_range.bounds(params, zone, caller)
    compared = date_range.comparisons(moments)
    bounded = date_range.bounded(moments)
    unknown, terms = _unknown(params, caller)
    if unknown:
        raise InvalidParameters(unknown)
    masked = not MASKED.isdisjoint(params)
    words = excluded = full_text.NO_WORDS
    holders = None
    if params.get("search"):
        parsed = search_query.parse(params["search"])
        texts = [word.text for word in parsed if not word.excluded]
        excluded = full_text.words([word.text for word in parsed if word.excluded])
        if texts and FEW.isdisjoint(params):
            narrow = bounded or MASKED & params.keys() - {"search"}
            holders = full_text.holders(texts, full_text.FEW if narrow else full_text.COUNTABLE, "all")
        if holders is None:
            words = full_text.words(texts)
    values: dict[str, object] = {
        "now": caller.now, "me": caller.id, "instants": list(compared.values()),
        "words": words.values, "excluded": excluded.values, "holders": holders,
    }  # fmt: skip
    values |= {name: params[name] for name in ("author", "password_set") if name in params}
    if "days" in params:
        values["days"] = [f"{day} 00:00:00" for day in params["days"]]
    if params.get("opened"):
        values["opened"] = padded(sorted(params["opened"]))
    for name in ("venue", "organizer", "include"):
        if name in params:
            values[name] = padded(sorted(set(params[name])))
    values |= {name: padded(sorted(ids)) for name, ids in terms.items()}
    values |= {name: params[name] for name in ("featured", "ticketed", "post_parent") if name in params}
    if "geoloc_lat" in params:
        circle = geo.circle(params["geoloc_lat"], params["geoloc_lng"], params["geoloc_distance"])
        values |= {"place": circle.place, "box": circle.box}
    shape = Shape(
        role=caller.role,
        statuses=tuple(params["status"]) if "status" in params else None,
        dates=tuple(compared),
        words=words.globs,
        excluded=excluded.globs,
        geoloc=params.get("geoloc"),
        masked=masked,
        indexed=holders is not None,
        bounded=bounded,
        with_hidden=bool(params.get("with_hidden")),
    )
    return shape, values


def clauses(shape: Shape, given: Values) -> dict[str, Clause]:
    """The condition of each filter, tested on one event at a time; by name."""
    caller = parameter_caller(shape.role, given["now"], given["me"])
    # Hidden events are in no list of the interface, for any caller.
    shown = (False, True) if shape.with_hidden else (False,)
    found: dict[str, Clause] = {"hidden": Event.hide_from_listings.in_(shown)}
    if shape.statuses is None:
        found["status"] = listed(Event, caller)
    else:
        found["status"] = in_status(Event, shape.statuses, caller)
    if shape.masked:  # a filter on what a password masks finds only events that are read without one
        found["password"] = unlocked(caller)
        if "opened" in given:
            found["password"] |= Event.password.in_(given["opened"])
    if "password_set" in given:
        found["password_set"] = (Event.password != "") == given["password_set"]
    for name, column in LINKS.items():
        if name in given:  # any of the records
            found[name] = fn.EXISTS(links(column, given[name]).where(column.model.event == Event.id))
    columns = (Event.featured, Event.ticketed)
    found |= {flag.name: flag == given[flag.name] for flag in columns if flag.name in given}
    if "include" in given:
        found["include"] = query_hints.leading(Event.id.in_(given["include"]))
    if "author" in given:
        found["author"] = Event.author == given["author"]
    if "days" in given:  # midnight belongs to the day before, unless the event begins then
        first, after = given["days"]
        found["days"] = (Event.start_date < after) & ((Event.end_date > first) | (Event.start_date >= first))
    if "post_parent" in given:
        found["post_parent"] = query_hints.leading(Event.parent == given["post_parent"])
    return found | _words(shape, given) | _places(shape, given, caller)


def _words(shape: Shape, given: Values) -> dict[str, Clause]:
    found: dict[str, Clause] = {}
    if shape.indexed:  # every word is in title, description or excerpt
        found["words"] = query_hints.unindexed(full_text.among(Event.id, given["holders"]))
    elif given["words"]:
        found["words"] = full_text.each(Event.id, _texts(shape, given))
    if given["excluded"]:  # none of these is
        found["excluded"] = query_hints.every(
            ~full_text.each(Event.id, full_text.texts([glob], [word], "all"))
            for glob, word in zip(shape.excluded, given["excluded"], strict=True)
        )
    return found


def _places(shape: Shape, given: Values, caller: Caller) -> dict[str, Clause]:
    found: dict[str, Clause] = {}
    if shape.geoloc is not None:  # whether a venue of the event has coordinates
        places = fn.EXISTS(_own_venues(Venue.geo_lat.is_null(False), listed(Venue, caller)))
        found["geoloc"] = places if shape.geoloc else ~places
    if "place" in given:
        found["near"] = fn.EXISTS(_own_venues(geo.within(given["place"]), listed(Venue, caller)))
    return found


def leading(shape: Shape, given: Values, *, for_count: bool) -> dict[str, Clause]:
    """A condition that finds all events that can match first, to replace the one of the same name.

    It is faster where few events match, and always for counting.
    """
    if FEW & given.keys():
        return {}
    if shape.indexed:
        return {"words": query_hints.leading(full_text.among(Event.id, given["holders"]))}
    if "place" in given:
        return {"near": query_hints.leading(Event.id.in_(_events_near(shape, given)))}
    for name, column in LINKS.items():
        if name in given:
            started = date_range.starts(shape.dates, given["instants"], column.model.utc_start_date)
            return {name: query_hints.leading(Event.id.in_(links(column, given[name]).where(*started)))}
    if for_count and given["words"] and not shape.bounded:  # most events would have to be tested anyway
        return {"words": full_text.scanned(Event.id, _texts(shape, given))}
    return {}


def links(column: Field, ids: Sequence[Param]) -> ModelSelect:
    """The events that are linked to any of these records."""
    return column.model.select(column.model.event).where(column.in_(ids))


def _texts(shape: Shape, given: Values) -> ModelSelect:
    return full_text.texts(shape.words, given["words"], "all")


def _own_venues(*where: Clause) -> ModelSelect:
    """The venues of an event that meet these conditions; reads its links first, then each venue."""
    rows = EventVenue.select(EventVenue.event).join(Venue, JOIN.CROSS)
    return rows.where(EventVenue.event == Event.id, Venue.id == EventVenue.venue, *where)


def _events_near(shape: Shape, given: Values) -> ModelSelect:
    """Read the venues in a box around the place first, then their events in the date range."""
    caller = parameter_caller(shape.role, given["now"], given["me"])
    return (
        Venue.select(EventVenue.event)
        .join(EventVenue, JOIN.CROSS)
        .where(
            geo.in_box(given["box"]),
            geo.within(given["place"]),
            query_hints.unindexed(listed(Venue, caller)),
            EventVenue.venue == Venue.id,
            *date_range.starts(shape.dates, given["instants"], EventVenue.utc_start_date),
        )
    )


def problems(params: Params, caller: Caller) -> dict[str, str]:
    """Parameters that name what does not exist for this caller, each with its reason."""
    return _unknown(params, caller)[0]


def _unknown(params: Params, caller: Caller) -> tuple[dict[str, str], dict[str, set[int]]]:
    """The same, and the ids of the categories and tags with all descendants."""
    problems, found = status_problem(params, caller), {}
    for name, terms in (("categories", categories), ("tags", tags)):
        if name in params:
            ids = terms.with_descendants_of(params[name])
            if ids is None:
                problems[name] = message("{name} must be terms that exist, by id or slug.", name=name)
            else:
                found[name] = ids
    for name, store in (("venue", venues), ("organizer", organizers)):
        if name in params and readable_ids(store.model, params[name], caller) != set(params[name]):
            problems[name] = message("{name} must be ids of records that you may read.", name=name)
    if "post_parent" in params and not event_is_readable(params["post_parent"], caller):
        problems["post_parent"] = message(
            "{name} must be the id of an event that you may read.", name="post_parent"
        )
    if ("geoloc_lat" in params) != ("geoloc_lng" in params):
        lacking = "geoloc_lng" if "geoloc_lat" in params else "geoloc_lat"
        problems[lacking] = message("{name} must be sent together with the other coordinate.", name=lacking)
    return problems, found
