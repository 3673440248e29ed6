"""The only file that knows the database's dialect: connections, transactions, and what its errors mean."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

import peewee

from calendar_api.errors import ApiError, DatabaseUnavailable, StorageFull
from calendar_api.messages import message

BUSY_TIMEOUT = 5.0
APPLICATION_ID = 0x43414C31  # "CAL1": tells our file from any other SQLite file

#: Bound to a real database by `bind`; the models refer to it.
db = peewee.DatabaseProxy()

_opened = threading.local()
_inherited: list[object] = []  # connections of the process before a fork, which may not even be closed


def bind(url: str) -> None:
    """Say which database the models use. Opens nothing, so that a server may fork afterwards."""
    db.initialize(
        peewee.SqliteDatabase(
            str(path_of(url)),
            timeout=BUSY_TIMEOUT,
            pragmas={
                "journal_mode": "wal",
                "synchronous": "full",  # an acknowledged write survives a power cut
                "foreign_keys": 1,
                "trusted_schema": 0,
                "cell_size_check": 1,
                "mmap_size": 0,
                "cache_size": -8 * 1024,
                "journal_size_limit": 64 * 1024 * 1024,
            },
        )
    )


def path_of(url: str) -> Path:
    """The file of a `sqlite:///` address; relative to the current directory with three slashes."""
    return Path(unquote(url.removeprefix("sqlite:///")))


def exists(url: str) -> bool:
    return path_of(url).is_file()


def create(url: str) -> None:
    """Make an empty database file (0600) in a directory of its own (0700), before anything opens it.

    Raises DatabaseUnavailable when the file system does not allow it.
    """
    path = path_of(url)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise DatabaseUnavailable(f"The database {path} cannot be made: {error.strerror}.") from error
    with connected():
        db.execute_sql(f"PRAGMA application_id = {APPLICATION_ID}")


def open_here() -> None:
    """Open this thread's connection if it has none; one that came over a fork is not used."""
    _leave_inherited()
    db.connect(reuse_if_open=True)


def close_here() -> None:
    """Close this thread's connection."""
    _leave_inherited()
    if not db.is_closed():
        db.close()


def _leave_inherited() -> None:
    if getattr(_opened, "pid", None) == os.getpid():
        return
    if not db.is_closed():
        _inherited.append(db.connection())
        db.obj._state.reset()
    _opened.pid = os.getpid()


@contextmanager
def connected() -> Iterator[None]:
    """A connection for a command or a test; database errors come out as errors of the interface."""
    with _translated():
        open_here()
        try:
            yield
        finally:
            close_here()


@contextmanager
def read() -> Iterator[None]:
    """One snapshot for all statements of an answer: totals, page and nested records agree."""
    with _translated():
        open_here()
        if db.in_transaction():
            yield
            return
        with db.atomic("DEFERRED"):
            yield


@contextmanager
def write() -> Iterator[None]:
    """The only way to change anything: all or nothing, committed and synced when it returns.

    The lock is taken at the beginning: a transaction that reads first and writes later would fail as
    soon as another writer has committed in between.
    """
    with _translated():
        open_here()
        with db.atomic("IMMEDIATE"):
            yield


@contextmanager
def rebuilding() -> Iterator[None]:
    """A write transaction that may rebuild tables: foreign keys are checked at its end, not on the way.

    Dropping a table would otherwise delete what refers to it, and SQLite lets nobody change that inside a
    transaction.
    """
    with _translated():
        open_here()
        db.pragma("foreign_keys", 0)
        try:
            with db.atomic("IMMEDIATE"):
                yield
                if db.execute_sql("PRAGMA foreign_key_check").fetchone():
                    raise peewee.IntegrityError("a migration leaves references to what is gone")
        finally:
            db.pragma("foreign_keys", 1)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except peewee.PeeweeException as error:
        found = meaning(error)
        if found is error:
            raise  # an error that is its own cause would be a chain without an end
        raise found from error


def meaning(error: BaseException) -> BaseException:
    """The error of the interface behind a database error; the error itself if it is a mistake of ours.

    The first error in the chain counts: after a full disk SQLite has rolled back by itself, and the
    rollback that fails next hides the reason.
    """
    first: sqlite3.Error | None = None
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ApiError):
            return seen
        if isinstance(seen, sqlite3.Error):
            first = seen
        seen = seen.__cause__ or seen.__context__
    name = getattr(first, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_FULL"):
        return StorageFull()
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return DatabaseUnavailable(message("The database is busy. Send the request again in a moment."))
    if name.startswith(
        (
            "SQLITE_IOERR",
            "SQLITE_CANTOPEN",
            "SQLITE_READONLY",
            "SQLITE_CORRUPT",
            "SQLITE_NOTADB",
            "SQLITE_PERM",
        )
    ):
        return DatabaseUnavailable(
            message("The database cannot be used just now; its operator finds the reason in the log.")
        )
    return error
