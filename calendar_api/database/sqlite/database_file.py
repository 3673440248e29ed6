"""The database file: does it exist, is it the one that was opened, and is it ours.

SQLite goes on writing into a file that was deleted or replaced, and these writes would be lost. This module
uses `stat` only: opening and closing the file beside SQLite would drop SQLite's locks.
"""

import os
import secrets
import stat
from pathlib import Path
from typing import Any
from urllib.parse import quote

from calendar_api.database.sqlite import driver
from calendar_api.database.sqlite.errors import unusable
from calendar_api.domain.errors import DatabaseUnavailable

APPLICATION_ID = 0x43414C31  # "CAL1": tells our file from any other SQLite file
WAIT = 5.0  # seconds
NO_ROOM = 64 * 1024  # bytes; with less, SQLite cannot even make its index of the log

Identity = tuple[int, int]


class WrongFile(Exception):
    """What is wrong with the file; for its operator alone."""


class DatabaseFile:
    """The file at one path, as this process knows it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._name = os.fspath(path)
        # SQLite makes no file by itself; `create` does.
        self.uri = f"file:{quote(os.fsencode(path))}?mode=rw"
        self.instance: int | None = None

    def exists(self) -> bool:
        """Return whether there is a file that is not empty; raise DatabaseUnavailable if access is denied."""
        try:
            found = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            reason = WrongFile(f"{self.path} cannot be looked at: {error.strerror}")
            raise unusable() from reason
        return stat.S_ISREG(found.st_mode) and found.st_size > 0

    def create(self) -> None:
        """An empty database (0600) in a directory of its own (0700), with a number that no other one has.

        The number stands where SQLite lets a program keep a version, and so is in every backup.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = driver.connect(self.uri, WAIT)
        try:
            connection.execute(f"PRAGMA user_version = {secrets.randbelow(2**31 - 1) + 1}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        finally:
            connection.close()

    def identity(self) -> Identity | None:
        """Return device and inode of the file now; None if there is none or access is denied."""
        try:
            found = os.stat(self._name)  # noqa: PTH116 - each read of what is remembered asks; half the time
        except OSError:
            return None
        return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None

    def require_exists(self) -> Identity:
        """Return the same; raise DatabaseUnavailable if there is none."""
        found = self.identity()
        if found is None:
            raise _unusable(
                f"there is no database file at {self.path}: put it back, or restore a backup there; "
                "the service takes it up by itself"
            )
        return found

    def require_ours(self, connection: Any) -> None:
        """Raise DatabaseUnavailable if a connection is to a file of another program or another calendar."""
        application = _pragma(connection, "application_id")
        instance = _pragma(connection, "user_version")
        if application != APPLICATION_ID:
            raise _unusable(f"{self.path} is not a database of this service")
        if self.instance not in (None, instance):
            raise _unusable(
                f"{self.path} is the database of another calendar than this process has served: "
                "put the right one there, or restart the service to serve this one"
            )
        self.instance = instance

    def require_same(self, opened: Identity) -> None:
        """Raise DatabaseUnavailable unless the file that was opened is still the one that is there."""
        if self.require_exists() != opened:
            raise _unusable(f"{self.path} was replaced in this very moment")

    def writable(self) -> bool:
        return os.access(self.path, os.W_OK, effective_ids=True)

    def has_room(self) -> bool:
        try:
            found = os.statvfs(self.path.parent)
        except OSError:
            return True
        return found.f_bavail * found.f_frsize >= NO_ROOM


def _unusable(reason: str) -> DatabaseUnavailable:
    error = unusable()
    error.__cause__ = WrongFile(reason)
    return error


def _pragma(connection: Any, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
