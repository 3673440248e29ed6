"""What errors of SQLite mean for the client."""

from collections.abc import Iterator
from contextlib import contextmanager

from calendar_api.database.sqlite.library import sqlite3
from calendar_api.domain.errors import DatabaseUnavailable
from calendar_api.domain.translation import message

NOT_UTF8 = "Could not decode to UTF-8"  # raised by Python for damaged text; SQLite does not validate it


def busy() -> DatabaseUnavailable:
    return DatabaseUnavailable(message("The database is busy. Send the request again in a moment."))


def unusable() -> DatabaseUnavailable:
    return DatabaseUnavailable(
        message("The database cannot be used just now; its operator finds the reason in the log.")
    )


def name_of(error: BaseException | None) -> str:
    """The symbolic name of SQLite's error code, such as "SQLITE_BUSY"; empty if it has none."""
    return str(getattr(error, "sqlite_errorname", None) or "")


@contextmanager
def decoding() -> Iterator[None]:
    """Raise DatabaseError where an error message of SQLite quotes damaged text that Python cannot decode."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(NOT_UTF8) from error
