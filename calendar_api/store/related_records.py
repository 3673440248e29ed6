"""The records related to events: venues, organizers, terms, images. Loaded for a whole page, and linked."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import chain
from typing import ClassVar

from peewee import ModelDelete, ModelSelect

from calendar_api.database.models import (
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Image,
    Organizer,
    Term,
    Venue,
)
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters, could_not_create
from calendar_api.domain.translation import Message, message
from calendar_api.store import compiled_queries, images, term_counts, visibility
from calendar_api.store.compiled_queries import CompiledQuery, Param
from calendar_api.store.organizers import organizers
from calendar_api.store.terms import categories, only_an_id, tags
from calendar_api.store.venue_organizer import Fields, VenueOrganizerStore
from calendar_api.store.venues import venues
from calendar_api.store.visibility import columns

#: Venues, or organizers, of one event; the schema has the same limit.
MOST_LINKED = 20

_LINKS = ((EventVenue, venues), (EventOrganizer, organizers))
_TAXONOMIES = (("categories", categories), ("tags", tags))


@dataclass
class RelatedRecords:
    """The records related to the events of a page, by event id; only those that the caller may read.

    `counts` and `images` are by id of the term or image, `parents` are ids of events.
    """

    venues: dict[int, list[Venue]] = field(default_factory=dict)
    organizers: dict[int, list[Organizer]] = field(default_factory=dict)
    terms: dict[int, list[Term]] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    images: dict[int, Image] = field(default_factory=dict)
    parents: set[int] = field(default_factory=set)
    #: Names of the plain text fields, by noun.
    plain_fields: ClassVar[dict[str, tuple[str, ...]]] = {
        "venue": Venue.PLAIN_FIELDS,
        "organizer": Organizer.PLAIN_FIELDS,
    }


def load(events: list[Event], caller: Caller, fields: Container[str] | None = None) -> RelatedRecords:
    """Load with at most five statements for any number of events.

    With `fields`, load only what these fields of an event need.
    """
    ids = [int(event.id) for event in events]

    def needed(*names: str) -> bool:
        return fields is None or any(name in fields for name in names)

    found = RelatedRecords(venues={id: [] for id in ids}, organizers={id: [] for id in ids})
    found.terms = {id: [] for id in ids}
    if needed("venue"):
        found.venues = venues.of_events(ids, caller)
    if needed("organizer"):
        found.organizers = organizers.of_events(ids, caller)
    if needed("categories", "tags"):
        for event, term in _TERMS.grouped(ids=compiled_queries.padded(ids), now=caller.now):
            found.terms[event].append(term)
            found.counts[term.id] = term.published_count
    linked = chain(*found.venues.values(), *found.organizers.values())
    owners = chain(events, linked) if needed("image") else linked
    found.images = images.by_ids({record.image_id for record in owners if record.image_id})
    if needed("post_parent"):
        parents = {event.parent_id for event in events if event.parent_id}
        found.parents = visibility.readable_ids(Event, parents, caller)
    return found


def _terms_of_events(*, ids: list[Param], now: Param) -> ModelSelect:
    return (
        Term.select(EventTerm.event, term_counts.count(now).alias("published_count"), *columns(Term))
        .join(EventTerm, on=(EventTerm.term == Term.id))
        .where(EventTerm.event.in_(ids))
        .order_by(Term.name_folded, Term.id)
    )


_TERMS = CompiledQuery(_terms_of_events)


# -- writing


def problems(fields: Fields, caller: Caller) -> dict[str, str]:
    """Venues and organizers that cannot be linked or created, by field."""
    found: dict[str, str] = {}
    for _, store in _LINKS:
        reason = _linked_problem(fields.get(store.noun) or [], store, caller)
        if reason:
            found[store.noun] = reason
    return found


def _linked_problem(items: list[int | Fields], store: VenueOrganizerStore, caller: Caller) -> str | None:
    ids = {item for item in items if isinstance(item, int)}
    lacking = sorted(ids - store.readable_ids(ids, caller))
    if lacking:
        return message(
            "{name} must be records that you may read; there is none with the id {id}.",
            name=store.noun,
            id=lacking[0],
        )
    for item in items:
        nested = store.problems(item, caller) if isinstance(item, Mapping) else {}
        if nested:
            return _nested_problem(store.noun, nested)
    return None


def _nested_problem(noun: str, problems: dict[str, str]) -> Message:
    reason = next(iter(problems.values()))
    return could_not_create(noun, message("{name}: {reason}", name=noun, reason=reason))


def require_term_rights(fields: Fields, caller: Caller) -> None:
    """New categories need the role of an editor, new tags that of an author; raises Forbidden."""
    for name, terms in _TAXONOMIES:
        given = fields.get(name) or []
        if not given or caller.creates_terms(terms.taxonomy):
            continue
        new = [item for item, id in terms.resolve(given).items() if id is None and not only_an_id(item)]
        auth.require(
            not new,
            caller,
            message(
                "Your role does not allow you to create new {name}: choose among those that exist.", name=name
            ),
        )


def add(event: Event, fields: Fields, caller: Caller, zone: tzinfo) -> None:
    """Link a new event to the records that were sent, and create those that are new."""
    for link, store in _LINKS:
        if fields.get(store.noun):
            _add_linked(link, store.noun, event, _linked_ids(fields[store.noun], store, caller, zone))
    found = [terms.found_or_created(fields.get(name) or []) for name, terms in _TAXONOMIES]
    if any(found):
        _add_terms(event, set().union(*found))
        term_counts.count_terms_of(event.id, 1)


def replace(event: Event, fields: Fields, caller: Caller, zone: tzinfo) -> None:
    """Replace the links of each kind that was sent.

    Venues and organizers that the caller may not read stay linked, after those that were sent.
    """
    for link, store in _LINKS:
        if store.noun in fields:
            ids = _linked_ids(fields[store.noun], store, caller, zone)
            before = [int(id) for (id,) in _LINKED.rows(link, store.noun, event=event.id)]
            hidden = set(before) - store.readable_ids(set(before), caller)
            ids += [id for id in before if id in hidden][: MOST_LINKED - len(ids)]
            _UNLINKED.run(link, event=event.id)
            _add_linked(link, store.noun, event, ids)
    for name, terms in _TAXONOMIES:
        if name in fields:
            found = terms.found_or_created(fields[name])
            term_counts.count_terms_of(event.id, -1, terms.taxonomy)
            _WITHOUT_TERMS.run(event=event.id, taxonomy=terms.taxonomy)
            _add_terms(event, found)
            term_counts.count_terms_of(event.id, 1, terms.taxonomy)


def _linked_ids(
    items: list[int | Fields], store: VenueOrganizerStore, caller: Caller, zone: tzinfo
) -> list[int]:
    """Ids in the order of the items, each once; raises InvalidParameters and Forbidden."""
    try:
        ids = [
            store.find_or_create(item, caller, zone)[0] if isinstance(item, Mapping) else int(item)
            for item in items
        ]
    except InvalidParameters as error:  # a date that the zone of the site does not have
        raise InvalidParameters({store.noun: _nested_problem(store.noun, error.problems)}) from error
    return list(dict.fromkeys(ids))


def _add_linked(
    link: type[EventVenue] | type[EventOrganizer], noun: str, event: Event, ids: list[int]
) -> None:
    own = {"event": event.id, "utc_start_date": event.utc_start_date}
    compiled_queries.insert(link, [{**own, noun: id, "position": place} for place, id in enumerate(ids)])


def _add_terms(event: Event, ids: set[int]) -> None:
    own = {"event": event.id, **term_counts.of_terms(event)}
    compiled_queries.insert(EventTerm, [{**own, "term": id} for id in sorted(ids)])


def _linked(link: type[EventVenue] | type[EventOrganizer], noun: str, *, event: Param) -> ModelSelect:
    return link.select(getattr(link, noun)).where(link.event == event).order_by(link.position)


def _unlinked(link: type[EventVenue] | type[EventOrganizer], *, event: Param) -> ModelDelete:
    return link.delete().where(link.event == event)


def _without_terms(*, event: Param, taxonomy: Param) -> ModelDelete:
    own = Term.select(Term.id).where(Term.taxonomy == taxonomy)
    return EventTerm.delete().where(EventTerm.event == event, EventTerm.term.in_(own))


_LINKED = CompiledQuery(_linked)
_UNLINKED = CompiledQuery(_unlinked)
_WITHOUT_TERMS = CompiledQuery(_without_terms)
