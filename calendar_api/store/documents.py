"""Load stored documents: those of a page of events with everything that they show of other records."""

from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial, reduce
from typing import Any, Literal, TypeAlias, TypeGuard, TypeVar
from zlib import crc32

from peewee import JOIN, Case, Join, ModelSelect, Node, Value

from calendar_api.database.models import (
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Image,
    Organizer,
    PublishedRecord,
    Term,
    Venue,
)
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import NotFound
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.representations import documents, events, terms, venue_organizer
from calendar_api.representations.documents import INSERTED_JSON
from calendar_api.representations.events import Nested
from calendar_api.representations.records import ImageJson
from calendar_api.representations.rows import ListedEventRow, Row, StoredRow
from calendar_api.store import compiled_queries, query_hints
from calendar_api.store.compiled_queries import CompiledQuery, Param
from calendar_api.store.identifiers import Kind
from calendar_api.store.visibility import listed, parameter_caller, published_events, readable, scheduled

Record: TypeAlias = Event | Venue | Organizer
Model: TypeAlias = type[Record] | type[Term]
Found = TypeVar("Found", bound=PublishedRecord)
#: A column with what lists do not show.
More: TypeAlias = Literal["json_ld", "calendar_lines"]
Images: TypeAlias = dict[int, ImageJson]
RENDER: dict[Model, Callable[..., dict[str, bytes]]] = {
    Event: events.own_documents,
    Venue: partial(venue_organizer.venue, fields=Venue.PLAIN_FIELDS),
    Organizer: partial(venue_organizer.organizer, fields=Organizer.PLAIN_FIELDS),
    Term: lambda row, site, image: {"document": terms.document(row)},
}
NOUNS: dict[type[PublishedRecord], Kind] = {Event: "event", Venue: "venue", Organizer: "organizer"}
#: Model, and index in `Nested`, by noun or taxonomy.
_SHOWN: dict[str, tuple[Model, int]] = {
    "venue": (Venue, Nested._fields.index("venues")),
    "organizer": (Organizer, Nested._fields.index("organizers")),
    **{name: (Term, Nested._fields.index(field)) for name, field in terms.ARCHIVES.items()},
}
_LINKS = ((Venue, EventVenue, EventVenue.venue), (Organizer, EventOrganizer, EventOrganizer.organizer))
#: The checksum of bytes that end with their own checksum, whatever they are.
_INTACT, _CHECKSUM_LENGTH = 0x2144DF1C, 4


def render(model: Model, row: Row, site: SiteSettings) -> dict[str, bytes]:
    """The columns with the documents of a row; needs a connection."""
    return render_all(model, [row], site)[0]


def render_all(model: Model, rows: Sequence[Row], site: SiteSettings) -> list[dict[str, bytes]]:
    """The same of each of these rows."""
    images, seed = _images(rows), seed_of(site)
    return [
        {
            name: one + crc32(one, seed).to_bytes(_CHECKSUM_LENGTH, "little")
            for name, one in _contents(model, row, site, images).items()
        }
        for row in rows
    ]


def seed_of(site: SiteSettings) -> int:
    """What checksums begin with, so that documents of other versions and settings are not used."""
    return crc32(f"{documents.VERSION} {site.timezone} {site.currency_symbol}".encode())


def is_usable(document: object, seed: int) -> TypeGuard[bytes]:
    """False for a document that is missing, damaged, or of another version or other settings."""
    return isinstance(document, bytes) and crc32(document, seed) == _INTACT


def _contents(model: Model, row: Row, site: SiteSettings, images: Images) -> dict[str, bytes]:
    return RENDER[model](row, site=site, image=images.get(getattr(row, "image_id", 0)))  # terms have none


def _images(rows: Iterable[Row]) -> Images:
    """The images of rows by id, as their documents show them: images never change."""
    ids = sorted({id for row in rows if (id := getattr(row, "image_id", None))})
    found = _by_ids.objects(Image, ids=compiled_queries.padded(ids)) if ids else []
    return {row.id: documents.image(row) for row in found}


@CompiledQuery
def _by_ids(model: Model | type[Image], *, ids: list[Param]) -> ModelSelect:
    return model.select().where(model.id.in_(ids))


def columns(model: type[Record], now: Param) -> tuple[Node, ...]:
    """What a list shows a record from."""
    return (model.id, model.document, scheduled(model, now).alias("is_scheduled"))


def venues_or_organizers(
    model: type[Venue | Organizer], rows: Iterable[StoredRow], site: SiteSettings, *, single: bool = False
) -> list[bytes]:
    """The JSON of venues or organizers in rows with `columns`; with JSON-LD for `single` ones of `find`."""
    rows, found = list(rows), []
    load = _Loader(site, lambda _: {row.id for row in rows})
    for row in rows:
        found.append(load(model, row.id, row.document, row.is_scheduled))
        if single:
            json_ld = load(model, row.id, row.json_ld, row.is_scheduled, "json_ld")
            found[-1] = documents.with_json_ld(NOUNS[model], found[-1], json_ld)
    return found


class _Loader:
    """Reads documents for one response, which shows the records with `ids` of a model.

    It renders what cannot be used, and scheduled records: their documents do as if they were published.
    """

    def __init__(self, site: SiteSettings, ids: Callable[[Model], Iterable[int]]) -> None:
        self.site, self.ids, self.seed = site, ids, seed_of(site)
        self.rows: dict[Model, tuple[dict[int, Any], Images]] = {}

    def __call__(
        self, model: Model, id: int, document: object, is_scheduled: object, column: str = "document"
    ) -> bytes:
        if is_scheduled or not is_usable(document, self.seed):
            return self.rendered(model, id, is_scheduled, column)
        return document[:-_CHECKSUM_LENGTH]

    def rendered(self, model: Model, id: int, is_scheduled: object, column: str) -> bytes:
        if model not in self.rows:
            found = _by_ids.objects(model, ids=compiled_queries.padded(self.ids(model)))
            self.rows[model] = {row.id: row for row in found}, _images(found)
        rows, images = self.rows[model]
        row = rows[id]._replace(status="future") if is_scheduled else rows[id]
        return _contents(model, row, self.site, images)[column]


def find(model: type[Found], column: str, key: str | int, caller: Caller) -> Found:
    """The row with this `id` or `slug`, and `columns`; raises NotFound if the caller may not read it."""
    found: list[Found] = _find.objects(model, column, caller.role, key=key, now=caller.now, me=caller.id)
    if not found:
        raise NotFound(NOUNS[model])
    return found[0]


@CompiledQuery
def _find(model: type[Record], column: str, role: str, *, key: Param, now: Param, me: Param) -> ModelSelect:
    caller = parameter_caller(role, now, me)
    rows = model.select(*model._meta.sorted_fields, scheduled(model, now).alias("is_scheduled"))
    if model is Event:
        parent = Event.alias()
        shown = (parent.id == Event.parent) & readable(parent, caller)
        rows = rows.select_extend(parent.id.alias("shown_parent"), parent.uid.alias("parent_uid"))
        rows = rows.join_from(Event, parent, JOIN.LEFT_OUTER, on=shown)
    return rows.where(getattr(model, column) == key, readable(model, caller))


# -- events


def events_of(page: ModelSelect, caller: Caller, more: More | None = None) -> ModelSelect:
    """The events whose ids are in the column `id` of a query, which has decided that they are visible.

    With `calendar_lines`, those without a password have no document.
    """
    selected, parent = page.alias("page"), Event.alias()
    found = Join(selected, Event, JOIN.CROSS, on=(Event.id == selected.c.id))  # in this order
    shown = (parent.id == Event.parent) & readable(parent, caller)
    found = Join(found, parent, JOIN.LEFT_OUTER, on=shown)
    document = Event.document
    if more == "calendar_lines":
        document = Case(None, [(Event.password != "", document)])
    rows = Event.select(
        Event.id, document.alias("document"), scheduled(Event, caller.now).alias("is_scheduled"),
        *([getattr(Event, more)] if more else []), Event.author, Event.status, Event.password, Event.sequence,
        parent.id.alias("shown_parent"), parent.uid.alias("parent_uid"),
    )  # fmt: skip
    return rows.from_(found).order_by(Event.utc_start_date, Event.id)


def load_events(
    rows: Sequence[ListedEventRow],
    caller: Caller,
    site: SiteSettings,
    fields: Container[str] | None = None,
    more: More | None = None,
) -> list[events.Loaded]:
    """The events in rows of `events_of`, with the records related to them that the caller may read.

    With `fields`, related records are loaded only if one of these fields shows them. `more` is another column
    of the rows that is needed; `calendar_lines` are needed instead of the document, unless it may be masked.
    """
    load = _Loader(site, lambda _: {row.id for row in rows})
    whole = more != "calendar_lines"
    needed = fields is None or any(name in fields for name in events.NESTED_FIELDS)
    json_ld: dict[bytes, bytes] = {}
    nested = _nested(rows, caller, site, json_ld if more == "json_ld" else None) if rows and needed else {}
    return [
        events.Loaded(
            row.id, row.author_id, "future" if row.is_scheduled else row.status, row.password,
            load(Event, row.id, row.document, row.is_scheduled) if whole or row.password else b"",
            row.shown_parent or 0,
            nested.get(row.id) or Nested([], [], [], []), row.sequence, row.parent_uid or "",
            load(Event, row.id, getattr(row, more), row.is_scheduled, more) if more else b"", json_ld,
        )
        for row in rows
    ]  # fmt: skip


def _nested(
    events: Iterable[Row], caller: Caller, site: SiteSettings, json_ld_of: dict[bytes, bytes] | None
) -> dict[int, Nested]:
    """The records related to events, by the id of the event; fills `json_ld_of`. One statement."""
    nested = {event.id: Nested([], [], [], []) for event in events}
    ids, single = compiled_queries.padded(nested), json_ld_of is not None
    rows = _related.rows(caller.role, single, ids=ids, now=caller.now, me=caller.id)
    rows.sort()  # by position, name and id, the first columns
    load = _Loader(site, lambda model: {row[2] for row in rows if _SHOWN[row[4]][0] is model})
    shown: dict[int, tuple[int, bytes]] = {}  # events often share records
    for _, _, id, event, noun, document, is_scheduled, count, json_ld in rows:
        if id not in shown:
            model, field = _SHOWN[noun]
            found = load(model, id, document, is_scheduled)
            found = found if count is None else found.replace(INSERTED_JSON, b"%d" % count, 1)
            shown[id] = field, found
            if json_ld_of is not None and model is not Term:
                json_ld_of[found] = load(model, id, json_ld, is_scheduled, "json_ld")
        field, found = shown[id]
        nested[event][field].append(found)
    return nested


@CompiledQuery
def _related(role: str, single: bool, *, ids: list[Param], now: Param, me: Param) -> ModelSelect:
    """Columns are those of the loop in `_nested`."""
    caller, none = parameter_caller(role, now, me), Value(None)
    linked = [
        link.select(
            link.position, Value(""), model.id, link.event, Value(NOUNS[model]), model.document,
            scheduled(model, now), none, model.json_ld if single else none,
        )
        .join(model, on=(model.id == column))
        .where(*query_hints.first(link.event.in_(ids), listed(model, caller)))
        for model, link, column in _LINKS
    ]  # fmt: skip
    own = (
        EventTerm.select(
            Value(0), Term.name_folded, Term.id, EventTerm.event, Term.taxonomy, Term.document, Value(0),
            published_events(now), none,
        )
        .join(Term, on=(EventTerm.term == Term.id))
        .where(EventTerm.event.in_(ids))
    )  # fmt: skip
    return reduce(lambda found, rows: found.union_all(rows), [*linked, own])
