"""The order in which processes come to the gate, for the gate alone does not keep one.

When a lock is given back, the kernel wakes who waits for it, and until that one runs, the lock is anybody's
who happens to ask: where processors are short, those who come back again and again leave the others waiting.
So everybody locks one byte of the file, whose number is the moment of arrival, and asks for the gate when no
byte before it is locked any more. Nothing is written, and the bytes of the dead are free.

This is about the order only. Where it cannot be kept (a system without such locks, a file system that refuses
them) everything else stays as it is.
"""

import contextlib
import fcntl
import os
import struct
import time

_TRIES = 10

# These locks belong to the open file, as those of `flock` do, and not to the process.
_SET: int | None = getattr(fcntl, "F_OFD_SETLK", None)
_SET_AND_WAIT: int | None = getattr(fcntl, "F_OFD_SETLKW", None)


def arrive(fd: int) -> int:
    """Come to the end of the queue with a file that was opened for this; the place there, 0 for none."""
    if _SET is None:
        return 0
    for _ in range(_TRIES):
        place = time.monotonic_ns()  # the same clock for all processes
        try:
            _lock(_SET, fd, fcntl.F_WRLCK, place, 1)
        except (BlockingIOError, PermissionError):
            continue  # somebody who came a moment later was faster
        except OSError:
            return 0
        return place
    return 0


def is_first(fd: int, place: int, *, wait: bool = False) -> bool:
    """Whether nobody is before this place, perhaps after a wait until it is so."""
    command = _SET_AND_WAIT if wait else _SET
    if not place or command is None:
        return True
    try:
        _lock(command, fd, fcntl.F_RDLCK, 0, place)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True


def leave(fd: int) -> None:
    """Let the next one come; closing alone would leave the place to a child that was forked meanwhile."""
    if _SET is not None:
        with contextlib.suppress(OSError):
            _lock(_SET, fd, fcntl.F_UNLCK, 0, 0)


def _lock(command: int, fd: int, kind: int, first: int, count: int) -> None:
    fcntl.fcntl(fd, command, struct.pack("hhqqi", kind, os.SEEK_SET, first, count, 0))
