"""What errors of SQLite mean for the client."""

from collections.abc import Iterator
from contextlib import contextmanager

from calendar_api.database.sqlite.driver import sqlite3
from calendar_api.domain.errors import DatabaseUnavailable
from calendar_api.domain.translation import message

NOT_UTF8 = "Could not decode to UTF-8"  # raised by Python for damaged text; SQLite does not validate it

# Every served file has the tables and columns that our statements name, unless its schema was damaged in a
# way that SQLite can still read.
_DAMAGE_TEXTS = (NOT_UTF8, "no such column", "no such table")
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


def busy() -> DatabaseUnavailable:
    return DatabaseUnavailable(message("The database is busy. Send the request again in a moment."))


def unusable() -> DatabaseUnavailable:
    return DatabaseUnavailable(
        message("The database cannot be used just now; its operator finds the reason in the log.")
    )


def name_of(error: BaseException | None) -> str:
    """The symbolic name of SQLite's error code, such as "SQLITE_BUSY"; empty if it has none."""
    return str(getattr(error, "sqlite_errorname", None) or "")


def kind_of(error: BaseException) -> str:
    """Return "busy", "full", "io", "damaged", "unusable", or "" for an error that is not the file's."""
    kind = _KINDS.get("_".join(name_of(error).split("_")[:2]), "")
    return kind or ("unusable" if str(error).startswith(_DAMAGE_TEXTS) else "")


@contextmanager
def decoding() -> Iterator[None]:
    """Raise DatabaseError where an error message of SQLite quotes damaged text that Python cannot decode."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(NOT_UTF8) from error
