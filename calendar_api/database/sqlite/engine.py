"""SQLite: connections to one file, write transactions under a lock, and the meaning of its errors."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeVar

import peewee

from calendar_api.database.diagnostics import Finding, Scope
from calendar_api.database.errors import busy, unusable
from calendar_api.database.sqlite import checks, driver
from calendar_api.database.sqlite.database_file import (
    CHECKPOINT_PAGES,
    WAL_SIZE_LIMIT,
    DatabaseFile,
    FileState,
    Identity,
)
from calendar_api.database.sqlite.driver import Connection, sqlite3
from calendar_api.database.sqlite.full_text_index import IndexedSqlite
from calendar_api.database.sqlite.write_lock import WriteLock
from calendar_api.database.urls import SqliteAddress
from calendar_api.domain.errors import ApiError, StorageFull

Result = TypeVar("Result")

DAMAGE_REPORTED = 60.0  # seconds for which /health reports damage that a request has met
OPEN_ATTEMPTS = 3  # when other processes open or close the database at the same time
BUSY_TIMEOUT = 5.0  # seconds that a writer waits for the write lock and SQLite's own lock together


class ConnectionState(threading.local):
    """What a thread knows about its connection.

    `files`: those that it has open; without -wal and -shm if it can only read. `failed`: an error of a file
    occurred. `read_only`: it was opened while the database could not be written, and can never write.
    `holds_lock`: the thread holds the write lock.
    """

    files = FileState(None)
    failed = False
    read_only = False
    holds_lock = False


class Sqlite(IndexedSqlite):
    """Peewee's SQLite with our settings, and what `database` needs of an engine."""

    READ = "DEFERRED"
    # A transaction that reads first and writes later fails if another one has committed in between: it takes
    # SQLite's lock at the beginning.
    WRITE = "IMMEDIATE"
    field_types = {**peewee.SqliteDatabase.field_types, "FOLDED": "TEXT", "DOCUMENT": "BLOB"}  # noqa: RUF012 - as Peewee declares it
    driver_error = sqlite3.Error
    server_version = driver.VERSION

    def __init__(self, address: SqliteAddress, cache: int) -> None:
        self.file = DatabaseFile(address.path)
        self.write_lock = WriteLock(address.path)
        self.thread = ConnectionState()
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
                "cache_size": -cache,  # negative: KiB, not pages
                "journal_size_limit": WAL_SIZE_LIMIT,
                # A page that several commits have changed is copied once.
                "wal_autocheckpoint": CHECKPOINT_PAGES,
            },
        )

    # -- existence, identity and problems

    def exists(self) -> bool:
        return self.file.exists()

    def create(self) -> None:
        self.file.create()

    def identity(self) -> Identity | None:
        return self.file.identity()

    def revision(self) -> tuple[Identity | None, int]:
        """Return the file that this thread's connection has open, and how often it was written to."""
        row = self.connection().execute("SELECT number FROM revision").fetchone()
        if row is None or type(row[0]) is not int:
            raise sqlite3.DatabaseError("the row that counts the writes is damaged")
        return self.thread.files.database, row[0]

    def try_revision(self) -> tuple[Identity | None, int] | None:
        """Return the same without opening a connection; None if this thread has none that is usable."""
        if self.is_closed() or self.thread.failed or self.thread.read_only or not self._files_are_same():
            return None
        try:
            return self.revision()
        except (sqlite3.Error, UnicodeDecodeError):
            return None

    def software(self) -> str:
        return driver.NAME

    def diagnose(self, scope: Scope, tables: Sequence[str]) -> list[Finding]:
        if scope == "setup":
            return list(checks.setup(self.connection()))
        if scope == "all":
            return list(checks.everything(self.file.path, self.write_lock.path, self.connection()))
        found = checks.health(self.file.path, self.write_lock.path)
        if any(one.critical for one in found):
            return found
        file, met = self.damaged
        if file == self.thread.files.database and time.monotonic() - met < DAMAGE_REPORTED:
            restore = "calendar-api check; restore a backup: calendar-api restore FILE"
            return [Finding("A request has met damaged pages.", restore, "critical", "damaged")]
        checks.read_edges(self.connection())
        return found

    def translate_error(self, error: Exception) -> ApiError | None:
        """Translate an error. If the file failed, the next transaction opens another connection."""
        kind = driver.error_kind(error)
        if kind in ("", "busy"):
            return busy() if kind else None
        if kind == "full" or (kind == "io" and not self.file.has_room()):
            return StorageFull()
        if kind == "damaged":
            self.damaged = self.thread.files.database, time.monotonic()
        self.thread.failed = True
        return unusable()

    # -- connections

    def _connect(self) -> Connection:
        writable = self.file.writable()
        for _ in range(OPEN_ATTEMPTS):
            before = self.file.require_openable(writable=writable)
            connection = driver.connect(self.file.uri, BUSY_TIMEOUT)
            files: FileState | None = FileState(before.database)
            try:
                # Before the settings, which would write into an empty file.
                self.file.require_ours(connection)
                self._add_conn_hooks(connection)
                self.file.require_same(before)
                if writable and connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                    files = self.file.register(connection, before)
            except BaseException:
                connection.close()
                raise
            if files is not None:
                self.thread.files, self.thread.read_only, self.thread.failed = files, not writable, False
                return connection
            connection.close()
        raise unusable()

    def _close(self, conn: Connection) -> None:
        self.file.unregister(conn)
        super()._close(conn)

    def ensure_connection(self) -> None:
        """Open this thread's connection; again if it failed, or if the files were replaced."""
        if self.is_closed():
            self.connect()
        elif not self._files_are_same():
            if self.file.identity() == self.thread.files.database:
                self._save_wal()
            self.close()
            self.connect()
        elif self.thread.failed and self.file.writable():
            self._reconnect()

    @contextmanager
    def use_connection(self) -> Iterator[None]:
        """Open this thread's connection for one transaction; in a transaction, do nothing.

        One that can never write is closed afterwards: connections that this process opens beside it could
        not write either.
        """
        if self.in_transaction():
            yield
            return
        try:
            self.ensure_connection()
            yield
        finally:
            if self.thread.read_only and not self.is_closed():
                self.close()

    def _files_are_same(self) -> bool:
        """Return whether a commit by this connection goes to the files that the next process will read."""
        found, opened = self.file.state(), self.thread.files
        if not opened.complete:
            return found.database == opened.database
        if not found.continues(opened):
            return False
        self.thread.files = found
        return True

    def _save_wal(self) -> None:
        """Store in the database itself what is only in files that no other process can open any more."""
        with nullcontext() if self.thread.holds_lock else self.write_lock.hold(BUSY_TIMEOUT):
            self.file.save_wal(self.connection(), self.thread.files)

    def _reconnect(self) -> None:
        """Replace a connection that failed; keep it if no other can be opened, for it may still read.

        It is closed last: the last connection of all deletes files that a bad disk could not create again.
        """
        old = self.connection()
        self.dispose()
        try:
            self.connect()
        except (peewee.PeeweeException, ApiError):
            self._state.set_connection(old)
        else:
            self._close(old)

    # -- transactions

    def run_with_retry(
        self, transaction: Callable[[], AbstractContextManager[None]], work: Callable[[], Result]
    ) -> Result:
        """Run `work` once: SQLite does not roll transactions back by itself."""
        with transaction():
            return work()

    @contextmanager
    def read_transaction(self) -> Iterator[None]:
        with self.use_connection(), self.transaction(self.READ):
            yield

    @contextmanager
    def hold_write_lock(self) -> Iterator[None]:
        """Hold the write lock; after the transaction inside, require that it is in the current files."""
        self.file.require_exists()  # before the lock creates a file beside one that is gone
        with self.write_lock.hold(BUSY_TIMEOUT) as left:
            self.thread.holds_lock = True
            try:
                with self.use_connection(), self._busy_timeout(left):
                    yield
                    if not self._files_are_same():
                        self.file.require_same(self.thread.files)
                        self._save_wal()  # only then is it stored
            finally:
                self.thread.holds_lock = False

    @contextmanager
    def _busy_timeout(self, seconds: float) -> Iterator[None]:
        """Wait no longer for SQLite's own lock, which a program that ignores the write lock may hold."""
        if seconds > 0.9 * BUSY_TIMEOUT:
            yield
            return
        self.pragma("busy_timeout", int(seconds * 1000))
        try:
            yield
        finally:
            if not self.is_closed():
                self.pragma("busy_timeout", int(BUSY_TIMEOUT * 1000))

    @contextmanager
    def write_transaction(self, *, revises: bool = True) -> Iterator[None]:
        with self.hold_write_lock(), self.transaction(self.WRITE):
            if revises:
                self.execute_sql("UPDATE revision SET number = number + 1")
            yield
            self.update_search_index()

    @contextmanager
    def bulk_load(self) -> Iterator[None]:
        with self.write_transaction():
            self.pragma("defer_foreign_keys", 1)  # until the end of the transaction
            yield
            self.update_search_index(-1, 1)

    @contextmanager
    def schema_change(self) -> Iterator[None]:
        """Change tables in one transaction; check foreign keys at its end.

        Dropping a table would otherwise delete the rows that refer to it. SQLite ignores this setting inside
        a transaction.
        """
        with self.hold_write_lock():
            self.pragma("foreign_keys", 0)
            try:
                with self.atomic(self.WRITE):
                    yield
                    self.create_missing_index()
                    if self.execute_sql("PRAGMA foreign_key_check").fetchone():
                        raise peewee.IntegrityError("a migration leaves dangling references")
            finally:
                self.pragma("foreign_keys", 1)

    def rebuild_index(self) -> bool:
        with self.hold_write_lock(), self.atomic(self.WRITE):
            return self.recreate_index()
