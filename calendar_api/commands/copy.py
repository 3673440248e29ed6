"""Copy all rows into another, empty database in one transaction, read them back and compare."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from calendar_api import database
from calendar_api.database import migrate
from calendar_api.database.models import TABLES, CommitToken, FailedAttempt, Revision, Table
from calendar_api.domain.errors import ApiError

_NOT_COPIED = (Revision, CommitToken, FailedAttempt)  # state of one server
COPIED: tuple[type[Table], ...] = tuple(model for model in TABLES if model not in _NOT_COPIED)

_ROWS, _BYTES = 200, 1_000_000  # maximum of one statement
Row = tuple[Any, ...]


class CopyError(Exception):
    """Why nothing was copied, as a sentence for the operator."""


@dataclass(frozen=True)
class Copied:
    """A copied table: its number of rows and their SHA-256."""

    table: str
    rows: int
    digest: str


def run(url: str, progress: Callable[[str, int, int], None] = lambda *done: None) -> list[Copied]:
    """Copy the bound database into the one at `url`, which is created if it is missing.

    Copies a snapshot, also during writes. `progress` gets the table, the rows done and the rows in total. The
    target is committed after everything was compared. Raises CopyError if the target is not empty or differs
    afterwards, and ApiError if a database fails.
    """
    source, target = database.bound(), database.engine(url)
    with database.using(target):
        _prepare_target()
    with database.read(), database.using(target):
        try:
            with database.bulk_load():
                _require_empty()
                return [_copy_table(model, source, progress) for model in COPIED]
        finally:
            database.close_connection()


def _prepare_target() -> None:
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


def _copy_table(model: type[Table], source: Any, progress: Callable[[str, int, int], None]) -> Copied:
    name, done, sent = _name(model), 0, hashlib.sha256()
    with database.using(source):
        total, batches = model.select().count(), _batches(model)
    while True:
        with database.using(source):
            rows = next(batches, None)
        if rows is None:
            break
        _store(model, rows)
        _update(sent, rows)
        done += len(rows)
        progress(name, done, total)
    stored, found = hashlib.sha256(), 0
    for rows in _batches(model):
        _update(stored, rows)
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
    """All rows in the order of the primary key, in batches for one statement each."""
    fields, columns = model._meta.sorted_fields, list(model._meta.columns)
    positions = [columns.index(column) for column in _key_columns(model)]
    keys = [fields[position] for position in positions]
    last: list[Any] = []
    while True:
        rows = model.select(*fields).order_by(*keys).limit(_ROWS)
        if last:
            rows = rows.where(_after(keys, last))
        batch = list(rows.tuples())
        if not batch:
            return
        last = [batch[-1][position] for position in positions]
        yield from _bounded(batch)


def _after(keys: list[Any], last: list[Any]) -> Any:
    """Primary keys after `last`, of one column or two."""
    clause = keys[0] > last[0]
    return clause | ((keys[0] == last[0]) & (keys[1] > last[1])) if len(keys) > 1 else clause


def _bounded(rows: list[Row]) -> Iterator[list[Row]]:
    """Split rows into pieces of at most `_BYTES`."""
    piece: list[Row] = []
    size = 0
    for row in rows:
        length = sum(len(value) for value in row if isinstance(value, str | bytes))
        if piece and size + length > _BYTES:
            yield piece
            piece, size = [], 0
        piece.append(row)
        size += length
    yield piece


def _update(digest: "hashlib._Hash", rows: list[Row]) -> None:
    for row in rows:
        digest.update(json.dumps(row, default=bytes.hex).encode())


def _name(model: type[Table]) -> str:
    return str(model._meta.table_name)


def _key_columns(model: type[Table]) -> list[str]:
    return [field.column_name for field in model._meta.get_primary_keys()]
