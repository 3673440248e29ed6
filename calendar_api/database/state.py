"""Questions to the bound database beside its rows: whether it exists, its revision, schema and problems."""

from collections.abc import Sequence
from typing import Any

from calendar_api.database.connection import (
    bound,
    open_connection,
    opened_by_this_process,
    translating,
    try_read,
)
from calendar_api.database.diagnostics import Finding, Scope


def exists() -> bool:
    """Return whether there is a database; raises DatabaseUnavailable if that cannot be found out."""
    with translating():
        return bound().exists()


def create() -> None:
    """Create an empty database that only its owner may read; raises DatabaseUnavailable."""
    with translating():
        bound().create()


def identity() -> object:
    """Return an identifier that changes when another database replaces this one; None if there is none."""
    return bound().identity()


def revision() -> tuple[object, int] | None:
    """Return the state of the records: another one after every write, by any process.

    Asked first in a transaction, it is the revision of its snapshot. None if the database is unavailable.
    """
    if opened_by_this_process():
        found = bound().try_revision()
        if found is not None:
            return found
    return try_read(bound().revision)


def columns(tables: Sequence[str]) -> dict[str, set[str]]:
    """Return the columns of those of the tables that exist; needs a connection."""
    found: dict[str, set[str]] = {}
    for table, column in bound().columns_of(tables):
        found.setdefault(str(table), set()).add(str(column))
    return found


def indexes() -> set[tuple[str, str]]:
    """Return table and columns ("a,b") of each index; needs a connection."""
    return {(str(table), str(columns)) for table, columns in bound().index_columns()}


def software() -> str:
    """Return name and version of the database software; empty if that takes a new connection."""
    return bound().software()


def diagnose(scope: Scope = "all", tables: Sequence[str] = ()) -> list[Finding]:
    """Return the problems of the database and where it is stored; needs a connection.

    `tables`: those whose engine and collation to check. "all" reads every row; raises what reading raises.
    """
    return bound().diagnose(scope, tables)


# -- full-text search


def texts_holding(words: Sequence[str], one_in: int) -> Any:
    """Return a subquery of ids in search_text: all texts that may contain these words, by an index.

    Each text has still to be checked. None if that is more than one text in `one_in`, or without an index.
    """
    return bound().texts_holding(words, one_in)


def contains(column: Any, word: str) -> Any:
    """Return an expression: whether a folded text contains `word`, in the way fastest on this database."""
    return bound().contains(column, word)


def reindex() -> bool | None:
    """Rebuild the search index; False if this SQLite library cannot, None if there is none to rebuild."""
    with translating():
        open_connection()
        return bound().rebuild_index()
