"""What imports remember: sources, and which record each of their items became (docs/moving-in.md#the-ledger).

An item without a record here was deleted for good; its row stays, so that no import makes it again.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple, cast

from peewee import ModelInsert, ModelSelect, ModelUpdate, Value

from calendar_api.database.models import Event, EventOrganizer, EventTerm, EventVenue, Organizer, Term, Venue
from calendar_api.database.tables import ImportItem, ImportSource
from calendar_api.domain import dates
from calendar_api.store import documents, query_hints
from calendar_api.store.compiled_queries import Columns, CompiledQuery, Item, Param, padded

_MODELS: dict[str, documents.Model] = {
    "event": Event, "venue": Venue, "organizer": Organizer, "category": Term, "tag": Term,
}  # fmt: skip
#: Fields -> columns with another name.
_COLUMNS = {
    "date": "published_utc", "date_utc": "published_utc", "author": "author_id", "image": "image_id",
    "post_parent": "parent_id", "parent": "parent_id",
}  # fmt: skip


class Known(NamedTuple):
    """A row of the ledger; `fields` has two digests by name: of what was sent, and of what was stored.

    `seen` is the number of the last run that had the item.
    """

    id: int
    record: int
    digest: str
    fields: dict[str, list[str]]
    gone: str
    seen: int = 0


class Stored(NamedTuple):
    """A record as it is stored: its row, and the ids of what an event is linked to."""

    row: Any
    linked: Mapping[str, list[int]]

    def value(self, name: str) -> object:
        """The value of a field of a request, None for one that is not stored."""
        if name in self.linked:
            return self.linked[name]
        return getattr(self.row, _COLUMNS.get(name, name), None)


def key(source: int, noun: str, foreign_id: str) -> str:
    """The key of an item."""
    return hashlib.sha256(f"{source}\0{noun}\0{foreign_id}".encode("utf-8", "surrogatepass")).hexdigest()


# -- sources


def find_source(address: str) -> ImportSource | None:
    return cast(ImportSource | None, ImportSource.get_or_none(address_digest=_digest(address)))


def begin(kind: str, address: str) -> tuple[int, int]:
    """Begin a run; return the id of the source and the number of the run."""
    source = find_source(address)
    if source is None:
        source = ImportSource.create(
            kind=kind, address=address, address_digest=_digest(address), etag="", last_modified=""
        )
    runs = source.runs + 1
    ImportSource.update(kind=kind, runs=runs).where(ImportSource.id == source.id).execute()
    return int(source.id), int(runs)


def is_current(source: int, run: int) -> bool:
    """Whether no other run of the source has begun since."""
    return bool(ImportSource.select().where(ImportSource.id == source, ImportSource.runs == run).exists())


def finish(source: int, now: str, etag: str, last_modified: str) -> None:
    """Remember a complete run, with the validators of the address."""
    columns = {"last_run_utc": now, "etag": etag, "last_modified": last_modified}
    ImportSource.update(columns).where(ImportSource.id == source).execute()


def _digest(address: str) -> str:
    return hashlib.sha256(address.encode("utf-8", "surrogatepass")).hexdigest()


# -- items


def known(keys: Iterable[str]) -> dict[str, Known]:
    """The rows with these keys."""
    some = sorted(keys)
    rows = [row for part in _parts(some) for row in _known.rows(keys=part)]
    return {
        key: Known(id, record, digest, json.loads(fields), gone, seen)
        for key, id, record, digest, fields, gone, seen in rows
    }


def mark_seen(ids: Sequence[int], run: int) -> None:
    for part in _parts(ids):
        _seen.run(run=run, ids=part)


def _parts(values: Sequence[Item]) -> Iterator[list[Item]]:
    """Lists for IN: older databases take a thousand parameters at most."""
    return (padded(values[at : at + _TOGETHER]) for at in range(0, len(values), _TOGETHER))


def row(
    source: int, noun: str, foreign_id: str, *, record: int, seen: int, digest: str = "", fields: str = "{}"
) -> dict[str, object]:
    """The columns of a row."""
    return {
        "source": source, "noun": noun, "foreign_id": foreign_id, "key_digest": key(source, noun, foreign_id),
        "record": record, "digest": digest, "fields": fields, "seen": seen, "gone": "",
    }  # fmt: skip


def save(rows: Sequence[Columns]) -> None:
    """Insert rows, in place of those that have the same key."""
    if rows:
        _save.run_for_each(tuple(rows[0]), values=[list(row.values()) for row in rows])


def mark_gone(id: int, gone: str) -> None:
    ImportItem.update(gone=gone).where(ImportItem.id == id).execute()


def held(source: int, run: int, records: Iterable[int]) -> set[int]:
    """Those of the records that are items which this run has seen."""
    of_run = (ImportItem.source == source, ImportItem.seen == run)  # can be all items: look for records first
    rows = ImportItem.select(ImportItem.record)
    rows = rows.where(*query_hints.first(ImportItem.record.in_(list(records)), *of_run))
    return {int(record) for (record,) in rows.tuples()}


def held_elsewhere(source: int, now: str, records: Iterable[int]) -> set[int]:
    """Those of the records that other sources have: read lately, and not twice without them."""
    since = dates.text(dates.from_text(now) - _LATELY)
    is_there = (ImportItem.gone == "") & (ImportItem.seen >= ImportSource.runs - 1)
    others = (ImportItem.source != source, ImportSource.last_run_utc >= since, is_there)
    rows = ImportItem.select(ImportItem.record).join(ImportSource)
    rows = rows.where(*query_hints.first(ImportItem.record.in_(list(records)), *others))
    return {int(record) for (record,) in rows.tuples()}


def take_over(record: int) -> str:
    """Return what imports did with the record because it was gone, "" if nothing, and forget it."""
    rows = (ImportItem.record == record) & (ImportItem.gone != "")
    found = [str(gone) for (gone,) in ImportItem.select(ImportItem.gone).where(rows).tuples()]
    if found:
        ImportItem.update(gone="").where(rows).execute()
    return found[0] if found else ""


def missing(source: int, run: int) -> list[ImportItem]:
    """The events that a run has not seen: id, record, foreign_id and gone of their rows."""
    rows = ImportItem.select(ImportItem.id, ImportItem.record, ImportItem.foreign_id, ImportItem.gone)
    rows = rows.where(ImportItem.source == source, ImportItem.seen < run, ImportItem.noun == "event")
    return list(rows.order_by(ImportItem.id).namedtuples())


def has_foreign_ids(source: int) -> bool:
    """Whether most records of a source have the ids that identify them there; terms may not be able to."""
    rows = ImportItem.select(ImportItem.record, ImportItem.foreign_id)
    rows = rows.where(ImportItem.source == source, ImportItem.noun.in_(("event", "venue", "organizer")))
    same = [str(record) == str(foreign_id) for record, foreign_id in rows.tuples()]
    return sum(same) * 2 >= len(same)


def forget(ids: Iterable[int]) -> None:
    ImportItem.delete().where(ImportItem.id.in_(list(ids))).execute()


@CompiledQuery
def _known(*, keys: list[Param]) -> ModelSelect:
    columns = [getattr(ImportItem, name) for name in Known._fields]
    return ImportItem.select(ImportItem.key_digest, *columns).where(ImportItem.key_digest.in_(keys))


@CompiledQuery
def _seen(*, run: Param, ids: list[Param]) -> ModelUpdate:
    return ImportItem.update(seen=run).where(ImportItem.id.in_(ids))


@CompiledQuery
def _save(names: tuple[str, ...], *, values: list[Param]) -> ModelInsert:
    return cast(ModelInsert, ImportItem.replace(dict(zip(names, values, strict=True))))


_LATELY = timedelta(days=8)  # so that a source that is read once a week counts
_TOGETHER = 512  # parameters of a statement

# -- records


def stored(noun: str, ids: Iterable[int]) -> dict[int, Stored]:
    """The records of a noun with these ids, in any status; those deleted for good are left out."""
    some = padded(sorted(set(ids)))
    if not some:
        return {}
    names = _LINKED.values() if noun == "event" else ()
    rows = _rows.objects(_MODELS[noun], ids=some)
    found = {int(row.id): Stored(row, {name: [] for name in names}) for row in rows}
    if names:
        for event, name, _, id in sorted(_links.rows(ids=some), key=lambda row: row[2:]):
            found[int(event)].linked[_LINKED[name]].append(int(id))
    return found


def is_there(event: int) -> bool:
    found = stored("event", [event]).get(event)
    return found is not None and found.row.status != "trash"


_LINKED = {"venue": "venue", "organizer": "organizer", "tribe_events_cat": "categories", "post_tag": "tags"}


@CompiledQuery
def _rows(model: documents.Model, *, ids: list[Param]) -> ModelSelect:
    return model.select().where(model.id.in_(ids))


@CompiledQuery
def _links(*, ids: list[Param]) -> ModelSelect:
    found = EventTerm.select(EventTerm.event, Term.taxonomy, Value(0), EventTerm.term)
    found = found.join(Term, on=(EventTerm.term == Term.id)).where(EventTerm.event.in_(ids))
    for name, link in (("venue", EventVenue), ("organizer", EventOrganizer)):
        rows = link.select(link.event, Value(name), link.position, getattr(link, name))
        found = found.union_all(rows.where(link.event.in_(ids)))
    return found
