"""Which SQLite is used: that of the package APSW where it is installed, otherwise the one that Python has.

SQLite's locks belong to a process, and a second copy of SQLite in it would undo them without a word when it
closes the same file. So all of this package opens files by `connect`, and nobody chooses while it runs.
"""

import sqlite3
from typing import Any

try:
    from calendar_api.database.sqlite import apsw_adapter
except ModuleNotFoundError as error:
    if error.name != "apsw":
        raise
    newer = None
else:
    newer = apsw_adapter

TEXT: str = newer.VERSION if newer else sqlite3.sqlite_version
VERSION = tuple(int(part) for part in TEXT.split("."))
NAME = f"SQLite {TEXT}, of {'the package apsw' if newer else 'Python'}"
SOUND = (3, 51, 3)  # before, two connections that checkpoint and write at the wrong moment damage the file
_WITHDRAWN = (3, 52)


class CheckedConnection(sqlite3.Connection):
    """One that weak references may point to."""


def connect(uri: str, timeout: float) -> Any:
    """A `sqlite3.Connection` in autocommit mode, or what behaves like one; `timeout` is for locks."""
    if newer is not None:
        return newer.Connection(uri, timeout)
    return sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, factory=CheckedConnection)


def sound(version: tuple[int, ...]) -> bool:
    """Whether this SQLite is without the known fault that can damage a file."""
    return version >= SOUND and version[:2] != _WITHDRAWN
