"""Create a migrated database with the data set, and keep it for the next run."""

import contextlib
import hashlib
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path

from peewee import fn

from bench import places
from bench.data import dataset, tables
from bench.data.dataset import Size
from bench.data.tables import Ids, Row
from calendar_api import database
from calendar_api.database import migrate
from calendar_api.database.models import EventTerm, Table, Term
from calendar_api.domain import dates
from calendar_api.store import users

_BATCH = 20_000
_MADE_WITH = (
    "bench/data/*.py", "calendar_api/database/migrations/*.py", "calendar_api/database/models.py",
    "calendar_api/domain/html.py", "calendar_api/domain/text.py",
)  # fmt: skip
DATABASE = "calendar.sqlite3"
LOGIN = "admin"
SECRET = "secret"  # noqa: S105 - a file beside the database: an application password of its only user


@dataclass(frozen=True)
class Calendar:
    """A filled database and the password for writing to it."""

    path: Path
    events: int

    @property
    def url(self) -> str:
        return f"sqlite:///{self.path}"

    @property
    def secret(self) -> str:
        return (self.path.parent / SECRET).read_text("utf-8")

    @property
    def ids(self) -> Ids:
        return Ids(Size(self.events))

    def copied(self, name: str) -> "Calendar":
        """A writable copy in its own folder."""
        folder = places.BUILD / "copies" / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.path.parent, folder)
        return Calendar(folder / self.path.name, self.events)


def calendar(events: int) -> Calendar:
    """The data set of this size for the schema of this checkout, created once."""
    folder = places.BUILD / "data" / f"{events}-{fingerprint()}"
    if folder.is_dir():
        return Calendar(folder / DATABASE, events)
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    fill(unfinished, events)
    unfinished.rename(folder)
    return Calendar(folder / DATABASE, events)


def fingerprint() -> str:
    """A digest of the schema and the generator."""
    digest = hashlib.sha256()
    for pattern in _MADE_WITH:
        for path in sorted(places.ROOT.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def fill(folder: Path, events: int) -> Calendar:
    """Create a calendar in the folder with a first user, and fill it."""
    made = Calendar(folder / DATABASE, events)
    now = dates.text(datetime.now(UTC))
    database.bind(made.url)
    try:
        migrate.migrate()
        with database.write():
            admin = users.add(LOGIN, "administrator", now)
            (folder / SECRET).write_text(users.add_password(admin, "bench", now), "utf-8")
            if int(admin.id) != tables.AUTHOR:
                raise RuntimeError("The first user of a new database has another id than the data set says.")
    finally:
        database.close_connection()
    with _in_haste(made.path) as connection:
        _insert_all(connection, Size(events))
    with database.write():
        linked = EventTerm.select(fn.COUNT(EventTerm.event)).where(
            EventTerm.term == Term.id, EventTerm.counted_from_utc.is_null(False)
        )
        Term.update(counted=linked).execute()
    database.reindex()
    database.close_connection()
    return made


def _insert_all(connection: sqlite3.Connection, size: Size) -> None:
    ids = Ids(size)
    linked = chain(
        tables.of_terms(ids),
        tables.of_images(ids),
        chain.from_iterable(tables.of_place(one, ids) for one in dataset.places(size)),
        chain.from_iterable(tables.of_person(one, ids) for one in dataset.persons(size)),
    )
    insert(connection, linked)
    happenings = dataset.happenings(size)
    while batch := list(islice(happenings, _BATCH)):
        insert(connection, chain.from_iterable(tables.of_event(one, ids) for one in batch))


def insert(connection: sqlite3.Connection, rows: Iterable[tuple[type[Table], Row]]) -> None:
    """Rows of several tables, grouped by table in order of first appearance."""
    by_table: dict[type[Table], list[Row]] = {}
    for model, row in rows:
        by_table.setdefault(model, []).append(row)
    for model, collected in by_table.items():
        connection.executemany(statement(model, collected[0]), (complete(model, row) for row in collected))


def statement(model: type[Table], row: Row) -> str:
    columns = list(complete(model, row))
    values = ", ".join(f":{name}" for name in columns)
    return f'INSERT INTO "{model._meta.table_name}" ({", ".join(columns)}) VALUES ({values})'


def complete(model: type[Table], row: Row) -> Row:
    """The row completed by the defaults of missing columns."""
    given = {
        name: field.default
        for name, field in model._meta.columns.items()
        if name not in row and field.default is not None and not callable(field.default)
    }
    return {**given, **row}


@contextlib.contextmanager
def _in_haste(path: Path) -> Iterator[sqlite3.Connection]:
    """One transaction without disk syncs; indexes are created at its end.

    The connection does not belong to the service: its settings apply to this transaction only.
    """
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = off")
        connection.execute("PRAGMA cache_size = -400000")
        connection.execute("BEGIN IMMEDIATE")
        indexes = _taken_off(connection)
        yield connection
        for sql in indexes:
            connection.execute(sql)
        broken = connection.execute("PRAGMA foreign_key_check").fetchone()
        if broken:
            raise RuntimeError(f"The data set refers to what is not there: {broken}")
        connection.execute("UPDATE revision SET number = number + 1")
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _taken_off(connection: sqlite3.Connection) -> list[str]:
    """Drop the indexes; return the statements that create them."""
    indexes = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    ).fetchall()
    for name, _ in indexes:
        connection.execute(f'DROP INDEX "{name}"')
    return [sql for _, sql in indexes]
