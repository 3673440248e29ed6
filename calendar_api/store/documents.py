"""Load stored documents: those of a page of events with everything that they show of other records."""

from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

from peewee import JOIN, Join, ModelSelect, Value

from calendar_api import database
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
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import NotFound
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.representations import documents, events, terms, venue_organizer
from calendar_api.representations.events import Nested
from calendar_api.store import compiled_queries, query_hints
from calendar_api.store.compiled_queries import CompiledQuery, Param
from calendar_api.store.ids import Kind
from calendar_api.store.visibility import listed, parameter_caller, published_events, readable, scheduled

Record: TypeAlias = Event | Venue | Organizer
Model: TypeAlias = type[Record] | type[Term]
#: The parts of a document (see `representations.documents.parts`).
Parts: TypeAlias = list[bytes]

_RENDER: dict[Any, Callable[[Any, SiteSettings], bytes]] = {
    Event: events.document,
    Venue: lambda row, site: venue_organizer.venue(row, Venue.PLAIN_FIELDS, site),
    Organizer: lambda row, site: venue_organizer.organizer(row, Organizer.PLAIN_FIELDS, site),
    Term: terms.document,
}
NOUNS: dict[Any, Kind] = {Event: "event", Venue: "venue", Organizer: "organizer"}
_IMAGE = (Image.url, Image.extension, Image.width, Image.height, Image.filesize)
#: Model, and index in `Nested`, by noun or taxonomy.
_SHOWN: dict[str, tuple[Model, int]] = {
    "event": (Event, -1),
    "venue": (Venue, Nested._fields.index("venues")),
    "organizer": (Organizer, Nested._fields.index("organizers")),
    **{name: (Term, Nested._fields.index(field)) for name, field in terms.ARCHIVES.items()},
}
_LINKS = ((Venue, EventVenue, EventVenue.venue), (Organizer, EventOrganizer, EventOrganizer.organizer))
_TOGETHER = 100  # rows of a write transaction


def render(model: Model, row: Any, site: SiteSettings) -> bytes:
    """The document of a row."""
    return _RENDER[model](row, site)


def columns(model: type[Record], now: Any) -> tuple[Any, ...]:
    """What a record is shown from; needs a left join with `Image`."""
    return (model.id, model.document, scheduled(model, now).alias("is_scheduled"), model.image, *_IMAGE)


def venues_or_organizers(
    model: type[Venue] | type[Organizer], rows: Iterable[Any], site: SiteSettings
) -> dict[int, Parts]:
    """The parts of venues or organizers in rows with `columns`, with their images, by id."""
    rows, noun = list(rows), NOUNS[model]
    load = _loader(site, lambda _: [row.id for row in rows])
    return {row.id: documents.with_image(load(noun, row), row) for row in rows}


def _loader(site: SiteSettings, ids: Callable[[str], Iterable[int]]) -> documents.Loader:
    """A loader for rows of these nouns and ids; those whose documents cannot be used are read together."""

    def render_all(noun: str) -> dict[int, bytes]:
        model: Any = _SHOWN[noun][0]
        rows = model.select().where(model.id.in_(list(ids(noun))))
        return {int(row.id): render(model, row, site) for row in rows}

    return documents.Loader(site, render_all)


def find(model: type[Record], column: str, key: str | int, caller: Caller) -> Any:
    """The row with this `id` or `slug`, and `columns`; raises NotFound if the caller may not read it."""
    found = _find.objects(model, column, caller.role, key=key, now=caller.now, me=caller.id)
    if not found:
        raise NotFound(NOUNS[model])
    return found[0]


@CompiledQuery
def _find(model: type[Record], column: str, role: str, *, key: Param, now: Param, me: Param) -> ModelSelect:
    caller = parameter_caller(role, now, me)
    own = (*model._meta.sorted_fields, scheduled(model, now).alias("is_scheduled"))
    rows = model.select(*own, *_IMAGE).from_(model)
    rows = rows.join(Image, JOIN.LEFT_OUTER, on=(Image.id == model.image))
    if model is Event:
        parent = Event.alias()
        shown = (parent.id == Event.parent) & readable(parent, caller)
        rows = rows.select_extend(parent.id.alias("shown_parent"), parent.uid.alias("parent_uid"))
        rows = rows.join_from(Event, parent, JOIN.LEFT_OUTER, on=shown)
    return rows.where(getattr(model, column) == key, readable(model, caller))


# -- events


def events_of(page: ModelSelect, caller: Caller) -> ModelSelect:
    """The events whose ids are in the column `id` of a query, which has decided that they are visible."""
    selected, parent = page.alias("page"), Event.alias()
    found = Join(selected, Event, JOIN.CROSS, on=(Event.id == selected.c.id))  # in this order
    found = Join(found, Image, JOIN.LEFT_OUTER, on=(Image.id == Event.image))
    shown = (parent.id == Event.parent) & readable(parent, caller)
    found = Join(found, parent, JOIN.LEFT_OUTER, on=shown)
    more = (Event.author, Event.status, Event.password, Event.sequence)
    of_parent = (parent.id.alias("shown_parent"), parent.uid.alias("parent_uid"))
    return (
        Event.select(*columns(Event, caller.now), *more, *of_parent)
        .from_(found)
        .order_by(Event.utc_start_date, Event.id)
    )


def load_events(
    rows: Sequence[Any], caller: Caller, site: SiteSettings, fields: Container[str] | None = None
) -> list[events.Loaded]:
    """The events in rows of `events_of`, with the records related to them that the caller may read.

    With `fields`, related records are loaded only if one of these fields shows them.
    """
    load = _loader(site, lambda _: [row.id for row in rows])
    needed = fields is None or any(name in fields for name in events.NESTED_FIELDS)
    nested = _nested([row.id for row in rows], caller, site) if rows and needed else {}
    return [
        events.Loaded(
            row.id, row.author_id, "future" if row.is_scheduled else row.status, row.password,
            load("event", row),
            documents.image(row) if row.image_id else None, row.shown_parent or 0,
            nested.get(row.id) or Nested([], [], [], []), row.sequence, row.parent_uid or "",
        )
        for row in rows
    ]  # fmt: skip


def _nested(ids: list[int], caller: Caller, site: SiteSettings) -> dict[int, Nested]:
    """The records related to events, by the id of the event; one statement."""
    rows = _related.objects(caller.role, ids=compiled_queries.padded(ids), now=caller.now, me=caller.id)
    load = _loader(site, lambda noun: {row.id for row in rows if row.noun == noun})
    rows.sort()  # by position, name and id, the first columns
    nested = {id: Nested([], [], [], []) for id in ids}
    shown: dict[int, Any] = {}  # events often share records
    for row in rows:
        model, field = _SHOWN[row.noun]
        if row.id not in shown:
            found = load(row.noun, row)
            if model is Term:
                shown[row.id] = documents.with_count(found, row.published_count)
            else:
                shown[row.id] = documents.with_image(found, row)
        nested[row.event_id][field].append(shown[row.id])
    return nested


@CompiledQuery
def _related(role: str, *, ids: list[Param], now: Param, me: Param) -> ModelSelect:
    caller = parameter_caller(role, now, me)
    found: Any = None
    for model, link, column in _LINKS:
        rows = (
            link.select(
                link.position, Value("").alias("name"), *columns(model, now), link.event.alias("event_id"),
                Value(NOUNS[model]).alias("noun"), Value(None).alias("published_count"),
            )
            .join(model, on=(model.id == column))
            .join(Image, JOIN.LEFT_OUTER, on=(Image.id == model.image))
            .where(*query_hints.first(link.event.in_(ids), listed(model, caller)))
        )  # fmt: skip
        found = rows if found is None else found.union_all(rows)
    no_image = [Value(None) for _ in range(6)]
    own = (
        EventTerm.select(
            Value(0), Term.name_folded, Term.id, Term.document, Value(0), *no_image, EventTerm.event,
            Term.taxonomy, published_events(now),
        )
        .join(Term, on=(EventTerm.term == Term.id))
        .where(EventTerm.event.in_(ids))
    )  # fmt: skip
    return found.union_all(own)


# -- keeping documents up to date


def rewrite(site: SiteSettings, progress: Callable[[int, int], None] = lambda done, total: None) -> int:
    """Render all documents that cannot be used, in write transactions of a few rows; return their number.

    `progress` gets how many of one kind are done, and how many there are.
    """
    total = 0
    for model in _RENDER:
        ids = database.run_read(partial(_unusable, model, site))
        for at in range(0, len(ids), _TOGETHER):
            database.run_write(partial(_render_again, model, ids[at : at + _TOGETHER], site))
            progress(at, len(ids))
        total += len(ids)
    return total


def _unusable(model: Any, site: SiteSettings) -> list[int]:
    rows = model.select(model.id, model.document).order_by(model.id).tuples().iterator()
    version = documents.version(site)
    return [int(id) for id, document in rows if documents.parts(document, version) is None]


def _render_again(model: Any, ids: list[int], site: SiteSettings) -> None:
    for row in model.select().where(model.id.in_(ids)):
        model.update(document=render(model, row, site)).where(model.id == row.id).execute()


def problems(site: SiteSettings, sample: int) -> tuple[int, list[int]]:
    """The number of documents that cannot be used, and the ids of those in a sample that are wrong.

    `sample` is the number of records of each kind that are compared with what their rows make.
    """
    number, wrong = 0, []
    for model in _RENDER:
        unusable = set(_unusable(model, site))
        number += len(unusable)
        usable = [id for (id,) in model.select(model.id).tuples() if id not in unusable]
        for id in usable[:: max(1, len(usable) // sample)]:
            row = model.get_by_id(id)
            if row.document != render(model, row, site):
                wrong.append(int(id))
    return number, wrong
