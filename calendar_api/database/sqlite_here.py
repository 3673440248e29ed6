"""What a thread of ours knows about its connection to a SQLite file, and about the state that is in it."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from calendar_api.database import sqlite_log_index
from calendar_api.database.sqlite_file import File, Identity
from calendar_api.database.sqlite_log_index import header, settled

if TYPE_CHECKING:
    from mmap import mmap

NO_TEXT = "Could not decode to UTF-8"  # what Python says of damaged text, which SQLite does not look at

_OFTEN = 20  # a connection that is asked so often for its revision is worth some preparation
_REVISION = "SELECT number FROM revision"


class Here(threading.local):
    """`spoiled` is a connection on which the file failed, `weak` one that can never write."""

    opened: Identity = (0, 0)
    spoiled = False
    weak = False
    asked = 0
    index: "mmap | None" = None
    header = b""
    revision: tuple[Identity, int] = (opened, 0)

    def become(self, opened: Identity, *, weak: bool) -> None:
        """That of a new connection."""
        self.opened, self.weak, self.spoiled = opened, weak, False
        self.asked, self.index, self.header = 0, None, b""

    def read(self, connection: Any) -> tuple[Identity, int]:
        """The file that is open, and how often it was written to."""
        with readable():
            found = connection.execute(_REVISION).fetchone()
        return self.opened, _number(found)

    def at_hand(self, file: File, state: Any) -> tuple[Identity, int] | None:
        """The same by the connection that is open; None if there is none, or it is not fit.

        Where nothing was committed since the number was read, it is still that number.
        """
        if state.conn is None or self.spoiled or self.weak or file.identity() != self.opened:
            return None
        self.asked += 1
        index = self.index
        before = header(index) if index is not None else b""
        if before and before == self.header and not state.transactions:
            return self.revision
        try:
            found = self.opened, _number(state.conn.execute(_REVISION).fetchone())
        except (sqlite3.Error, UnicodeDecodeError):
            return None
        if self.asked == _OFTEN:
            self._take_up_index(file)
        elif index is not None and settled(before) and before == header(index) and not state.transactions:
            self.header, self.revision = before, found
        return found

    def _take_up_index(self, file: File) -> None:
        """Look for the index of the log that belongs to this connection."""
        index = sqlite_log_index.of(file.path)
        if file.identity() == self.opened:
            self.index = index


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
