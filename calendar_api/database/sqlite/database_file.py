"""The database file with its -wal and -shm: do they exist, are they those that were opened, are they ours?

SQLite keeps all three open and does not look at their names again: what it writes into one that was deleted
or replaced would be lost. The database file is only looked at with `stat` here: opening and closing it beside
SQLite would drop SQLite's locks.
"""

import contextlib
import glob
import logging
import os
import secrets
import stat
import threading
import time
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from calendar_api.database.errors import busy, unusable
from calendar_api.database.sqlite import driver
from calendar_api.database.sqlite.driver import Connection, sqlite3
from calendar_api.domain.errors import DatabaseUnavailable

APPLICATION_ID = 0x43414C31  # "CAL1": tells our file from any other SQLite file
WAL_SIZE_LIMIT = 64 * 2**20  # bytes; SQLite truncates a longer -wal to this by itself (journal_size_limit)
CHECKPOINT_PAGES = 4000  # in -wal; one part of its index in -shm holds 4062
BEFORE_RESTORE = ".before-restore-"  # in the name that `calendar-api restore` gives to the previous database
WAIT = 1.0  # seconds for other processes that are opening or closing the database at this moment
NO_ROOM = 64 * 1024  # bytes; with less, SQLite cannot even make its index of the log

Identity = tuple[int, int]  # device and inode

log = logging.getLogger("calendar_api")


class FileProblem(Exception):
    """What is wrong with the database file, -wal or -shm, and what to do; for the operator only."""


class FileState(NamedTuple):
    """Which files are at the three paths (None: there is none), and the bytes in -wal."""

    database: Identity | None
    wal: Identity | None = None
    shm: Identity | None = None
    wal_size: int = 0

    @property
    def complete(self) -> bool:
        return self.wal is not None and self.shm is not None

    def continues(self, before: "FileState") -> bool:
        """Whether these are the same files as before, and -wal was not truncated."""
        return self[:3] == before[:3] and self.wal_size >= min(before.wal_size, WAL_SIZE_LIMIT)


class DatabaseFile:
    """The files of one database, as the connections of this process use them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.uri = driver.uri(path, "rw")
        self._name = os.fspath(path)
        self._wal, self._shm = f"{path}-wal", f"{path}-shm"
        self._instance: int | None = None
        self._lock = threading.Lock()
        self._files_of: WeakKeyDictionary[Connection, FileState] = WeakKeyDictionary()
        self._saved = False  # -wal, by this process, since it last opened a connection

    # -- the database file

    def exists(self) -> bool:
        """Return whether there is a file that is not empty; raise DatabaseUnavailable if access is denied."""
        try:
            found = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise unusable() from FileProblem(f"{self.path} cannot be looked at: {error.strerror}")
        return stat.S_ISREG(found.st_mode) and found.st_size > 0

    def create(self) -> None:
        """Create an empty database (0600) in a directory of its own (0700), with a random number.

        The number stands where SQLite lets a program keep a version, and so is in every backup. Raises
        DatabaseUnavailable, also if a restore was interrupted: an empty calendar would hide the previous one.
        """
        before = sorted(self.path.parent.glob(f"{glob.escape(self.path.name)}{BEFORE_RESTORE}*Z"))
        if before:
            added = before[-1].name.removeprefix(self.path.name)
            raise DatabaseUnavailable(
                f"{self.path} is missing, perhaps because a restore was interrupted. "
                f"Run `calendar-api restore FILE` again, or remove {added} from the names of the files that "
                f"have it. For an empty calendar, move {before[-1]} away."
            )
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise DatabaseUnavailable(
                f"The database {self.path} cannot be made: {error.strerror}."
            ) from error
        with contextlib.closing(driver.connect(self.uri, 5.0)) as connection:
            connection.execute(f"PRAGMA user_version = {secrets.randbelow(2**31 - 1) + 1}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    def identity(self) -> Identity | None:
        """Return device and inode of the file now; None if there is none or access is denied."""
        found = _stat(self._name)
        return _identity(found) if found and stat.S_ISREG(found.st_mode) else None

    def require_exists(self) -> Identity:
        """Return the same; raise DatabaseUnavailable if there is none."""
        found = self.identity()
        if found is None:
            raise unusable() from FileProblem(
                f"there is no database file at {self.path}: put it back, or restore a backup there; "
                "the service takes it up by itself"
            )
        return found

    def require_ours(self, connection: Connection) -> None:
        """Raise DatabaseUnavailable if a connection is to a file of another program or another calendar."""
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (instance,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            raise unusable() from FileProblem(f"{self.path} is not a database of this service")
        if self._instance not in (None, instance):
            raise unusable() from FileProblem(
                f"{self.path} is the database of another calendar than this process has served: "
                "put the right one there, or restart the service to serve this one"
            )
        self._instance = instance

    def writable(self) -> bool:
        return os.access(self.path, os.W_OK, effective_ids=True)

    def has_room(self) -> bool:
        try:
            found = os.statvfs(self.path.parent)
        except OSError:
            return True
        return found.f_bavail * found.f_frsize >= NO_ROOM

    # -- all three files

    def state(self) -> FileState:
        return FileState(self.identity(), *self.wal_state())

    def wal_state(self) -> tuple[Identity | None, Identity | None, int]:
        wal, shm = _stat(self._wal), _stat(self._shm)
        return _identity(wal), _identity(shm), wal.st_size if wal else 0

    def require_same(self, opened: FileState) -> FileState:
        """Return the files now; raise DatabaseUnavailable if the database file is not the one opened."""
        found = self.state()
        if found.database != opened.database:
            self.require_exists()
            raise unusable() from FileProblem(f"{self.path} was replaced in this very moment")
        return found

    def require_openable(self, *, writable: bool) -> FileState:
        """Return the files that a new connection will use; raise DatabaseUnavailable if that is not safe.

        All connections of a process share one -shm, even when another one has its name by now.
        """
        database = self.require_exists()
        if not writable:
            return FileState(database)
        found = self.state()
        with self._lock:
            others = [files for files in self._files_of.values() if files.database == database]
        if any(files.shm != found.shm for files in others):
            reason = "-wal or -shm was deleted or replaced; this process is closing its connections"
            raise unusable() from FileProblem(reason)
        if found.complete or self._saved:
            return found
        try:
            self.require_wal()
        except FileProblem as error:
            raise unusable() from error
        return self.state()

    def register(self, connection: Connection, before: FileState) -> FileState | None:
        """Return the files that this connection uses; None if they changed while it was opened."""
        connection.execute("PRAGMA schema_version").fetchone()  # opens both
        found = self.require_same(before)
        if not found.complete or (before.complete and found[:3] != before[:3]):
            return None
        with self._lock:
            self._files_of[connection] = found
        self._saved = False
        return found

    def unregister(self, connection: Connection) -> None:
        with self._lock:
            self._files_of.pop(connection, None)

    def save_wal(self, connection: Connection, opened: FileState) -> None:
        """Write what was committed to these files into the database; raise DatabaseUnavailable.

        Nothing is then left in them, and the connection can be closed. Called by one process at a time.
        """
        try:
            (blocked, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            # pysqlite3 has the latter.
            if driver.error_name(error) not in ("SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR"):
                raise
            if self.state().wal == opened.wal:
                raise unusable() from FileProblem(
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
                Path(self._wal).unlink(missing_ok=True)
            log.warning(
                "%s or -shm was deleted, replaced or truncated while the service used it: what was committed "
                "is saved in the database; leave these files alone while the service runs",
                self._wal,
            )
        self._saved = True

    def require_wal(self) -> None:
        """Raise FileProblem if -wal or -shm is missing although a connection has the database open."""
        deadline = time.monotonic() + WAIT
        while not self.state().complete and self._is_used():
            if time.monotonic() > deadline:
                raise FileProblem(
                    f"{self._wal} or -shm was deleted while the service uses it. The next request to the "
                    "service saves what was committed; if this message stays, restart the service"
                )
            time.sleep(0.01)

    def _is_used(self) -> bool:
        """Return whether anybody has this database open: only a sole connection gets the exclusive lock."""
        with contextlib.closing(driver.connect(self.uri, 0)) as connection:
            try:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("PRAGMA schema_version").fetchone()
            except sqlite3.Error as error:
                return driver.error_name(error).startswith("SQLITE_BUSY")
        return False


def _stat(name: str) -> os.stat_result | None:
    try:
        return os.stat(name)  # noqa: PTH116 - before every transaction; half the time
    except OSError:
        return None


def _identity(found: os.stat_result | None) -> Identity | None:
    return (found.st_dev, found.st_ino) if found else None
