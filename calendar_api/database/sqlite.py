"""SQLite: one file, whose writers take turns by a lock on it."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import peewee

from calendar_api.database import sqlite_inspection
from calendar_api.database.condition import Deviation, Hindrance
from calendar_api.database.sqlite_files import APPLICATION_ID, BUSY_TIMEOUT
from calendar_api.database_urls import SqliteAddress
from calendar_api.errors import ApiError, DatabaseUnavailable, StorageFull
from calendar_api.messages import message

Result = TypeVar("Result")

_UNUSABLE = (
    "SQLITE_IOERR",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_CORRUPT",
    "SQLITE_NOTADB",
    "SQLITE_PERM",
)


class Sqlite(peewee.SqliteDatabase):
    """Peewee's SQLite with our settings and the answers that `database` asks for."""

    READ = "DEFERRED"
    # A transaction that reads first and writes later would fail as soon as another writer has committed in
    # between, so that the lock is taken at the beginning.
    WRITE = "IMMEDIATE"
    driver_error = sqlite3.Error

    def __init__(self, address: SqliteAddress) -> None:
        self.path = address.path
        super().__init__(
            str(address.path),
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

    def made(self) -> bool:
        return self.path.is_file()

    def make(self) -> None:
        """An empty file (0600) in a directory of its own (0700), before anything opens it."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise DatabaseUnavailable(
                f"The database {self.path} cannot be made: {error.strerror}."
            ) from error
        with self.connection_context():
            self.execute_sql(f"PRAGMA application_id = {APPLICATION_ID}")

    def fault(self, tables: Sequence[str]) -> str | None:
        return None

    def advice(self) -> list[str]:
        return []

    def hindrance(self) -> Hindrance | None:
        return sqlite_inspection.hindrance(self.path)

    def deviations(self) -> list[Deviation]:
        return list(sqlite_inspection.deviations(self.path, self.connection()))

    def check_out(self) -> None:
        self.connect(reuse_if_open=True)

    def take_turn(self) -> None:
        """The lock of the transaction is the turn; the number tells others that something has changed."""
        self.execute_sql("UPDATE revision SET number = number + 1")

    def repeated(self, transaction: Callable[[], Any], work: Callable[[], Result]) -> Result:
        """Nobody takes a transaction back here, so that once is enough."""
        with transaction():
            return work()

    @contextmanager
    def rebuilding(self) -> Iterator[None]:
        """Foreign keys are checked at its end, not on the way.

        Dropping a table would otherwise delete what refers to it, and SQLite lets nobody change that inside
        a transaction.
        """
        self.pragma("foreign_keys", 0)
        try:
            with self.atomic(self.WRITE):
                yield
                if self.execute_sql("PRAGMA foreign_key_check").fetchone():
                    raise peewee.IntegrityError("a migration leaves references to what is gone")
        finally:
            self.pragma("foreign_keys", 1)

    @contextmanager
    def filling(self) -> Iterator[None]:
        with self.atomic(self.WRITE):
            self.pragma("defer_foreign_keys", 1)  # until the end of the transaction
            yield

    def meaning(self, error: sqlite3.Error) -> ApiError | None:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith("SQLITE_FULL"):
            return StorageFull()
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return DatabaseUnavailable(message("The database is busy. Send the request again in a moment."))
        if name.startswith(_UNUSABLE):
            return DatabaseUnavailable(
                message("The database cannot be used just now; its operator finds the reason in the log.")
            )
        return None
