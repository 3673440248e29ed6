"""One writer after the other, in the order of arrival: a lock on a file of its own beside the database.

SQLite alone lets writers knock again and again, so that with many of them one may knock in vain until its
patience ends. The kernel gives this lock back as soon as its holder is gone, however that happened.
"""

import contextlib
import errno
import fcntl
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from calendar_api.database.sqlite import queue
from calendar_api.domain.errors import ApiError, DatabaseUnavailable, StorageFull
from calendar_api.domain.translation import message

SUFFIX = "-gate"

_PAUSE = 0.01  # seconds between two looks whether the lock is free

_FULL = (errno.ENOSPC, errno.EDQUOT)
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # of the file system: SQLite's own must do


def busy() -> DatabaseUnavailable:
    return DatabaseUnavailable(message("The database is busy. Send the request again in a moment."))


def unusable() -> DatabaseUnavailable:
    return DatabaseUnavailable(
        message("The database cannot be used just now; its operator finds the reason in the log.")
    )


class WriteLock:
    """The gate of one database, for all threads of this process."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.path = database.with_name(database.name + SUFFIX)
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._line = _Line()
        self._request: _Request | None = None

    @contextmanager
    def held(self, patience: float) -> Iterator[float]:
        """Be the only writer; gives the seconds that are left of `patience`, raises DatabaseUnavailable."""
        if self._pid != os.getpid():
            self._reset()  # the threads that wait there are those of the process before the fork
        deadline = time.monotonic() + patience
        if not self._line.enter(patience):
            raise busy()
        try:
            fd = self._lock(deadline)
            try:
                yield max(deadline - time.monotonic(), 0.0)
            finally:
                if fd is not None:
                    _release(fd)
        finally:
            self._line.leave()

    def _lock(self, deadline: float) -> int | None:
        """Called by the first in the line alone; None where the file system has no such locks."""
        request, self._request = self._request, None
        if request is None or not request.wanted_again():
            try:
                fd = self._open()
            except OSError as error:
                raise _meaning(error) from error
            place = queue.arrive(fd)
            try:
                if queue.is_first(fd, place):
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return fd
            except BlockingIOError:
                pass
            except OSError as error:
                _close(fd)
                if error.errno in _NO_LOCKS:
                    return None
                raise _meaning(error) from error
            try:
                request = _Request(fd, place)
            except RuntimeError as error:  # there are too many threads to wait in another one
                _close(fd)
                raise busy() from error
        if request.came(deadline - (deadline - time.monotonic()) / 2):
            return request.fd
        return self._out_of_order(request, deadline)

    def _out_of_order(self, request: "_Request", deadline: float) -> int:
        """The lock by this request, or as soon as it is free: who is stopped in the queue comes late."""
        try:
            fd = self._open()
        except OSError as error:
            self._give_up(request)
            raise _meaning(error) from error
        try:
            while not request.came(min(deadline, time.monotonic() + _PAUSE)):
                with contextlib.suppress(OSError):
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    self._give_up(request)
                    return fd
                if time.monotonic() >= deadline and self._give_up(request):
                    raise busy()
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)
        return request.fd

    def _give_up(self, request: "_Request") -> bool:
        """It keeps its place for whoever is next; False if it has come meanwhile."""
        self._request = request
        return request.given_up()

    def _open(self) -> int:
        """With the owner and the permissions of the database, as SQLite gives them to its other files."""
        flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            return os.open(self.path, flags)
        except FileNotFoundError:
            model = self.database if self.database.exists() else self.database.parent
            found = model.stat()
        fd = os.open(self.path, flags | os.O_CREAT, found.st_mode & 0o666)
        if os.geteuid() == 0:
            os.fchown(fd, found.st_uid, found.st_gid)
        return fd


def _release(fd: int) -> None:
    fcntl.flock(fd, fcntl.LOCK_UN)  # closing alone would leave it to a child that was forked meanwhile
    _close(fd)


def _close(fd: int) -> None:
    """Without the lock; a place that stayed in the queue would stop all who come later."""
    queue.leave(fd)
    os.close(fd)


def _meaning(error: OSError) -> ApiError:
    return StorageFull() if error.errno in _FULL else unusable()


class _Line:
    """The threads of a process, one after the other."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._taken = False

    def enter(self, patience: float) -> bool:
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(patience):
            return True
        with self._guard:
            if turn.is_set():  # at the last moment
                return True
            self._waiting.remove(turn)
        return False

    def leave(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False


class _Request:
    """A thread that waits in the kernel, because only from there is the lock handed on in order.

    It cannot be called back. Whoever has lost patience leaves it waiting, and the next one takes it over; if
    nobody has when the lock comes, it is given back.
    """

    def __init__(self, fd: int, place: int) -> None:
        self.fd = fd
        self._place = place
        self._guard = threading.Lock()
        self._wanted = True
        self._over = threading.Event()
        self._error: OSError | None = None
        threading.Thread(target=self._wait, name="write gate", daemon=True).start()

    def _wait(self) -> None:
        try:
            queue.is_first(self.fd, self._place, wait=True)
            fcntl.flock(self.fd, fcntl.LOCK_EX)
        except OSError as error:
            self._error = error
        with self._guard:
            if self._error:
                _close(self.fd)
            elif not self._wanted:
                _release(self.fd)
            self._over.set()

    def wanted_again(self) -> bool:
        """Take it over; False when it is over already."""
        with self._guard:
            self._wanted = not self._over.is_set()
            return self._wanted

    def came(self, deadline: float) -> bool:
        """Whether the lock came in time; it belongs to the caller then."""
        if not self._over.wait(max(deadline - time.monotonic(), 0.0)):
            return False
        if self._error is not None:
            raise _meaning(self._error) from self._error
        return True

    def given_up(self) -> bool:
        """Leave it waiting; False when it is over already."""
        with self._guard:
            self._wanted = self._over.is_set()
            return not self._wanted
