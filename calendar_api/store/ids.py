"""Ids of records; all kinds share one sequence."""

from typing import Literal, TypeAlias

from peewee import ModelInsert

from calendar_api.database.models import Record
from calendar_api.store.compiled_queries import CompiledQuery, Param

Kind: TypeAlias = Literal["event", "venue", "organizer", "image", "category", "tag"]


def next_id(kind: Kind) -> int:
    """The id for a new record of this kind; part of a write transaction."""
    return int(_NEXT.run(kind=kind).lastrowid)


def _next(*, kind: Param) -> ModelInsert:
    return Record.insert(kind=kind)


_NEXT = CompiledQuery(_next)
