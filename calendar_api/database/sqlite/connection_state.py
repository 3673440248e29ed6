"""What a thread of ours knows about its connection to a SQLite file, and about the state that is in it."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from calendar_api.database.sqlite.database_file import Identity
from calendar_api.database.sqlite.wal import WalState

NO_TEXT = "Could not decode to UTF-8"  # what Python says of damaged text, which SQLite does not look at

_REVISION = "SELECT number FROM revision"


class ConnectionState(threading.local):
    """`spoiled` is a connection on which the file failed, `weak` one that can never write.

    `wal` has the files that the connection uses beside the database; None where there are none.
    """

    opened: Identity = (0, 0)
    wal: WalState | None = None
    spoiled = False
    weak = False
    writing = False

    def become(self, opened: Identity, wal: WalState | None, *, weak: bool) -> None:
        """That of a new connection."""
        self.opened, self.wal, self.weak, self.spoiled = opened, wal, weak, False

    def read(self, connection: Any) -> tuple[Identity, int]:
        """The file that is open, and how often it was written to."""
        with readable():
            found = connection.execute(_REVISION).fetchone()
        return self.opened, _number(found)


def _number(row: Any) -> int:
    if row is None or type(row[0]) is not int:
        raise sqlite3.DatabaseError("the row that counts the writes is damaged")
    return row[0]


@contextmanager
def readable() -> Iterator[None]:
    """What SQLite says of damaged tables may quote them, so that Python cannot even read the error."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(NO_TEXT) from error
