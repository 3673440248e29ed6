"""The only package that knows the database's dialect: connections, transactions, what its errors mean.

Here is what the rest of the service sees; `sqlite` and `mysql` say how each of the two does it.
"""

from collections.abc import Sequence
from typing import Any

from calendar_api.database import text_changes
from calendar_api.database.connection import (
    bulk_load,
    close_connection,
    connected,
    is_part,
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
from calendar_api.database.diagnostics import Finding, Scope
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


def only_texts_of(id: int) -> None:
    """Say, as the last thing in a whole write transaction, that it changed but the texts of this record.

    Readers then keep what has nothing to do with it. A part of a larger transaction cannot say that.
    """
    if not is_part():
        text_changes.tell(db.execute_sql, db.param, id)


def texts_changed(before: int, now: int) -> frozenset[int] | None:
    """The records whose texts changed between two numbers of a revision.

    None when something else may have changed, or nobody can tell.
    """
    return try_read(lambda: text_changes.between(bound().execute_sql, before, now))


def columns(tables: Sequence[str]) -> dict[str, set[str]]:
    """The columns of each of these tables that is there; needs a connection."""
    found: dict[str, set[str]] = {}
    for table, column in db.columns_of(tables):
        found.setdefault(str(table), set()).add(str(column))
    return found


def indexes() -> set[tuple[str, str]]:
    """Table and columns ("a,b") of each index; needs a connection."""
    return {(str(table), str(columns)) for table, columns in db.index_columns()}


def software() -> str:
    """What keeps the records, with its version; nothing where that cannot be told without asking anew."""
    return str(db.software())


def diagnose(scope: Scope = "all", tables: Sequence[str] = ()) -> list[Finding]:
    """Return the problems of the database and where it is stored; needs a connection.

    `tables`: those whose engine and collation to check. "all" reads every row; raises what reading raises.
    """
    found: list[Finding] = db.diagnose(scope, tables)
    return found


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
