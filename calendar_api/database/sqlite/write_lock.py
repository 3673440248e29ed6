"""The lock that lets one writer at a time into a SQLite database, fairly between threads and processes.

With SQLite's own lock alone, waiting writers poll with growing pauses and time out under load. Processes that
wait for this lock must first take a second one ("next"). So must a process that has just written: it cannot
overtake one that waits. The kernel releases both when a process dies.
"""

import errno
import fcntl
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from calendar_api.database.sqlite.errors import busy, unusable
from calendar_api.domain.errors import StorageFull

SUFFIXES = ("-lock", "-lock-next")  # of the files beside the database
POLL, POLL_NEXT = 0.001, 0.02  # seconds between two attempts; many processes may wait for "next"

_NO_LOCKS = (
    errno.ENOLCK,
    errno.ENOSYS,
    errno.EOPNOTSUPP,
)  # file system without flock: SQLite's locks suffice


class WriteLock:
    """The write lock of one database, for all threads of this process."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self.path, self.next_path = (database.with_name(database.name + suffix) for suffix in SUFFIXES)
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._condition = threading.Condition()
        self._queue: deque[object] = deque()

    @contextmanager
    def held(self, timeout: float) -> Iterator[float]:
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
            lock = self._open(self.path)
            try:
                self._wait(lock, deadline)
                yield max(deadline - time.monotonic(), 0.0)
            finally:
                _unlock(lock)
        finally:
            with condition:
                queue.remove(ticket)
                condition.notify_all()

    def _wait(self, lock: int, deadline: float) -> None:
        """Wait for other processes. A stopped one may hold "next": ignore it after half of the time."""
        halfway = (time.monotonic() + deadline) / 2
        next_ = self._open(self.next_path)
        try:
            is_next = _try_lock(next_)
            while not ((is_next or time.monotonic() > halfway) and _try_lock(lock)):
                if time.monotonic() >= deadline:
                    raise busy()
                time.sleep(POLL if is_next else POLL_NEXT)
                is_next = is_next or _try_lock(next_)
        finally:
            _unlock(next_)

    def _open(self, path: Path) -> int:
        """Open a lock file; create it with owner and permissions of the database, as SQLite does."""
        flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            if path.exists():
                return os.open(path, flags)
            model = self._database.stat()
            fd = os.open(path, flags | os.O_CREAT, model.st_mode & 0o666)
            if os.geteuid() == 0:
                os.fchown(fd, model.st_uid, model.st_gid)
        except OSError as error:
            raise (StorageFull() if error.errno in (errno.ENOSPC, errno.EDQUOT) else unusable()) from error
        return fd


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise unusable() from error
    return True


def _unlock(fd: int) -> None:
    with suppress(OSError):  # a file system without locks
        fcntl.flock(fd, fcntl.LOCK_UN)  # closing alone would leave the lock to a child forked meanwhile
    os.close(fd)
