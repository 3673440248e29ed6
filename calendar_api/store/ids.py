"""The one sequence of ids that all records share."""

from typing import Any

from calendar_api.database.models import Record
from calendar_api.store import compiled_queries
from calendar_api.store.compiled_queries import CompiledQuery


def next_ids(kind: str, count: int) -> list[int]:
    """Ids for new records of one kind, in order; part of a write transaction."""
    if not count:
        return []
    compiled_queries.insert(Record, [{"kind": kind}] * count)
    # Asked for, because the nodes of a cluster leave gaps; writers take turns, so that all of these are ours.
    return [int(id) for (id,) in reversed(_LAST.rows(count))]


def _last(count: int) -> Any:
    return Record.select(Record.id).order_by(Record.id.desc()).limit(count)


_LAST = CompiledQuery(_last)
