"""The only package that knows the database's dialect: connections, transactions, what its errors mean.

Here is what the rest of the service sees; `sqlite` and `mysql` say how each of the two does it.
"""

from collections.abc import Sequence
from typing import Any

from calendar_api.database.connection import (
    bulk_load,
    close_connection,
    connected,
    open_connection,
    opened_by_this_process,
    read,
    run_autocommit,
    run_read,
    run_write,
    schema_change,
    try_read,
    write,
)
from calendar_api.database.diagnostics import Deviation, Hindrance
from calendar_api.database.errors import describe, translate, translating
from calendar_api.database.proxy import bind, bound, db, engine, using

__all__ = [
    "bind",
    "bound",
    "bulk_load",
    "close_connection",
    "connected",
    "db",
    "describe",
    "engine",
    "open_connection",
    "read",
    "run_autocommit",
    "run_read",
    "run_write",
    "schema_change",
    "translate",
    "translating",
    "try_read",
    "using",
    "write",
]


def exists() -> bool:
    """Whether there is a database of ours at all; raises DatabaseUnavailable when nobody can tell."""
    with translating():
        return bool(db.made())


def create() -> None:
    """Make an empty database that belongs to its operator alone; raises DatabaseUnavailable."""
    with translating():
        db.make()


def place() -> object:
    """What changes when another database has come to where ours was; None while there is none."""
    return db.place()


def keep_reserve() -> None:
    """Keep some room on the disk, for deletions when it is full; where there is none to keep, do nothing."""
    db.keep_reserve()


def release_reserve() -> int:
    """Give that room back; returns the bytes."""
    return int(db.release_reserve())


def revision() -> tuple[object, int] | None:
    """Which state the records are in: another one after every write, here or by another process.

    In a transaction it is that of its snapshot, if it is asked first. None when nobody can tell just now.
    """
    engine = bound()
    if opened_by_this_process():
        found = engine.revision_at_hand()
        if found is not None:
            return found
    return try_read(engine.revision)


def fault(tables: Sequence[str]) -> str | None:
    """What is wrong with the server or these tables, so that they cannot be used; needs a connection."""
    found: str | None = db.fault(tables)
    return found


def columns(tables: Sequence[str]) -> dict[str, set[str]]:
    """The columns of each of these tables that is there; needs a connection."""
    found: dict[str, set[str]] = {}
    for table, column in db.columns_of(tables):
        found.setdefault(str(table), set()).add(str(column))
    return found


def indexes() -> set[tuple[str, str]]:
    """Table and columns ("a,b") of each index; needs a connection."""
    return {(str(table), str(columns)) for table, columns in db.index_columns()}


def advice() -> list[str]:
    """What its operator should know and may leave as it is, as sentences; needs a connection."""
    return list(db.advice())


def software() -> str:
    """What keeps the records, with its version; nothing where that cannot be told without asking anew."""
    return str(db.software())


def hindrance() -> Hindrance | None:
    """Why writes cannot work just now, without writing; needs a connection."""
    found: Hindrance | None = db.hindrance()
    return found


def deviations() -> list[Deviation]:
    """What is not as it should be in where and how the records are kept; needs a connection."""
    return list(db.deviations())


def texts_holding(words: Sequence[str], one_in: int) -> Any:
    """A subquery of the ids in search_text of all texts that can hold these words, found by an index.

    Each has still to be looked at. None when they are more than one text in so many, or without an index.
    """
    return db.texts_holding(words, one_in)


def contains(column: Any, word: str) -> Any:
    """Whether a folded text contains this one, letter by letter, in the way that is fastest here."""
    return db.contains(column, word)


def has_partial_indexes() -> bool:
    """Whether an index may hold some of the rows only."""
    return bool(db.PARTIAL_INDEXES)


def reindex() -> bool | None:
    """Make the index of the search anew; False if this library cannot, None if there is none to make."""
    with translating():
        open_connection()
        found: bool | None = db.renew_index()
        return found
