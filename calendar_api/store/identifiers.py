"""Ids and slugs of new records.

All kinds share one sequence of ids. A slug is made of a title; -2, -3 … is added when the plain one is taken
(docs/interface.md#slugs).
"""

import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from peewee import ModelDelete, ModelInsert, ModelSelect

from calendar_api.database.models import Event, FormerSlug, PublishedRecord, Record, Term
from calendar_api.domain import text
from calendar_api.store import compiled_queries
from calendar_api.store.compiled_queries import CompiledQuery, Param, padded

Kind: TypeAlias = Literal["event", "venue", "organizer", "image", "category", "tag"]
Model: TypeAlias = type[PublishedRecord] | type[Term]


@dataclass
class _NewEvents:
    """Ids and slugs that nothing has yet, and the slugs that events of this transaction got."""

    ids: list[int]
    free: set[str]
    used: set[str] = field(default_factory=set)


_MOST = 2**31 - 2  # of the column of ids, less one
_reserved: ContextVar[dict[Kind, int] | None] = ContextVar("reserved", default=None)
_new_events: ContextVar[_NewEvents | None] = ContextVar("new_events", default=None)

LONGEST_SLUG = 191
_TRASHED = "__trashed"

# With more namesakes than this, numbers are found by bisection instead of reading all of them.
_NAMESAKES = 100


# -- ids


def next_id(kind: Kind) -> int:
    """The id for a new record of this kind; part of a write transaction."""
    reserved = _reserved.get()
    if reserved and kind in reserved:
        id = reserved.pop(kind)
        if 0 < id <= _MOST and not _same.rows(id=id):
            _with_id.run(id=id, kind=kind)
            return id
    events = _new_events.get() if kind == "event" else None
    return events.ids.pop() if events and events.ids else int(_next.run(kind=kind).lastrowid)


@contextmanager
def reserve_ids(ids: Mapping[Kind, int], highest: int) -> Iterator[None]:
    """Give the next new record of each of these kinds this id, if it is free.

    Other new records get ids above `highest`, so that those up to it stay free for later ones. Part of a
    write transaction.
    """
    if 0 < highest <= _MOST and not _higher.rows(id=highest):
        _with_id.run(id=highest + 1, kind="reserved")
    token = _reserved.set(dict(ids))
    try:
        yield
    finally:
        _reserved.reset(token)


@contextmanager
def for_new_events(slugs: Sequence[str], ids: int) -> Iterator[None]:
    """Look up these slugs, and take so many ids, for events that are inserted together later.

    Part of a write transaction.
    """
    taken = {slug for (slug,) in _slugs.rows(slugs=padded(slugs))} if slugs else set()
    found = [next_id("event")] if ids else []
    found += range(found[0] + 1, found[0] + ids) if found else []
    compiled_queries.insert(Record, [{"id": id, "kind": "event"} for id in found[1:]])
    token = _new_events.set(_NewEvents(found[::-1], set(slugs) - taken))
    try:
        yield
    finally:
        _new_events.reset(token)


def are_used() -> bool:
    """Whether any record was ever stored."""
    return bool(Record.select().exists())


@CompiledQuery
def _next(*, kind: Param) -> ModelInsert:
    return Record.insert(kind=kind)


@CompiledQuery
def _with_id(*, id: Param, kind: Param) -> ModelInsert:
    return Record.insert(id=id, kind=kind)


@CompiledQuery
def _same(*, id: Param) -> ModelSelect:
    return Record.select(Record.id).where(Record.id == id)


@CompiledQuery
def _slugs(*, slugs: list[Param]) -> ModelSelect:
    return Event.select(Event.slug).where(Event.slug.in_(slugs))


@CompiledQuery
def _higher(*, id: Param) -> ModelSelect:
    return Record.select(Record.id).where(Record.id > id).limit(1)


# -- slugs


def wanted_slug(*given: object) -> str:
    """The slug of the first of these texts that makes one, "" if none does; an id always makes one."""
    return next((slug for slug in (text.slug(str(one)) for one in given if one) if slug), "")


def trashed_slug(slug: str) -> str:
    """The slug of a record in the trash (docs/interface.md#deleting)."""
    return slug[: LONGEST_SLUG - len(_TRASHED)] + _TRASHED


def slug_key(given: str) -> str:
    """A slug in a filter as it is looked up: any letter case, composed.

    No slug ends with a space, and some databases ignore spaces at the end when they compare.
    """
    return unicodedata.normalize("NFC", given).lower().strip()


def free_slug(model: Model, slug: str, own_id: int = 0, taxonomy: str = "") -> str:
    """`slug` itself, or the first of slug-2, slug-3 … that no other record has.

    With a hundred namesakes or more: a free number after one that is taken. `taxonomy` narrows the table to
    the terms that must differ.
    """
    events = _new_events.get() if model is Event else None
    if events is None:
        return _free_slug(model, slug, own_id, taxonomy, ())
    free = slug if slug in events.free else _free_slug(model, slug, own_id, taxonomy, events.used)
    events.free.discard(free)
    events.used.add(free)
    return free


def _free_slug(model: Model, slug: str, own_id: int, taxonomy: str, used: Container[str]) -> str:
    others = {"own_id": own_id, "among": taxonomy}
    rows = _namesakes_of.rows(model, taxonomy, slug=slug, above=f"{slug}-", below=f"{slug}.", **others)
    namesakes, few = {name for (name,) in rows}, len(rows) < _NAMESAKES

    def is_taken(number: int) -> bool:
        candidate = _numbered(slug, number)
        if candidate in used:
            return True
        # A shortened slug with a number is no namesake of the whole slug.
        if few and (number == 1 or candidate.startswith(f"{slug}-")):
            return candidate in namesakes
        return bool(_taken.rows(model, taxonomy, slug=candidate, **others))

    if not is_taken(1):
        return slug
    taken, number = 1, 2
    while is_taken(number):
        taken, number = number, number + 1 if few else 2 * number
    while number - taken > 1:
        middle = (taken + number) // 2
        taken, number = (middle, number) if is_taken(middle) else (taken, middle)
    return _numbered(slug, number)


def with_former_slug(kind: Kind, slug: str) -> int | None:
    """The id of the record that had this slug last, whatever it is called now."""
    found = _former.rows(kind=kind, slug=slug)
    return int(found[0][0]) if found else None


def former_slugs(kind: Kind, slugs: Iterable[str]) -> set[str]:
    """Return those of these slugs that records had before."""
    rows = _former_slugs.rows(kind=kind, slugs=padded(set(slugs)))
    return {slug for (slug,) in rows}


def change_slug(kind: Kind, id: int, before: str | None, now: str | None) -> None:
    """Remember the slug that a record had, and forget that it had the one of now."""
    if before:
        compiled_queries.upsert(FormerSlug, ("kind", "slug"), {"kind": kind, "slug": before, "record": id})
    if now:
        _returned.run(kind=kind, slug=now, id=id)


def _numbered(slug: str, number: int) -> str:
    if number == 1:
        return slug
    suffix = f"-{number}"
    return slug[: LONGEST_SLUG - len(suffix)].rstrip("-") + suffix


def _others(model: Model, taxonomy: str, own_id: Param, among: Param) -> ModelSelect:
    rows = model.select(model.slug).where(model.id != own_id)
    return rows.where(model.taxonomy == among) if taxonomy else rows


@CompiledQuery
def _namesakes_of(
    model: Model, taxonomy: str, *, slug: Param, above: Param, below: Param, own_id: Param, among: Param
) -> ModelSelect:
    clause = (model.slug == slug) | ((model.slug > above) & (model.slug < below))
    return _others(model, taxonomy, own_id, among).where(clause).limit(_NAMESAKES)


@CompiledQuery
def _taken(model: Model, taxonomy: str, *, slug: Param, own_id: Param, among: Param) -> ModelSelect:
    return _others(model, taxonomy, own_id, among).where(model.slug == slug)


@CompiledQuery
def _former(*, kind: Param, slug: Param) -> ModelSelect:
    return FormerSlug.select(FormerSlug.record).where(FormerSlug.kind == kind, FormerSlug.slug == slug)


@CompiledQuery
def _former_slugs(*, kind: Param, slugs: list[Param]) -> ModelSelect:
    return FormerSlug.select(FormerSlug.slug).where(FormerSlug.kind == kind, FormerSlug.slug.in_(slugs))


@CompiledQuery
def _returned(*, kind: Param, slug: Param, id: Param) -> ModelDelete:
    same = (FormerSlug.kind == kind) & (FormerSlug.slug == slug)
    return FormerSlug.delete().where(same, FormerSlug.record == id)
