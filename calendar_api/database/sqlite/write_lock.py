"""Let one writer of all threads and processes into a SQLite database, by arrival (docs/decisions/0009)."""

import errno
import fcntl
import os
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from calendar_api.database.errors import busy, unusable
from calendar_api.domain.errors import StorageFull

SUFFIX = "-lock"  # of the file beside the database
POLL, POLL_QUEUED = 0.0005, 0.01  # seconds between two attempts: of the first process, and of the others
TURN = 0.02  # seconds for which the threads of a process may pass the lock on to each other


class WriteLock:
    def __init__(self, database: Path) -> None:
        self._database, self.path = database, database.with_name(database.name + SUFFIX)
        self._reset()
        os.register_at_fork(after_in_child=self._reset)  # the threads that wait belong to the parent

    def _reset(self) -> None:
        self._queue, self._changed, self._file = list[object](), threading.Condition(), -1

    @contextmanager
    def hold(self, timeout: float) -> Iterator[float]:
        """Hold the lock; yield the seconds left of `timeout`. Raise DatabaseUnavailable or StorageFull."""
        deadline, ticket = time.monotonic() + timeout, object()
        self._queue.append(ticket)
        try:
            with self._changed:
                if not self._changed.wait_for(lambda: self._queue[0] is ticket, timeout):
                    raise busy()
            if self._file < 0:
                self._until, self._file = 0.0, self._open()
                with suppress(OSError):  # a file system without locks: those of SQLite suffice
                    _wait(self._file, deadline)
                self._until = time.monotonic() + TURN
            yield max(deadline - time.monotonic(), 0.0)
        finally:
            with self._changed:
                is_first = self._queue[0] is ticket
                self._queue.remove(ticket)
                if is_first and self._file >= 0 and not (self._queue and time.monotonic() < self._until):
                    with suppress(OSError):  # closing alone would leave the lock to a child
                        fcntl.flock(self._file, fcntl.LOCK_UN)
                    os.close(self._file)
                    self._file = -1
                self._changed.notify_all()

    def _open(self) -> int:
        """Open the lock file; create it with owner and permissions of the database, as SQLite does."""
        try:
            with suppress(FileNotFoundError):
                return os.open(self.path, os.O_RDWR | os.O_NOFOLLOW)
            model = self._database.stat()
            lock = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, model.st_mode & 0o666)
            if os.geteuid() == 0:
                os.fchown(lock, model.st_uid, model.st_gid)
        except OSError as error:
            raise (StorageFull() if error.errno in (errno.ENOSPC, errno.EDQUOT) else unusable()) from error
        return lock


def _wait(lock: int, deadline: float) -> None:
    """Wait for other processes: each locks a byte at the offset of its arrival; the first one tries."""
    arrival, late = time.monotonic_ns(), deadline - (deadline - time.monotonic()) / 5
    _byte_lock("F_OFD_SETLK", lock, fcntl.F_WRLCK, arrival, 1)
    while time.monotonic() < deadline:
        first = _byte_lock("F_OFD_GETLK", lock, fcntl.F_RDLCK, 0, arrival) == fcntl.F_UNLCK
        if first or time.monotonic() > late:  # the first one may be a stopped process
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _byte_lock("F_OFD_SETLK", lock, fcntl.F_UNLCK, 0, 0)
                return
        time.sleep(POLL if first else POLL_QUEUED)
    raise busy()


def _byte_lock(command: str, lock: int, kind: int, start: int, length: int) -> int:
    """Set a lock, or return the kind of a conflicting one. Without such locks the order is random."""
    with suppress(OSError, AttributeError):  # only Linux has them
        request = struct.pack("hhqqi", kind, os.SEEK_SET, start, length, 0)
        return int(struct.unpack("hhqqi", fcntl.fcntl(lock, getattr(fcntl, command), request))[0])
    return fcntl.F_UNLCK
