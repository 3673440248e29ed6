"""Ids of records; all kinds share one sequence."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, TypeAlias

from peewee import ModelInsert, ModelSelect

from calendar_api.database.models import Record
from calendar_api.store.compiled_queries import CompiledQuery, Param

Kind: TypeAlias = Literal["event", "venue", "organizer", "image", "category", "tag"]

_MOST = 2**31 - 2  # of the column, less one
_reserved: ContextVar[dict[Kind, int] | None] = ContextVar("reserved", default=None)


def next_id(kind: Kind) -> int:
    """The id for a new record of this kind; part of a write transaction."""
    reserved = _reserved.get()
    if reserved and kind in reserved:
        id = reserved.pop(kind)
        if 0 < id <= _MOST and not _same.rows(id=id):
            _with_id.run(id=id, kind=kind)
            return id
    return int(_next.run(kind=kind).lastrowid)


@contextmanager
def reserve(ids: Mapping[Kind, int], highest: int) -> Iterator[None]:
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
def _higher(*, id: Param) -> ModelSelect:
    return Record.select(Record.id).where(Record.id > id).limit(1)
