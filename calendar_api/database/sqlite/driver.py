"""The SQLite driver: `pysqlite3` if it is installed and newer than Python's own, as Peewee chooses it.

SQLite's locks belong to a process. A second copy of SQLite in the same process would silently drop them when
it closes the same file, so that all of this package uses this module.
"""

from typing import Any

from peewee import sqlite3

__all__ = ["NAME", "TEXT", "VERSION", "connect", "is_sound", "sqlite3"]

TEXT: str = sqlite3.sqlite_version
VERSION: tuple[int, ...] = sqlite3.sqlite_version_info
NAME = f"SQLite {TEXT} of {'Python' if sqlite3.__name__ == 'sqlite3' else 'the package pysqlite3'}"
FIXED = (3, 51, 3)  # before: a checkpoint and a write at the same moment may damage the file
WITHDRAWN = (3, 52)


class Connection(sqlite3.Connection):
    """A connection that can be referenced weakly."""


def connect(uri: str, timeout: float) -> Any:
    """Open a connection in autocommit mode; `timeout` is for locks, in seconds."""
    return sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, factory=Connection)


def is_sound(version: tuple[int, ...]) -> bool:
    """Return whether this version lacks the known bug that can damage a file."""
    return version >= FIXED and version[:2] != WITHDRAWN
