"""Lists of venues or organizers with their filters (docs/interface.md#venue-and-organizer-filters)."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from peewee import SQL, ModelSelect, fn

from calendar_api.database.models import Event, Venue
from calendar_api.domain import form_params, search_query
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters
from calendar_api.domain.translation import message
from calendar_api.representations.archive import Page
from calendar_api.representations.rows import StoredRow
from calendar_api.store import documents, full_text, query_hints
from calendar_api.store.compiled_queries import CompiledQuery, Param
from calendar_api.store.query_hints import Clause
from calendar_api.store.venue_organizer import VenueOrganizerStore
from calendar_api.store.visibility import (
    Params,
    event_is_readable,
    in_status,
    listed,
    parameter_caller,
    readable,
    status_problem,
    unlocked,
)


class _ListShape(NamedTuple):
    """What decides the SQL of a list; `indexed`: the full-text index has found the records."""

    role: str
    statuses: tuple[str, ...] | None
    words: tuple[bool, ...] | None
    indexed: bool
    event: bool
    has_events: bool | None
    upcoming: bool


def search(store: VenueOrganizerStore, query: Params, caller: Caller) -> Page[StoredRow]:
    """A page of rows for `documents.venues_or_organizers`, newest first; raises InvalidParameters.

    See docs/interface.md#venue-and-organizer-filters.
    """
    problems = status_problem(query, caller)
    if "event" in query and not event_is_readable(query["event"], caller):
        problems["event"] = message("{name} must be the id of an event that you may read.", name="event")
    if problems:
        raise InvalidParameters(problems)
    # Every fragment of the search must stand in the same field (docs/interface.md#search).
    fragments = search_query.fragments(query.get("search", ""))
    holders = full_text.holders(fragments, full_text.FEW) if fragments else None
    words = full_text.words(fragments) if holders is None else full_text.NO_WORDS
    shape = _ListShape(
        role=caller.role,
        statuses=tuple(query["status"]) if "status" in query else None,
        words=words.globs if "search" in query else None,
        indexed=holders is not None,
        event="event" in query,
        has_events=form_params.truthy(query["has_events"]) if "has_events" in query else None,
        upcoming=form_params.truthy(query.get("only_with_upcoming", "false")),
    )
    values = {
        "now": caller.now, "me": caller.id, "words": words.values, "holders": holders,
        "event": query.get("event"),
    }  # fmt: skip
    total = _count.number(store, shape, **values)
    page: Page[StoredRow] = Page([], total, query["page"], query["per_page"])
    first, last = page.bounds
    if first < last:
        page.records.extend(_page.objects(store, shape, **values, limit=last - first, offset=first))
    return page


def choices(store: VenueOrganizerStore, caller: Caller, most: int) -> list[tuple[int, str, str]]:
    """Id, name and city ("" for organizers) of the newest records that are listed for the caller."""
    rows = _choices.rows(store, caller.role, now=caller.now, me=caller.id, limit=most)
    return [(int(id), name, city) for id, name, city in rows]


def _clauses(store: VenueOrganizerStore, shape: _ListShape, given: Mapping[str, Param]) -> Iterator[Clause]:
    model, caller = store.model, parameter_caller(shape.role, given["now"], given["me"])
    open_events = readable(Event, caller) & unlocked(caller)
    if shape.statuses is None:
        yield listed(model, caller)
    else:
        yield in_status(model, shape.statuses, caller)
    if shape.indexed:
        yield query_hints.leading(full_text.among(model.id, given["holders"]))
    elif shape.words is not None:
        yield full_text.each(model.id, full_text.texts(shape.words, given["words"]))
    if shape.event:
        yield model.id.in_(_links_of_events(store, (Event.id == given["event"]) & open_events))
    if shape.has_events is not None:  # linked to an event that counts, or to none that does
        counted = _links_of_events(store, open_events & Event.status.in_(("publish", "private")))
        yield model.id.in_(counted) if shape.has_events else model.id.not_in(counted)
    if shape.upcoming:
        upcoming = (Event.utc_start_date >= given["now"]) & ~Event.hide_from_listings
        shown = upcoming & listed(Event, caller) & unlocked(caller)
        yield model.id.in_(_links_of_events(store, shown))


def _links_of_events(store: VenueOrganizerStore, where: Clause) -> ModelSelect:
    links = store.link.select(getattr(store.link, store.noun))
    return links.join(Event, on=(store.link.event == Event.id)).where(where)


@CompiledQuery
def _count(store: VenueOrganizerStore, shape: _ListShape, **given: Param) -> ModelSelect:
    return store.model.select(fn.COUNT(SQL("*"))).where(*query_hints.led(_clauses(store, shape, given)))


@CompiledQuery
def _page(
    store: VenueOrganizerStore, shape: _ListShape, *, limit: Param, offset: Param, **given: Param
) -> ModelSelect:
    model = store.model
    rows = model.select(*documents.columns(model, given["now"]))
    ordered = rows.order_by(model.published_utc.desc(), model.id.desc())
    return ordered.where(*query_hints.led(_clauses(store, shape, given))).limit(limit).offset(offset)


@CompiledQuery
def _choices(store: VenueOrganizerStore, role: str, *, now: Param, me: Param, limit: Param) -> ModelSelect:
    model = store.model
    city = Venue.city if model is Venue else SQL("''")
    rows = model.select(model.id, getattr(model, store.noun), city)
    rows = rows.where(listed(model, parameter_caller(role, now, me)))
    return rows.order_by(model.published_utc.desc(), model.id.desc()).limit(limit)
