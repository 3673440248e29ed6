"""Copy all rows into another, empty database in one transaction, read them back and compare."""

import argparse
import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from calendar_api import database
from calendar_api.commands import CommandError
from calendar_api.commands.terminal import Progress
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.models import CommitToken, FailedAttempt, Revision, Table
from calendar_api.database.tables import TABLES
from calendar_api.domain.errors import ApiError

_NOT_COPIED = (Revision, CommitToken, FailedAttempt)  # state of one server
COPIED: tuple[type[Table], ...] = tuple(model for model in TABLES if model not in _NOT_COPIED)

_ROWS, _BYTES = 200, 1_000_000  # maximum of one statement
Row = tuple[object, ...]


class Copied(NamedTuple):
    """A copied table: its number of rows and their SHA-256."""

    table: str
    rows: int
    digest: str


def copy_database(arguments: argparse.Namespace, config: Config) -> None:
    with Progress("copying") as progress:
        tables = run(arguments.to, progress)
    for table in tables:
        print(f"{table.table:<20} {table.rows:>9}  {table.digest[:16]}")
    rows = sum(table.rows for table in tables)
    print(f"copied {rows} rows of {len(tables)} tables; every table was read back and is equal")


def run(url: str, progress: Callable[[str, int, int], None] = lambda *done: None) -> list[Copied]:
    """Copy the bound database into the one at `url`, which is created if it is missing.

    Copies a snapshot, also during writes. `progress` gets what is being done, the rows done and the rows in
    total. The target is committed after everything was compared. Raises CommandError if the target is not
    empty or differs afterwards, and ApiError if a database fails.
    """
    source, target = database.bound(), database.engine(url)
    with database.using(target):
        migrate.migrate()
        found = migrate.unavailable_reason()
        if found is not None:
            raise CommandError(f"The target cannot be used: {database.describe(found)}")
    with database.read(), database.using(target):
        try:
            with database.bulk_load():
                full = [_name(model) for model in COPIED if model.select().exists()]
                if full:
                    text = f"The target is not empty: there are rows in {', '.join(full)}."
                    raise CommandError(f"{text} Give a new database, or empty it.")
                return [_copy_table(model, source, progress) for model in COPIED]
        finally:
            database.close_connection()


def _copy_table(
    model: type[Table], source: database.Engine, progress: Callable[[str, int, int], None]
) -> Copied:
    """Copy a table from the database `source` to the bound one, and compare what arrived."""
    name, done, sent, stored = _name(model), 0, hashlib.sha256(), hashlib.sha256()
    with database.using(source):
        total = model.select().count()
    for rows in _batches(model, source):
        _store(model, rows)
        _update(sent, rows)
        done += len(rows)
        progress(f"copying {name}", done, total)
    progress(f"comparing {name}", 0, 0)
    for rows in _batches(model, database.bound()):
        _update(stored, rows)
    if stored.digest() != sent.digest():
        raise CommandError(f"The rows of {name} did not arrive as they were sent; nothing was stored.")
    return Copied(name, done, sent.hexdigest())


def _store(model: type[Table], rows: list[Row]) -> None:
    try:
        model.insert_many(rows, fields=model._meta.sorted_fields).execute()
    except ApiError:
        raise
    except Exception as error:
        text = f"A row of {_name(model)}, at or after {_key(model, rows[0])}, cannot be stored: {error}"
        raise CommandError(text) from error


def _batches(model: type[Table], engine: database.Engine) -> Iterator[list[Row]]:
    """Yield all rows of a database in the order of the primary key, in batches for one statement each."""
    keys = list(model._meta.get_primary_keys())
    query = model.select(*model._meta.sorted_fields).order_by(*keys).limit(_ROWS)
    page = query
    while True:
        with database.using(engine):
            rows = list(page.tuples())
        if not rows:
            return
        yield from _bounded(rows)
        page = query.where(_after(keys, list(_key(model, rows[-1]).values())))


def _key(model: type[Table], row: Row) -> dict[str, object]:
    values = dict(zip((field.name for field in model._meta.sorted_fields), row, strict=True))
    return {field.column_name: values[field.name] for field in model._meta.get_primary_keys()}


def _after(keys: list[Any], last: list[Any]) -> Any:
    """Match primary keys after `last`, of one column or two."""
    clause = keys[0] > last[0]
    return clause | ((keys[0] == last[0]) & (keys[1] > last[1])) if len(keys) > 1 else clause


def _bounded(rows: list[Row]) -> Iterator[list[Row]]:
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
