"""SQLite of the package APSW, which brings a newer one than the system has, with the manners of `sqlite3`.

Only what Peewee and this package use: its methods, and its exceptions with their codes.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import apsw

VERSION: str = apsw.sqlite_lib_version()

_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI

#: As in Python's own: what is not here is a DatabaseError.
_KINDS: dict[type[Exception], type[Exception]] = {
    apsw.InternalError: sqlite3.InternalError,
    apsw.NotFoundError: sqlite3.InternalError,
    apsw.NoMemError: MemoryError,
    apsw.SQLError: sqlite3.OperationalError,
    apsw.PermissionsError: sqlite3.OperationalError,
    apsw.AbortError: sqlite3.OperationalError,
    apsw.BusyError: sqlite3.OperationalError,
    apsw.LockedError: sqlite3.OperationalError,
    apsw.ReadOnlyError: sqlite3.OperationalError,
    apsw.InterruptError: sqlite3.OperationalError,
    apsw.IOError: sqlite3.OperationalError,
    apsw.FullError: sqlite3.OperationalError,
    apsw.CantOpenError: sqlite3.OperationalError,
    apsw.ProtocolError: sqlite3.OperationalError,
    apsw.EmptyError: sqlite3.OperationalError,
    apsw.SchemaChangeError: sqlite3.OperationalError,
    apsw.TooBigError: sqlite3.DataError,
    apsw.ConstraintError: sqlite3.IntegrityError,
    apsw.MismatchError: sqlite3.IntegrityError,
    apsw.MisuseError: sqlite3.InterfaceError,
    apsw.RangeError: sqlite3.InterfaceError,
    apsw.BindingsError: sqlite3.ProgrammingError,
    apsw.ConnectionClosedError: sqlite3.ProgrammingError,
    apsw.CursorClosedError: sqlite3.ProgrammingError,
    apsw.ThreadingViolationError: sqlite3.ProgrammingError,
}


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (apsw.Error, UnicodeDecodeError) as error:
        raise _as_sqlite3(error) from error


def _as_sqlite3(error: Exception) -> Exception:
    if isinstance(error, UnicodeDecodeError):
        return sqlite3.OperationalError("Could not decode to UTF-8")
    found = _KINDS.get(type(error), sqlite3.DatabaseError)(*error.args)
    code = getattr(error, "extendedresult", None)
    if code is not None and isinstance(found, sqlite3.Error):
        found.sqlite_errorcode = code
        names = apsw.mapping_extended_result_codes, apsw.mapping_result_codes
        found.sqlite_errorname = next((table[code] for table in names if code in table), "SQLITE_UNKNOWN")
    return found


def _bound(_cursor: apsw.Cursor, _number: int, value: Any) -> str:
    """Python's own writes a time as text; Peewee's migrations note theirs so."""
    if isinstance(value, datetime):
        return value.isoformat(" ")
    raise sqlite3.ProgrammingError(f"type {type(value).__name__} cannot be stored")


class Cursor(apsw.Cursor):
    """Without `with` around each row, of which there are many."""

    def execute(self, statements: str, bindings: Sequence[Any] = ()) -> "Cursor":
        try:
            super().execute(statements, bindings)
        except (apsw.Error, UnicodeDecodeError) as error:
            raise _as_sqlite3(error) from error
        return self

    def __next__(self) -> Any:
        try:
            return super().__next__()
        except (apsw.Error, UnicodeDecodeError) as error:
            raise _as_sqlite3(error) from error

    def fetchone(self) -> Any:
        return next(self, None)

    def fetchall(self) -> list[Any]:
        return list(self)

    @property
    def description(self) -> Any:
        """None when there is no row left to describe, where APSW raises."""
        try:
            return super().description
        except apsw.ExecutionCompleteError:
            return None

    @property
    def lastrowid(self) -> int:
        return int(self.connection.last_insert_rowid())

    @property
    def rowcount(self) -> int:
        return int(self.connection.changes())


class Connection(apsw.Connection):
    """In autocommit mode, as `sqlite3.connect(…, isolation_level=None)` gives it."""

    def __init__(self, uri: str, timeout: float) -> None:
        with _translated():
            super().__init__(uri, flags=_FLAGS)
            self.set_busy_timeout(int(timeout * 1000))
        self.cursor_factory = Cursor
        self.convert_binding = _bound

    def execute(self, statements: str, bindings: Sequence[Any] = ()) -> Cursor:
        cursor: Cursor = self.cursor()
        return cursor.execute(statements, bindings)

    def cursor(self) -> Any:
        with _translated():
            return super().cursor()

    def create_function(self, name: str, arguments: int, function: Callable[..., Any], **more: bool) -> None:
        with _translated():
            self.create_scalar_function(name, function, arguments, **more)

    def backup(self, target: "Connection") -> None:
        """The whole database in one step, which waits for its lock like any statement."""
        with _translated(), apsw.Connection.backup(target, "main", self, "main") as copy:
            copy.step(-1)

    def close(self) -> None:
        with _translated():
            super().close()
