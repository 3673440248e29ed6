"""SQLite: one file, whose writers take turns at a gate."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar

import peewee

from calendar_api.database import diagnostics
from calendar_api.database.diagnostics import Deviation, Hindrance
from calendar_api.database.sqlite import checks as sqlite_checks
from calendar_api.database.sqlite import disk, full_text_index, library, write_lock
from calendar_api.database.sqlite.connection_state import NO_TEXT, ConnectionState, readable
from calendar_api.database.sqlite.database_file import DatabaseFile, Identity
from calendar_api.database.sqlite.disk import Disk
from calendar_api.database.sqlite.wal import SIZE_LIMIT, WalFiles, WalState
from calendar_api.database.sqlite.write_lock import WriteLock
from calendar_api.database.urls import SqliteAddress
from calendar_api.domain.errors import ApiError, DatabaseUnavailable, StorageFull

__all__ = ["Sqlite"]

Result = TypeVar("Result")

REMEMBERED = 60.0  # seconds for which `hindrance` reports a damaged page
OPENINGS = 3  # tries, when other processes open or close the database at the same time
BUSY_TIMEOUT = 5.0  # seconds until a writer gives up, at the gate and behind it together

_UNUSABLE = (
    "SQLITE_IOERR",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_CORRUPT",
    "SQLITE_NOTADB",
    "SQLITE_PERM",
)
# What our statements name is in every file that is served, unless the description of its tables was
# damaged in a way that SQLite can still read.
_DAMAGE = (NO_TEXT, "no such column", "no such table")
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_FOR_WANT_OF_ROOM = ("SQLITE_IOERR", "SQLITE_CANTOPEN")


class Sqlite(peewee.SqliteDatabase):
    """Peewee's SQLite with our settings and the answers that `database` asks for."""

    PARTIAL_INDEXES = True
    READ = "DEFERRED"
    # A transaction that reads first and writes later would fail as soon as another writer has committed in
    # between, so that the lock is taken at the beginning.
    WRITE = "IMMEDIATE"
    # Peewee declares this as an attribute of the class, and reads it only.
    field_types = {**peewee.SqliteDatabase.field_types, "FOLDED": "TEXT"}  # noqa: RUF012
    driver_error = sqlite3.Error
    server_version = library.VERSION

    def __init__(self, address: SqliteAddress) -> None:
        self.file = DatabaseFile(address.path)
        self.wal = WalFiles(address.path)
        self.gate = WriteLock(address.path)
        self.disk = Disk()
        self.here = ConnectionState()
        self.damaged: tuple[Identity | None, float] = None, 0.0  # the file, and when damage was met in it
        super().__init__(
            self.file.uri,
            pragmas={
                "journal_mode": "wal",
                "synchronous": "full",  # an acknowledged write survives a power cut
                "foreign_keys": 1,
                "trusted_schema": 0,
                "cell_size_check": 1,
                "mmap_size": 0,
                "cache_size": -8 * 1024,
                "journal_size_limit": SIZE_LIMIT,
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

    def keep_reserve(self) -> None:
        disk.keep_reserve(self.file.path)

    def release_reserve(self) -> int:
        return disk.release_reserve(self.file.path)

    def revision(self) -> tuple[Identity, int]:
        """The file that this thread's connection has open, and how often it was written to."""
        return self.here.read(self.connection())

    def revision_at_hand(self) -> tuple[Identity, int] | None:
        """The same by the connection that this thread has open; None if it has none, or that is not fit."""
        if self._state.conn is None or self.here.spoiled or self.here.weak:
            return None
        if self.file.identity() != self.here.opened or not self._wal_is_same():
            return None
        try:
            return self.here.read(self._state.conn)
        except sqlite3.Error:
            return None

    def fault(self, tables: Sequence[str]) -> str | None:
        return None

    def columns_of(self, tables: Sequence[str]) -> list[tuple[str, str]]:
        return [
            (table, one[1]) for table in tables for one in self.execute_sql(f'PRAGMA table_info("{table}")')
        ]

    def index_columns(self) -> list[tuple[str, str]]:
        return list(self.execute_sql(sqlite_checks.INDEXES))

    def software(self) -> str:
        return library.NAME

    def advice(self) -> list[str]:
        lacking = full_text_index.advice(self)
        if library.sound(library.VERSION):
            return lacking
        found = (
            f"SQLite {library.TEXT} has a rare fault that can damage a database to which several "
            "processes write; from 3.51.3 on it has not. Run `pip install 'calendar-api[sqlite]'`, which "
            "brings a newer one, and keep backups."
        )
        return [found, *lacking]

    # -- connections

    def _connect(self) -> Any:
        opened = self.file.required()
        weak = not self.file.writable()
        for _ in range(OPENINGS):
            before = self.wal.state() if weak else self.wal.before_opening(opened)
            with readable():
                connection = library.connect(self.file.uri, BUSY_TIMEOUT)
            try:
                with readable():
                    self._add_conn_hooks(connection)
                self.file.require_same(opened)
                usable, wal = self._wal_of(connection, opened, before, weak=weak)
            except BaseException:
                connection.close()
                raise
            if usable:
                self.here.become(opened, wal, weak=weak)
                return connection
            connection.close()
        raise write_lock.unusable()

    def _wal_of(
        self, connection: Any, opened: Identity, before: WalState, *, weak: bool
    ) -> tuple[bool, WalState | None]:
        """Whether a new connection can be used, and its -wal and -shm if it has them."""
        if weak or connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            return True, None
        wal = self.wal.opened(connection, opened, before)
        return wal is not None, wal

    def _close(self, conn: Any) -> None:
        self.wal.closed(conn)
        super()._close(conn)

    def _add_conn_hooks(self, conn: Any) -> None:
        self.file.admit(conn)  # the settings would write into an empty file
        super()._add_conn_hooks(conn)

    def hindrance(self) -> Hindrance | None:
        found = sqlite_checks.hindrance(self.file.path, self.gate.path)
        if found is None or not found.total:
            where, when = self.damaged
            if where == self.here.opened and time.monotonic() - when < REMEMBERED:
                return Hindrance("damaged", total=True)
            sqlite_checks.read_edges(self.connection())
        if self.disk.failing and not (found and found.total):
            return Hindrance("disk_failing", total=False)  # the next write may well be stored: let it come
        return found

    def deviations(self) -> list[Deviation]:
        return list(sqlite_checks.deviations(self.file.path, self.connection()))

    def check_out(self) -> None:
        """Open this thread's connection; again if it failed, or if other files are there now."""
        if not self.is_closed():
            if self.file.identity() == self.here.opened:
                if not self._wal_is_same():
                    self._save_wal()
                    self.close()
                    self.connect()
                elif self.here.spoiled and self.file.writable():
                    self._open_another()
                return
            self.close()
        self.connect()

    def _wal_is_same(self) -> bool:
        """Whether a commit by this connection goes to the files that the next process will read."""
        if self.here.wal is None:
            return True
        found = self.wal.state()
        if not found.continues(self.here.wal):
            return False
        self.here.wal = found
        return True

    def _save_wal(self) -> None:
        """Store in the database itself what is only in files that nobody else can open any more."""
        if self.here.wal is not None:
            with nullcontext() if self.here.writing else self.gate.held(BUSY_TIMEOUT):
                self.wal.save(self.connection(), self.here.wal)

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
            self._close(old)

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
        with self.gate.held(BUSY_TIMEOUT) as left, self.disk.watched(self._by_the_disk):
            self.here.writing = True
            try:
                self.check_out()
                opened = self.here.opened
                with self._patience(left):
                    self._probe()
                    yield
                self.file.require_same(opened)
                if not self._wal_is_same():
                    self._save_wal()  # only then is it stored
            finally:
                self.here.writing = False
                self.settle()

    def _probe(self) -> None:
        """On a disk that has failed again and again, store one number before any work is begun."""
        if self.disk.failing:
            with self.atomic(self.WRITE):
                self.take_turn()
            self.disk.works()

    def _by_the_disk(self, error: BaseException) -> bool:
        first = diagnostics.first_error(error, sqlite3.Error)
        name = getattr(first, "sqlite_errorname", "") or ""
        return name.startswith("SQLITE_IOERR") and self.file.has_room()

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
                    full_text_index.complete(self)
                    if self.execute_sql("PRAGMA foreign_key_check").fetchone():
                        raise peewee.IntegrityError("a migration leaves references to what is gone")
            finally:
                self.pragma("foreign_keys", 1)

    @contextmanager
    def filling(self) -> Iterator[None]:
        with self.turns(), self.atomic(self.WRITE):
            self.pragma("defer_foreign_keys", 1)  # until the end of the transaction
            yield
            full_text_index.catch_up(self, -1, 1)

    # -- searching

    def texts_holding(self, words: Sequence[str], one_in: int) -> Any:
        return full_text_index.candidates(self, words, one_in)

    def contains(self, column: Any, word: str) -> Any:
        return full_text_index.contains(column, word)

    def catch_up(self) -> None:
        full_text_index.catch_up(self)

    def renew_index(self) -> bool:
        with self.turns(), self.atomic(self.WRITE):
            return full_text_index.renew(self)

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        try:
            return super().execute_sql(sql, params)
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError(NO_TEXT) from error

    def meaning(self, error: sqlite3.Error) -> ApiError | None:
        """A connection on which the file failed is opened anew the next time; a full disk harms none."""
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return write_lock.busy()
        if name.startswith("SQLITE_FULL"):
            return StorageFull()
        if not name.startswith(_UNUSABLE) and not str(error).startswith(_DAMAGE):
            return None
        if name.startswith(_FOR_WANT_OF_ROOM) and not self.file.has_room():
            return StorageFull()
        if name.startswith(_DAMAGED):
            self.damaged = self.here.opened, time.monotonic()
        self.here.spoiled = True
        return write_lock.unusable()
