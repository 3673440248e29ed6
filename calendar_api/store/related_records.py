"""Link events to venues, organizers and terms, which are created if they are new.

Links repeat columns of their event, so that lists and counts need not read the events.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from peewee import ModelDelete, ModelSelect, ModelUpdate, fn

from calendar_api.database.models import Event, EventOrganizer, EventTerm, EventVenue, Table, Term
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import Forbidden, InvalidParameters, could_not_create
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import Message, message
from calendar_api.store import compiled_queries
from calendar_api.store.compiled_queries import Columns, CompiledQuery, Param, padded
from calendar_api.store.terms import categories, only_an_id, tags
from calendar_api.store.venue_organizer import Fields, VenueOrganizerStore, organizers, venues
from calendar_api.store.visibility import listed, readable_ids, unlocked

#: Venues, or organizers, of one event; the schema has the same limit.
MOST_LINKED = 20

_STORES = (venues, organizers)
_TAXONOMIES = (("categories", categories), ("tags", tags))


def problems(fields: Fields, caller: Caller) -> dict[str, str]:
    """Venues and organizers that cannot be linked or created, by field."""
    found: dict[str, str] = {}
    for store in _STORES:
        reason = fields.get(store.noun) and _linked_problem(fields[store.noun], store, caller)
        if reason:
            found[store.noun] = reason
    return found


def _linked_problem(items: list[int | Fields], store: VenueOrganizerStore, caller: Caller) -> str | None:
    ids = {item for item in items if isinstance(item, int)}
    lacking = sorted(ids - readable_ids(store.model, ids, caller)) if ids else []
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


def event_counts(noun: str, ids: list[int], caller: Caller) -> dict[int, int]:
    """The numbers of events that are listed for the caller, by venue or organizer; 0 is left out."""
    link = (venues if noun == "venue" else organizers).link
    column = getattr(link, noun)
    rows = link.select(column, fn.COUNT(link.event)).join(Event, on=(link.event == Event.id))
    rows = rows.where(column.in_(ids), listed(Event, caller), unlocked(caller)).group_by(column)
    return {int(id): int(number) for id, number in rows.tuples()}


def require_term_rights(fields: Fields, caller: Caller) -> None:
    """New categories need the role of an editor, new tags that of an author; raises Forbidden."""
    for name, terms in _TAXONOMIES:
        given = fields.get(name) or []
        if not given or caller.creates_terms(terms.taxonomy):
            continue
        new = [item for item, id in terms.resolve(given).items() if id is None and not only_an_id(item)]
        if new:
            reason = message(
                "Your role does not allow you to create new {name}: choose among those that exist.", name=name
            )
            raise Forbidden(reason, anonymous=caller.anonymous)


def add(new: Sequence[tuple[Event, Fields]], caller: Caller, site: SiteSettings) -> None:
    """Link new events to the records that were sent with them, and create those that are new."""
    for store in _STORES:
        sent = [(event, fields[store.noun]) for event, fields in new if fields.get(store.noun)]
        found = _linked_ids([items for _, items in sent], store, caller, site)
        rows = [row for (event, _), ids in zip(sent, found, strict=True) for row in _links(store, event, ids)]
        compiled_queries.insert(store.link, rows)
    by_event: dict[int, set[int]] = {}
    for name, terms in _TAXONOMIES:
        sent = [(event, fields[name]) for event, fields in new if fields.get(name)]
        for (event, _), ids in zip(
            sent, terms.found_or_created([items for _, items in sent], site), strict=True
        ):
            by_event[event.id] = by_event.get(event.id, set()) | ids
    rows = [row for event, _ in new for row in _term_links(event, by_event.get(event.id, set()))]
    compiled_queries.insert(EventTerm, rows)
    numbers = Counter(row["term"] for row in rows if row["counted_from_utc"])
    for number in set(numbers.values()):
        _more.run(ids=padded(id for id in numbers if numbers[id] == number), by=number)


def replace(event: Event, fields: Fields, caller: Caller, site: SiteSettings) -> bool:
    """Replace the links of each kind that was sent; return whether the first venue is another one.

    Venues and organizers that the caller may not read stay linked, after those that were sent.
    """
    moved = False
    for store in _STORES:
        if store.noun in fields:
            ids = _linked_ids([fields[store.noun]], store, caller, site)[0]
            before = [int(id) for (id,) in _linked.rows(store, event=event.id)]
            hidden = set(before) - readable_ids(store.model, before, caller)
            ids += [id for id in before if id in hidden][: MOST_LINKED - len(ids)]
            _unlinked.run(store.link, event=event.id)
            compiled_queries.insert(store.link, _links(store, event, ids))
            moved |= store is venues and ids[:1] != before[:1]
    for name, terms in _TAXONOMIES:
        if name in fields:
            found = terms.found_or_created([fields[name]], site)[0]
            _counted.run(terms.taxonomy, event=event.id, by=-1)
            _without_terms.run(event=event.id, taxonomy=terms.taxonomy)
            compiled_queries.insert(EventTerm, _term_links(event, found))
            _counted.run(terms.taxonomy, event=event.id, by=1)
    return moved


def sync(event: Event, before: Event) -> None:
    """Update the links of an event if columns that they repeat differ from `before`."""
    own = _repeated_by_terms(event)
    if own == _repeated_by_terms(before):
        return
    _counted.run("", event=event.id, by=-1)
    _synced.run(EventTerm, tuple(own), event=event.id, values=list(own.values()))
    _counted.run("", event=event.id, by=1)
    if event.utc_start_date != before.utc_start_date:
        for link in (EventVenue, EventOrganizer):
            _synced.run(link, ("utc_start_date",), event=event.id, values=[event.utc_start_date])


def recount_term(term_id: int) -> None:
    """Count the links of a term again, after many of them were changed."""
    Term.update(counted=_counting()).where(Term.id == term_id).execute()


def wrong_counts() -> list[int]:
    """The ids of terms whose stored count is not the number of links that count."""
    return [int(id) for (id,) in Term.select(Term.id).where(Term.counted != _counting()).tuples()]


def _linked_ids(
    lists: Sequence[list[int | Fields]], store: VenueOrganizerStore, caller: Caller, site: SiteSettings
) -> list[list[int]]:
    """The ids of each list in its order, each once; raises InvalidParameters and Forbidden."""
    known = store.namesakes([item for items in lists for item in items if isinstance(item, Mapping)], caller)
    try:
        ids = [
            [
                store.find_or_create(item, caller, site, known) if isinstance(item, Mapping) else int(item)
                for item in items
            ]
            for items in lists
        ]
    except InvalidParameters as error:  # a date that the zone of the site does not have
        raise InvalidParameters({store.noun: _nested_problem(store.noun, error.problems)}) from error
    return [list(dict.fromkeys(found)) for found in ids]


def _links(store: VenueOrganizerStore, event: Event, ids: list[int]) -> list[Columns]:
    own = {"event": event.id, "utc_start_date": event.utc_start_date}
    return [{**own, store.noun: id, "position": place} for place, id in enumerate(ids)]


def _term_links(event: Event, ids: set[int]) -> list[Columns]:
    own = {"event": event.id, **_repeated_by_terms(event)}
    return [{**own, "term": id} for id in sorted(ids)]


def _repeated_by_terms(event: Event) -> dict[str, str | None]:
    """The columns that links to terms repeat.

    A term counts events that are published without a password, from their publication date on, for all
    callers alike (docs/interface.md#visibility).
    """
    public = event.status == "publish" and not event.password
    return {
        "utc_start_date": event.utc_start_date,
        "counted_from_utc": event.published_utc if public else None,
    }


def _counting() -> ModelSelect:
    return EventTerm.select(fn.COUNT(EventTerm.event)).where(
        EventTerm.term == Term.id, EventTerm.counted_from_utc.is_null(False)
    )


@CompiledQuery
def _counted(taxonomy: str, *, event: Param, by: Param) -> ModelUpdate:
    """Add `by` to the counts of the terms of an event, or of one taxonomy, if its links count.

    Run it before and after changing links to terms: `Term.counted` is the number of links that count.
    """
    links = EventTerm.select(EventTerm.term)
    links = links.where(EventTerm.event == event, EventTerm.counted_from_utc.is_null(False))
    own = (Term.taxonomy == taxonomy,) if taxonomy else ()
    return Term.update(counted=Term.counted + by).where(Term.id.in_(links), *own)


@CompiledQuery
def _more(*, ids: list[Param], by: Param) -> ModelUpdate:
    return Term.update(counted=Term.counted + by).where(Term.id.in_(ids))


@CompiledQuery
def _synced(link: type[Table], names: tuple[str, ...], *, event: Param, values: list[Param]) -> ModelUpdate:
    return link.update(dict(zip(names, values, strict=True))).where(link.event == event)


@CompiledQuery
def _linked(store: VenueOrganizerStore, *, event: Param) -> ModelSelect:
    link = store.link
    return link.select(getattr(link, store.noun)).where(link.event == event).order_by(link.position)


@CompiledQuery
def _unlinked(link: type[EventVenue] | type[EventOrganizer], *, event: Param) -> ModelDelete:
    return link.delete().where(link.event == event)


@CompiledQuery
def _without_terms(*, event: Param, taxonomy: Param) -> ModelDelete:
    own = Term.select(Term.id).where(Term.taxonomy == taxonomy)
    return EventTerm.delete().where(EventTerm.event == event, EventTerm.term.in_(own))
