"""Copy a whole calendar into another, empty database: every row, in one transaction, read back, compared."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from calendar_api import database
from calendar_api.database import migrate
from calendar_api.database.models import TABLES, CommitToken, FailedAttempt, Revision, Table
from calendar_api.domain.errors import ApiError

#: About one server, not about the calendar.
_ITS_OWN = (Revision, CommitToken, FailedAttempt)
COPIED: tuple[type[Table], ...] = tuple(model for model in TABLES if model not in _ITS_OWN)

_ROWS, _BYTES = 200, 1_000_000  # at most so much in one statement
Row = tuple[Any, ...]


class CopyError(Exception):
    """Why nothing was copied, as a sentence for the operator."""


@dataclass(frozen=True)
class Copied:
    """A table that is equal in both databases: its number of rows and the SHA-256 of them all."""

    table: str
    rows: int
    digest: str


def run(url: str, progress: Callable[[str, int, int], None] = lambda *done: None) -> list[Copied]:
    """Copy the database that is bound into the one at `url`, which is made if need be.

    `progress` hears the table, the rows done and the rows in all. What the source holds at the beginning is
    copied, whatever is written to it meanwhile. Nothing is in the target until everything has been compared;
    raises CopyError when it is not empty or differs afterwards, and ApiError when a database fails.
    """
    source, target = database.bound(), database.engine(url)
    with database.using(target):
        _make_ready()
    with database.read(), database.using(target):
        try:
            with database.bulk_load():
                _require_empty()
                return [_one(model, source, progress) for model in COPIED]
        finally:
            database.close_connection()


def _make_ready() -> None:
    migrate.migrate()
    found = migrate.unavailable_reason()
    if found is not None:
        raise CopyError(f"The target cannot be used: {found.message}")


def _require_empty() -> None:
    full = [_name(model) for model in COPIED if model.select().exists()]
    if full:
        raise CopyError(
            f"The target is not empty: there are rows in {', '.join(full)}. Give a new database, or empty it."
        )


def _one(model: type[Table], source: Any, progress: Callable[[str, int, int], None]) -> Copied:
    name, done, sent = _name(model), 0, hashlib.sha256()
    with database.using(source):
        total, batches = model.select().count(), _batches(model)
    while True:
        with database.using(source):
            rows = next(batches, None)
        if rows is None:
            break
        _store(model, rows)
        _add(sent, rows)
        done += len(rows)
        progress(name, done, total)
    stored, found = hashlib.sha256(), 0
    for rows in _batches(model):
        _add(stored, rows)
        found += len(rows)
    if (found, stored.digest()) != (done, sent.digest()):
        raise CopyError(f"The rows of {name} did not arrive as they were sent; nothing was stored.")
    return Copied(name, done, sent.hexdigest())


def _store(model: type[Table], rows: list[Row]) -> None:
    try:
        model.insert_many(rows, fields=model._meta.sorted_fields).execute()
    except ApiError:
        raise
    except Exception as error:
        first = dict(zip(model._meta.columns, rows[0], strict=True))
        key = {column: first[column] for column in _key_columns(model)}
        raise CopyError(f"A row of {_name(model)}, at or after {key}, cannot be stored: {error}") from error


def _batches(model: type[Table]) -> Iterator[list[Row]]:
    """All rows in the order of the primary key, a bounded number at a time."""
    fields, columns = model._meta.sorted_fields, list(model._meta.columns)
    places = [columns.index(column) for column in _key_columns(model)]
    keys = [fields[place] for place in places]
    last: list[Any] = []
    while True:
        rows = model.select(*fields).order_by(*keys).limit(_ROWS)
        if last:
            rows = rows.where(_after(keys, last))
        batch = list(rows.tuples())
        if not batch:
            return
        last = [batch[-1][place] for place in places]
        yield from _bounded(batch)


def _after(keys: list[Any], last: list[Any]) -> Any:
    """Primary keys behind `last`, of one column or two."""
    clause = keys[0] > last[0]
    return clause | ((keys[0] == last[0]) & (keys[1] > last[1])) if len(keys) > 1 else clause


def _bounded(rows: list[Row]) -> Iterator[list[Row]]:
    """The same rows in pieces that a server takes in one statement."""
    piece: list[Row] = []
    size = 0
    for row in rows:
        length = sum(len(value) for value in row if isinstance(value, str))
        if piece and size + length > _BYTES:
            yield piece
            piece, size = [], 0
        piece.append(row)
        size += length
    yield piece


def _add(digest: "hashlib._Hash", rows: list[Row]) -> None:
    for row in rows:
        digest.update(json.dumps(row).encode())


def _name(model: type[Table]) -> str:
    return str(model._meta.table_name)


def _key_columns(model: type[Table]) -> list[str]:
    return [field.column_name for field in model._meta.get_primary_keys()]
