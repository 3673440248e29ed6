"""What hangs on events: venues, organizers, terms, images; loaded for a whole page at once, and written."""

from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from calendar_api.database.models import Event, EventOrganizer, EventTerm, EventVenue, Table, Term
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters, could_not_create
from calendar_api.domain.translation import Message, message
from calendar_api.store import compiled_queries, images, query_hints, term_counts
from calendar_api.store.compiled_queries import CompiledQuery
from calendar_api.store.organizers import organizers
from calendar_api.store.terms import categories, only_an_id, tags
from calendar_api.store.venue_organizer import VenueOrganizerStore
from calendar_api.store.venues import venues
from calendar_api.store.visibility import columns, readable

Fields = dict[str, Any]

#: Venues, or organizers, of one event, as the schema limits what is sent.
MOST_LINKED = 20

_TAXONOMIES = (("categories", categories), ("tags", tags))


@dataclass
class RelatedRecords:
    """Everything nested in the events of a page, by event id; only what the caller may read."""

    venues: dict[int, list[Any]] = field(default_factory=dict)
    organizers: dict[int, list[Any]] = field(default_factory=dict)
    terms: dict[int, list[Any]] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    images: dict[int, Any] = field(default_factory=dict)
    parents: set[int] = field(default_factory=set)


def load(events: list[Any], caller: Caller) -> RelatedRecords:
    """At most five statements for any number of events."""
    ids = [int(event.id) for event in events]
    at_venues, by_organizers, terms = (
        venues.of_events(ids, caller),
        organizers.of_events(ids, caller),
        _terms(ids, caller.now),
    )
    linked = [record for group in (*at_venues.values(), *by_organizers.values()) for record in group]
    return RelatedRecords(
        venues=at_venues,
        organizers=by_organizers,
        terms=terms,
        counts={term.id: term.published_count for group in terms.values() for term in group},
        images=images.by_ids({record.image_id for record in (*events, *linked) if record.image_id}),
        parents=_readable_parents({event.parent_id for event in events if event.parent_id}, caller),
    )


def _terms(ids: list[int], now: str) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {id: [] for id in ids}
    for event, term in _TERMS.grouped(ids=compiled_queries.padded(ids), now=now):
        found[event].append(term)
    return found


def _terms_of_events(*, ids: list[Any], now: Any) -> Any:
    return (
        Term.select(EventTerm.event, term_counts.count(now).alias("published_count"), *columns(Term))
        .join(EventTerm, on=(EventTerm.term == Term.id))
        .where(EventTerm.event.in_(ids))
        .order_by(Term.name_folded, Term.id)
    )


_TERMS = CompiledQuery(_terms_of_events)


def _readable_parents(ids: set[int], caller: Caller) -> set[int]:
    if not ids:
        return set()
    rows = _READABLE.rows(caller.role, ids=compiled_queries.padded(sorted(ids)), now=caller.now, me=caller.id)
    return {int(id) for (id,) in rows}


def _readable_events(role: str, *, ids: list[Any], now: Any, me: Any) -> Any:
    visible = readable(Event, Caller(now, me, role=role))
    return Event.select(Event.id).where(*query_hints.first(Event.id.in_(ids), visible))


_READABLE = CompiledQuery(_readable_events)


# -- writing


def problems(fields: Fields, caller: Caller) -> dict[str, str]:
    """Venues, organizers and terms that cannot be linked or created, by field."""
    found = {}
    for name, store in (("venue", venues), ("organizer", organizers)):
        reason = _linked_problem(fields.get(name) or [], store, caller)
        if reason:
            found[name] = reason
    return found


def _linked_problem(items: list[Any], store: VenueOrganizerStore, caller: Caller) -> str | None:
    ids = {item for item in items if isinstance(item, int)}
    lacking = sorted(ids - store.readable_ids(ids, caller)) if ids else []
    if lacking:
        return message(
            "{name} must be records that you may read; there is none with the id {id}.",
            name=store.noun,
            id=lacking[0],
        )
    for nested in store.problems_of([item for item in items if isinstance(item, dict)], caller):
        if nested:
            return _nested_problem(store.noun, nested)
    return None


def _nested_problem(noun: str, problems: dict[str, str]) -> Message:
    reason = next(iter(problems.values()))
    return could_not_create(noun, message("{name}: {reason}", name=noun, reason=reason))


def require_term_rights(fields: Fields, caller: Caller) -> None:
    """New categories are created for editors only, new tags for authors as well."""
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


def add(event: Any, fields: Fields, caller: Caller, zone: tzinfo) -> None:
    """Link a new event to what was sent, creating what is new on the way."""
    for link, store in ((EventVenue, venues), (EventOrganizer, organizers)):
        ids = _linked_ids(fields.get(store.noun) or [], store, caller, zone)
        _add_linked(link, store.noun, event, ids)
    found = [terms.found_or_created(fields.get(name) or []) for name, terms in _TAXONOMIES]
    if any(found):
        _add_terms(event, set().union(*found))
        term_counts.count_terms_of(event.id, 1)


def replace(event: Any, fields: Fields, caller: Caller, zone: tzinfo) -> None:
    """The same for an event that has links: those of each kind that was sent take their place.

    Venues and organizers that the caller may not read stay linked, after those that were sent.
    """
    for link, store in ((EventVenue, venues), (EventOrganizer, organizers)):
        if store.noun in fields:
            ids = _linked_ids(fields[store.noun], store, caller, zone)
            known = [int(id) for (id,) in _LINKED.rows(link, store.noun, event=event.id)]
            hidden = set(known) - (store.readable_ids(set(known), caller) if known else set())
            ids += [id for id in known if id in hidden][: MOST_LINKED - len(ids)]
            _UNLINKED.run(link, event=event.id)
            _add_linked(link, store.noun, event, ids)
    for name, terms in _TAXONOMIES:
        if name in fields:
            found = terms.found_or_created(fields[name])
            term_counts.count_terms_of(event.id, -1, terms.taxonomy)
            _WITHOUT_TERMS.run(event=event.id, taxonomy=terms.taxonomy)
            _add_terms(event, found)
            term_counts.count_terms_of(event.id, 1, terms.taxonomy)


def _linked_ids(items: list[Any], store: VenueOrganizerStore, caller: Caller, zone: tzinfo) -> list[int]:
    """Ids in the order that was sent, each once."""
    try:
        made = iter(store.ids([item for item in items if isinstance(item, dict)], caller, zone))
    except InvalidParameters as error:  # a date that the zone of the site does not have
        raise InvalidParameters({store.noun: _nested_problem(store.noun, error.problems)}) from error
    return list(dict.fromkeys(next(made) if isinstance(item, dict) else item for item in items))


def _add_linked(link: type[Table], noun: str, event: Any, ids: list[int]) -> None:
    own = {"event": event.id, "utc_start_date": event.utc_start_date}
    compiled_queries.insert(link, [{**own, noun: id, "position": place} for place, id in enumerate(ids)])


def _add_terms(event: Any, ids: set[int]) -> None:
    own = {"event": event.id, **term_counts.of_terms(event)}
    compiled_queries.insert(EventTerm, [{**own, "term": id} for id in sorted(ids)])


def _linked(link: Any, noun: str, *, event: Any) -> Any:
    return link.select(getattr(link, noun)).where(link.event == event).order_by(link.position)


def _unlinked(link: Any, *, event: Any) -> Any:
    return link.delete().where(link.event == event)


def _without_terms(*, event: Any, taxonomy: Any) -> Any:
    own = Term.select(Term.id).where(Term.taxonomy == taxonomy)
    return EventTerm.delete().where(EventTerm.event == event, EventTerm.term.in_(own))


_LINKED = CompiledQuery(_linked)
_UNLINKED = CompiledQuery(_unlinked)
_WITHOUT_TERMS = CompiledQuery(_without_terms)
