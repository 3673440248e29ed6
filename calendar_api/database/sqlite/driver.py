"""The SQLite driver, `pysqlite3` if it is installed and newer than Python's own, and what its errors mean.

SQLite's locks belong to a process. A second copy of SQLite in the same process would silently drop them when
it closes the same file, so that all of this package uses this module.
"""

import os
from pathlib import Path
from typing import cast
from urllib.parse import quote

from peewee import sqlite3

__all__ = ["Connection", "connect", "sqlite3"]

TEXT: str = sqlite3.sqlite_version
VERSION: tuple[int, ...] = sqlite3.sqlite_version_info
NAME = f"SQLite {TEXT} of {'Python' if sqlite3.__name__ == 'sqlite3' else 'the package pysqlite3'}"
FIXED = (3, 51, 3)  # before: a checkpoint and a write at the same moment may damage the file
WITHDRAWN = (3, 52)

# Every served file has the tables and columns that our statements name, and UTF-8 (SQLite does not validate
# it, Python does), unless it was damaged in a way that SQLite can still read.
_DAMAGE_TEXTS = ("Could not decode to UTF-8", "no such column", "no such table")
_KINDS = {
    "SQLITE_BUSY": "busy",
    "SQLITE_LOCKED": "busy",
    "SQLITE_FULL": "full",
    "SQLITE_IOERR": "io",
    "SQLITE_CANTOPEN": "io",
    "SQLITE_CORRUPT": "damaged",
    "SQLITE_NOTADB": "damaged",
    "SQLITE_READONLY": "unusable",
    "SQLITE_PERM": "unusable",
}


class Connection(sqlite3.Connection):
    """A connection that can be referenced weakly."""


def connect(uri: str, timeout: float) -> Connection:
    """Open a connection in autocommit mode; `timeout` is for locks, in seconds."""
    found = sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, factory=Connection)
    return cast(Connection, found)


def uri(path: Path, mode: str) -> str:
    """Return the URI of a file; SQLite creates a missing one only with the mode "rwc"."""
    return f"file:{quote(os.fsencode(path))}?mode={mode}"


def is_sound(version: tuple[int, ...]) -> bool:
    """Return whether this version lacks the known bug that can damage a file."""
    return version >= FIXED and version[:2] != WITHDRAWN


def error_name(error: BaseException) -> str:
    """Return the name of SQLite's error code, such as "SQLITE_BUSY"; empty if there is none."""
    return str(getattr(error, "sqlite_errorname", None) or "")


def error_kind(error: BaseException) -> str:
    """Return "busy", "full", "io", "damaged", "unusable", or "" for an error that is not the file's."""
    kind = _KINDS.get("_".join(error_name(error).split("_")[:2]), "")
    return kind or ("unusable" if str(error).startswith(_DAMAGE_TEXTS) else "")
