"""What hangs on events: venues, organizers, terms, images; loaded for a whole page at once, and written."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from calendar_api import auth
from calendar_api.auth import Caller
from calendar_api.messages import message
from calendar_api.models import Event, EventOrganizer, EventTerm, EventVenue, Term
from calendar_api.store import images
from calendar_api.store.linked import Linked
from calendar_api.store.organizers import organizers
from calendar_api.store.prepared import NOW, among_ids, prepared
from calendar_api.store.terms import Terms, categories, published_counts, tags
from calendar_api.store.venues import venues
from calendar_api.store.visibility import readable

Fields = dict[str, Any]


@dataclass
class Links:
    """Everything nested in the events of a page, by event id; only what the caller may read."""

    venues: dict[int, list[Any]] = field(default_factory=dict)
    organizers: dict[int, list[Any]] = field(default_factory=dict)
    terms: dict[int, list[Any]] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    images: dict[int, Any] = field(default_factory=dict)
    parents: set[int] = field(default_factory=set)


def load(events: list[Any], caller: Caller) -> Links:
    """At most six statements for any number of events."""
    ids = [int(event.id) for event in events]
    at_venues, by_organizers, terms = (
        venues.of_events(ids, caller),
        organizers.of_events(ids, caller),
        _terms(ids),
    )
    linked = [record for group in (*at_venues.values(), *by_organizers.values()) for record in group]
    return Links(
        venues=at_venues,
        organizers=by_organizers,
        terms=terms,
        counts=published_counts({int(term.id) for group in terms.values() for term in group}, caller.now),
        images=images.by_ids({record.image_id for record in (*events, *linked) if record.image_id}),
        parents=_readable_parents({event.parent_id for event in events if event.parent_id}, caller),
    )


def _terms(ids: list[int]) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {id: [] for id in ids}
    for row in _terms_of_events().rows(ids=ids):
        found[row.event_id].append(row)
    return found


@prepared
def _terms_of_events() -> Any:
    return (
        Term.select(Term, EventTerm.event.alias("event_id"))
        .join(EventTerm, on=(EventTerm.term == Term.id))
        .where(EventTerm.event << among_ids())
        .order_by(Term.name_folded, Term.id)
    )


def _readable_parents(ids: set[int], caller: Caller) -> set[int]:
    if not ids:
        return set()
    rows = _readable_events(*caller.shape).tuples(ids=sorted(ids), now=caller.now)
    return {int(id) for (id,) in rows}


@prepared
def _readable_events(role: str, id: int | None) -> Any:
    return Event.select(Event.id).where(Event.id << among_ids(), readable(Event, Caller(NOW, id, role=role)))


# -- writing


def problems(fields: Fields, caller: Caller) -> dict[str, str]:
    """Venues, organizers and terms that cannot be linked or created, by field."""
    found = {}
    for name, store in (("venue", venues), ("organizer", organizers)):
        reason = _linked_problem(fields.get(name) or [], store, caller)
        if reason:
            found[name] = reason
    return found


def _linked_problem(items: list[Any], store: Linked, caller: Caller) -> str | None:
    ids = {item for item in items if isinstance(item, int)}
    lacking = sorted(ids - store.readable_ids(ids, caller)) if ids else []
    if lacking:
        return message(
            "{name} must be records that you may read; there is none with the id {id}.",
            name=store.noun,
            id=lacking[0],
        )
    for item in items:
        if isinstance(item, dict):
            nested = {**store.problems(item, caller), **store.own_problems(item, None)}
            if nested:
                return message("{name}: {reason}", name=store.noun, reason=next(iter(nested.values())))
    return None


def require_term_rights(fields: Fields, caller: Caller) -> None:
    """A new name is created only for callers who may manage that taxonomy (decisions §4.4)."""
    for name, terms in (("categories", categories), ("tags", tags)):
        given = fields.get(name) or []
        if not given or caller.manages_terms(terms.taxonomy):
            continue
        new = [item for item, id in terms.resolve(given).items() if id is None and not _only_an_id(item)]
        auth.require(
            not new,
            caller,
            message(
                "Your role does not allow you to create new {name}: choose among those that exist.", name=name
            ),
        )


def write(event_id: int, fields: Fields, caller: Caller, zone: tzinfo) -> None:
    """Replace the links of each kind that was sent, creating what is new on the way."""
    if "venue" in fields:
        _write_linked(EventVenue, "venue", event_id, _linked_ids(fields["venue"], venues, caller, zone))
    if "organizer" in fields:
        ids = _linked_ids(fields["organizer"], organizers, caller, zone)
        _write_linked(EventOrganizer, "organizer", event_id, ids)
    for name, terms in (("categories", categories), ("tags", tags)):
        if name in fields:
            _write_terms(event_id, fields[name], terms)


def _linked_ids(items: list[Any], store: Linked, caller: Caller, zone: tzinfo) -> list[int]:
    ids = [item if isinstance(item, int) else int(store.create(item, caller, zone).id) for item in items]
    return list(dict.fromkeys(ids))


def _write_linked(link: Any, noun: str, event_id: int, ids: Iterable[int]) -> None:
    link.delete().where(link.event == event_id).execute()
    rows = [{"event": event_id, noun: id, "position": place} for place, id in enumerate(ids)]
    if rows:
        link.insert_many(rows).execute()


def _write_terms(event_id: int, given: list[int | str], terms: Terms) -> None:
    resolved = terms.resolve(given)
    ids = {id for id in resolved.values() if id is not None}
    for item, id in resolved.items():
        if id is None and isinstance(item, str) and not _only_an_id(item):
            ids.add(terms.found_or_created(item))
    own = Term.select(Term.id).where(Term.taxonomy == terms.taxonomy)
    EventTerm.delete().where(EventTerm.event == event_id, EventTerm.term.in_(own)).execute()
    if ids:
        EventTerm.insert_many([{"event": event_id, "term": id} for id in sorted(ids)]).execute()


def _only_an_id(item: int | str) -> bool:
    """An unknown number is an id of nothing, which the reference passes over, and no name for a new term."""
    return isinstance(item, int) or item.lstrip("-").isdigit()
