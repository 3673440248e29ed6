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
POLL, POLL_QUEUED = 0.0005, 0.01  # least and most seconds between two attempts; see docs/decisions/0009
TURN = 0.02  # seconds for which the threads of a process may pass the lock on to each other

#: A file system without flock: SQLite's locks suffice.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


class WriteLock:
    """The write lock of one database, for all threads of this process."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self.path = database.with_name(database.name + SUFFIX)
        self._reset()

    def _reset(self) -> None:
        self._pid, self._mutex, self._queue = os.getpid(), threading.Lock(), deque[threading.Lock]()
        self._file, self._until = -1, 0.0  # of a thread that has passed it on, and the end of the turn

    @contextmanager
    def hold(self, timeout: float) -> Iterator[float]:
        """Hold the lock; yield the seconds left of `timeout`. Raise DatabaseUnavailable or StorageFull."""
        if self._pid != os.getpid():
            self._reset()  # the threads waiting there belong to the process before the fork
        deadline, ticket = time.monotonic() + timeout, threading.Lock()
        ticket.acquire()
        with self._mutex:
            self._queue.append(ticket)
            if self._queue[0] is ticket:
                ticket.release()
        try:
            if not ticket.acquire(timeout=timeout):
                raise busy()
            if self._file < 0:
                self._file = self._acquire(deadline)
                self._until = time.monotonic() + TURN
            yield max(deadline - time.monotonic(), 0.0)
        finally:
            self._leave(ticket)

    def _leave(self, ticket: threading.Lock) -> None:
        """Pass the lock on to the next thread, or release it."""
        with self._mutex:
            is_first = self._queue[0] is ticket
            self._queue.remove(ticket)
            if not is_first:
                return
            if self._file >= 0 and not (self._queue and time.monotonic() < self._until):
                with suppress(OSError):  # a file system without locks
                    # Closing would leave the lock to a child forked meanwhile.
                    fcntl.flock(self._file, fcntl.LOCK_UN)
                os.close(self._file)
                self._file = -1
            if self._queue:
                self._queue[0].release()

    def _acquire(self, deadline: float) -> int:
        lock = self._open()
        try:
            _wait(lock, deadline)
        except BaseException:
            os.close(lock)
            raise
        return lock

    def _open(self) -> int:
        """Open the lock file; create it with owner and permissions of the database, as SQLite does."""
        flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            with suppress(FileNotFoundError):
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
        first, pause = False, POLL
        while True:
            first = first or _byte_lock("F_OFD_GETLK", lock, fcntl.F_RDLCK, 0, arrival) == fcntl.F_UNLCK
            if (first or time.monotonic() > late) and _try_lock(lock):
                return
            if time.monotonic() >= deadline:
                raise busy()
            time.sleep(pause)
            pause = POLL if first else min(1.2 * pause, POLL_QUEUED)
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
