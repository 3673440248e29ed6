"""The -wal and -shm files of a SQLite database: do the open connections still use the files of these names?

SQLite keeps both open and does not look at their names again. After one is deleted or replaced, commits go
to a file that is gone after a crash, and a new connection does not see them.
"""

import contextlib
import logging
import os
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote
from weakref import WeakKeyDictionary

from calendar_api.database.sqlite import driver
from calendar_api.database.sqlite.driver import sqlite3
from calendar_api.database.sqlite.errors import busy, name_of, unusable

SIZE_LIMIT = 64 * 2**20  # bytes; SQLite truncates a longer -wal to this by itself (journal_size_limit)
WAIT = 1.0  # seconds for other processes that are opening or closing the database at this moment

log = logging.getLogger("calendar_api")

Identity = tuple[int, int]


class WalError(Exception):
    """What is wrong with -wal or -shm and what to do; for the operator alone."""


class WalState(NamedTuple):
    """Which files have the names now (None: there is none), and the bytes in -wal."""

    wal: Identity | None
    shm: Identity | None
    size: int

    @property
    def complete(self) -> bool:
        return self.wal is not None and self.shm is not None

    def continues(self, before: "WalState") -> bool:
        """Whether these are the same files as before, and -wal was not truncated."""
        return self[:2] == before[:2] and self.size >= min(before.size, SIZE_LIMIT)


class WalFiles:
    """Those of one database, as the connections of this process use them."""

    def __init__(self, database: Path) -> None:
        self._wal, self._shm = f"{database}-wal", f"{database}-shm"
        self._uri = f"file:{quote(os.fsencode(database))}?mode=rw"
        self._lock = threading.Lock()
        self._shm_of: WeakKeyDictionary[Any, tuple[Identity, Identity | None]] = WeakKeyDictionary()
        self._saved = False  # by this process, since it last opened a connection

    def state(self) -> WalState:
        wal, shm = _stat(self._wal), _stat(self._shm)
        return WalState(_identity(wal), _identity(shm), wal.st_size if wal else 0)

    def require_openable(self, database: Identity) -> WalState:
        """The files that a new connection will use; raises DatabaseUnavailable when that is not safe.

        All connections of a process share one -shm, even when another one has its name by now.
        """
        found = self.state()
        with self._lock:
            others = [shm for at, shm in self._shm_of.values() if at == database]
        if any(shm != found.shm for shm in others):
            reason = "-wal or -shm was deleted or replaced; this process is closing its connections"
            raise unusable() from WalError(reason)
        if found.complete or self._saved:
            return found
        try:
            self.require_safe()
        except WalError as error:
            raise unusable() from error
        return self.state()

    def register(self, connection: Any, database: Identity, before: WalState) -> WalState | None:
        """The files that this connection uses; None when they changed while it was opened."""
        connection.execute("PRAGMA schema_version").fetchone()  # opens both
        found = self.state()
        if not found.complete or (before.complete and found[:2] != before[:2]):
            return None
        with self._lock:
            self._shm_of[connection] = database, found.shm
        self._saved = False
        return found

    def unregister(self, connection: Any) -> None:
        with self._lock:
            self._shm_of.pop(connection, None)

    def save(self, connection: Any, opened: WalState) -> None:
        """Write what was committed to these files into the database; raises DatabaseUnavailable.

        Nothing is then left in them, and the connection can be closed. Called by one process at a time.
        """
        try:
            blocked = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.Error as error:
            if name_of(error) not in ("SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR"):  # pysqlite3 has the latter
                raise
            if self.state().wal == opened.wal:
                raise unusable() from WalError(
                    f"{self._wal} was truncated while the service used it: the last writes in it are lost. "
                    "Restart the service, run `calendar-api check`, and compare with the newest backup"
                )
            # Another connection has saved and emptied the file that this one still has open.
        else:
            if blocked:
                raise busy()
            found = self.state()
            if found.wal == opened.wal and found.shm != opened.shm:
                # Others still have this one open, and may empty it once more when they see that -shm is gone.
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._wal)  # noqa: PTH108
            log.warning(
                "%s or -shm was deleted, replaced or truncated while the service used it: what was committed "
                "is saved in the database; leave these files alone while the service runs",
                self._wal,
            )
        self._saved = True

    def require_safe(self) -> None:
        """Raise WalError if -wal or -shm is missing although a connection has the database open."""
        deadline = time.monotonic() + WAIT
        while not self.state().complete and self._is_used():
            if time.monotonic() > deadline:
                raise WalError(
                    f"{self._wal} or -shm was deleted while the service uses it. The next request to the "
                    "service saves what was committed; if this message stays, restart the service"
                )
            time.sleep(0.01)

    def _is_used(self) -> bool:
        """Whether anybody has this database open: only a sole connection gets the exclusive lock."""
        with contextlib.closing(driver.connect(self._uri, 0)) as connection:
            try:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("PRAGMA schema_version").fetchone()
            except sqlite3.Error as error:
                return name_of(error).startswith("SQLITE_BUSY")
        return False


def _stat(name: str) -> os.stat_result | None:
    try:
        return os.stat(name)  # noqa: PTH116 - before every transaction; half the time
    except OSError:
        return None


def _identity(found: os.stat_result | None) -> Identity | None:
    return (found.st_dev, found.st_ino) if found else None
