"""SQLite: one file, whose writers take turns at a gate."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import peewee

from calendar_api.database import sqlite_gate, sqlite_inspection
from calendar_api.database.condition import Deviation, Hindrance
from calendar_api.database.sqlite_file import APPLICATION_ID, File, Identity
from calendar_api.database.sqlite_gate import Gate
from calendar_api.database_urls import SqliteAddress
from calendar_api.errors import ApiError, DatabaseUnavailable, StorageFull

__all__ = ["APPLICATION_ID", "Sqlite"]

Result = TypeVar("Result")

BUSY_TIMEOUT = 5.0  # seconds until a writer gives up, at the gate and behind it together
SOUND = (3, 51, 3)  # before, two connections that checkpoint and write at the wrong moment damage the file

_UNUSABLE = (
    "SQLITE_IOERR",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_CORRUPT",
    "SQLITE_NOTADB",
    "SQLITE_PERM",
)
_NO_TEXT = "Could not decode to UTF-8"  # what Python says of damaged text, which SQLite does not look at
_FOR_WANT_OF_ROOM = ("SQLITE_IOERR", "SQLITE_CANTOPEN")


class Sqlite(peewee.SqliteDatabase):
    """Peewee's SQLite with our settings and the answers that `database` asks for."""

    READ = "DEFERRED"
    # A transaction that reads first and writes later would fail as soon as another writer has committed in
    # between, so that the lock is taken at the beginning.
    WRITE = "IMMEDIATE"
    driver_error = sqlite3.Error

    def __init__(self, address: SqliteAddress) -> None:
        self.file = File(address.path)
        self.gate = Gate(address.path)
        self.here = _Here()
        super().__init__(
            self.file.uri,
            uri=True,
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

    # -- whether it is there, and as it should be

    def made(self) -> bool:
        return self.file.made()

    def make(self) -> None:
        try:
            self.file.make()
        except OSError as error:
            raise DatabaseUnavailable(
                f"The database {self.file.path} cannot be made: {error.strerror}."
            ) from error

    def place(self) -> Identity | None:
        return self.file.identity()

    def fault(self, tables: Sequence[str]) -> str | None:
        return None

    def advice(self) -> list[str]:
        if sqlite3.sqlite_version_info >= SOUND:
            return []
        found = (
            f"SQLite {sqlite3.sqlite_version} has a rare fault that can damage a database to which several "
            "processes write; from 3.51.3 on it has not. Give Python a newer SQLite, and keep backups."
        )
        return [found]

    # -- connections

    def _connect(self) -> Any:
        opened = self.file.required()
        with _readable():
            connection = super()._connect()
        try:
            self.file.require_same(opened)
        except BaseException:
            connection.close()
            raise
        self.here.opened, self.here.spoiled, self.here.weak = opened, False, not self.file.writable()
        return connection

    def _add_conn_hooks(self, conn: Any) -> None:
        self.file.admit(conn)  # the settings would write into an empty file
        super()._add_conn_hooks(conn)

    def hindrance(self) -> Hindrance | None:
        return sqlite_inspection.hindrance(self.file.path)

    def deviations(self) -> list[Deviation]:
        return list(sqlite_inspection.deviations(self.file.path, self.connection()))

    def check_out(self) -> None:
        """Open this thread's connection; again if it failed, or if another file is there now."""
        if not self.is_closed():
            if self.file.identity() == self.here.opened:
                if self.here.spoiled and self.file.writable():
                    self._open_another()
                return
            self.close()
        self.connect()

    def _open_another(self) -> None:
        """In the place of a connection that failed; if that fails too, the old one can perhaps still read.

        It is closed last: the last one of all takes files with it that a bad disk could not make again.
        """
        old = self.connection()
        self.dispose()
        try:
            self.connect()
        except (peewee.PeeweeException, ApiError):
            self._state.set_connection(old)
        else:
            old.close()

    def settle(self) -> None:
        """After each transaction: a connection that was opened while nothing could be written is not kept.

        It could never write, and neither could those that its process opens beside it.
        """
        if self.here.weak and not self.is_closed():
            self.close()

    # -- transactions

    @contextmanager
    def turns(self) -> Iterator[None]:
        """A write transaction inside is the only one, and was stored where it will be found again."""
        self.file.required()  # before the gate makes a file beside one that is gone
        with self.gate.held(BUSY_TIMEOUT) as left:
            self.check_out()
            opened = self.here.opened
            try:
                with self._patience(left):
                    yield
                self.file.require_same(opened)
            finally:
                self.settle()

    def replace_with(self, copy: Path) -> None:
        """Put a good copy, on the same disk, in the place of the database, while others may be serving it.

        They take it up with their next transaction.
        """
        with self.gate.held(BUSY_TIMEOUT):
            with suppress(ApiError, peewee.PeeweeException):  # what is there may be damaged, or gone
                self.check_out()
                self.pragma("wal_checkpoint(TRUNCATE)")
            if not self.is_closed():
                self.close()
            # A log of the old file must not be taken for one of the new.
            for suffix in ("-wal", "-shm"):
                self.file.path.with_name(self.file.path.name + suffix).unlink(missing_ok=True)
            copy.replace(self.file.path)
            folder = os.open(self.file.path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    @contextmanager
    def _patience(self, seconds: float) -> Iterator[None]:
        """Somebody who does not know the gate may hold SQLite's own lock."""
        if seconds > 0.9 * BUSY_TIMEOUT:
            yield
            return
        self.pragma("busy_timeout", int(seconds * 1000))
        try:
            yield
        finally:
            if not self.is_closed():
                self.pragma("busy_timeout", int(BUSY_TIMEOUT * 1000))

    def take_turn(self, *, revises: bool = True) -> None:
        """It is ours since `turns`; the number tells others that something has changed."""
        if revises:
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
        with self.turns():
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
        with self.turns(), self.atomic(self.WRITE):
            self.pragma("defer_foreign_keys", 1)  # until the end of the transaction
            yield

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        with _readable():
            return super().execute_sql(sql, params)

    def meaning(self, error: sqlite3.Error) -> ApiError | None:
        """A connection on which the file failed is opened anew the next time; a full disk harms none."""
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return sqlite_gate.busy()
        if name.startswith("SQLITE_FULL"):
            return StorageFull()
        if not name.startswith(_UNUSABLE) and not str(error).startswith(_NO_TEXT):
            return None
        if name.startswith(_FOR_WANT_OF_ROOM) and not self.file.has_room():
            return StorageFull()
        self.here.spoiled = True
        return sqlite_gate.unusable()


@contextmanager
def _readable() -> Iterator[None]:
    """What SQLite says of damaged tables may quote them, so that Python cannot even read the error."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(_NO_TEXT) from error


class _Here(threading.local):
    """What a thread knows about its connection."""

    opened: Identity = (0, 0)
    spoiled = False
    weak = False
