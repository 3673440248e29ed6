"""The lock that lets one writer at a time into a SQLite database, in the order of arrival.

With SQLite's own lock alone, waiting writers poll with growing pauses and time out under load. Between
processes this is `flock` on a file; those that wait are queued by locking one byte each, at the offset of the
time of arrival, and only the first one tries. The kernel releases everything when a process dies.
"""

import errno
import fcntl
import os
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from calendar_api.database.errors import busy, unusable
from calendar_api.domain.errors import StorageFull

SUFFIX = "-lock"  # of the file beside the database
POLL, POLL_QUEUED = 0.002, 0.01  # seconds between two attempts; see docs/decisions/0009

#: A file system without flock: SQLite's locks suffice.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


class WriteLock:
    """The write lock of one database, for all threads of this process."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self.path = database.with_name(database.name + SUFFIX)
        self._reset()

    def _reset(self) -> None:
        self._pid, self._condition, self._queue = os.getpid(), threading.Condition(), deque[object]()

    @contextmanager
    def hold(self, timeout: float) -> Iterator[float]:
        """Hold the lock; yield the seconds left of `timeout`. Raise DatabaseUnavailable or StorageFull."""
        if self._pid != os.getpid():
            self._reset()  # the threads waiting there belong to the process before the fork
        condition, queue, ticket = self._condition, self._queue, object()
        deadline = time.monotonic() + timeout
        queue.append(ticket)
        try:
            with condition:
                if not condition.wait_for(lambda: queue[0] is ticket, timeout):
                    raise busy()
            lock = self._open()
            try:
                _wait(lock, deadline)
                yield max(deadline - time.monotonic(), 0.0)
            finally:
                with suppress(OSError):  # a file system without locks
                    fcntl.flock(
                        lock, fcntl.LOCK_UN
                    )  # closing would leave the lock to a child forked meanwhile
                os.close(lock)
        finally:
            with condition:
                queue.remove(ticket)
                condition.notify_all()

    def _open(self) -> int:
        """Open the lock file; create it with owner and permissions of the database, as SQLite does."""
        flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            if self.path.exists():
                return os.open(self.path, flags)
            model = self._database.stat()
            lock = os.open(self.path, flags | os.O_CREAT, model.st_mode & 0o666)
            if os.geteuid() == 0:
                os.fchown(lock, model.st_uid, model.st_gid)
        except OSError as error:
            raise (StorageFull() if error.errno in (errno.ENOSPC, errno.EDQUOT) else unusable()) from error
        return lock


def _wait(lock: int, deadline: float) -> None:
    """Wait for other processes; when it is late also out of order: the first may be stopped."""
    late = deadline - (deadline - time.monotonic()) / 5
    arrival = time.monotonic_ns()  # the same clock for all processes
    try:
        _byte_lock("F_OFD_SETLK", lock, fcntl.F_WRLCK, arrival, 1)
        first = False
        while True:
            first = first or _byte_lock("F_OFD_GETLK", lock, fcntl.F_RDLCK, 0, arrival) == fcntl.F_UNLCK
            if (first or time.monotonic() > late) and _try_lock(lock):
                return
            if time.monotonic() >= deadline:
                raise busy()
            time.sleep(POLL if first else POLL_QUEUED)
    finally:
        _byte_lock("F_OFD_SETLK", lock, fcntl.F_UNLCK, 0, 0)


def _byte_lock(command: str, lock: int, kind: int, start: int, length: int) -> int:
    """Set a lock, or return the kind of a conflicting one. Without such locks the order is random."""
    if sys.platform == "linux":
        with suppress(OSError):
            request = struct.pack("hhqqi", kind, os.SEEK_SET, start, length, 0)
            answer = fcntl.fcntl(lock, getattr(fcntl, command), request)
            return int(struct.unpack("hhqqi", answer)[0])
    return fcntl.F_UNLCK


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise unusable() from error
    return True
