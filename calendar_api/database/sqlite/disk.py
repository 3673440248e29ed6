"""The disk below a database: whether it fails again and again, and the megabyte kept for when it is full."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from calendar_api.database import diagnostics

PATIENCE = 3  # writes that fail one after the other
RESERVE = 2**20  # bytes: room for some hundred deletions, which write before anything gets smaller
SUFFIX = "-reserve"

log = logging.getLogger("calendar_api")


class Disk:
    """What the writers of this process have seen; they take turns, so that nobody else counts meanwhile."""

    def __init__(self) -> None:
        self._failures = 0

    @property
    def failing(self) -> bool:
        """Whether nothing but a probe should be written."""
        return self._failures >= PATIENCE

    @contextmanager
    def watched(self, failed: Callable[[BaseException], bool]) -> Iterator[None]:
        """A write is inside; `failed` says of its error whether that was the disk's."""
        try:
            yield
        except Exception as error:
            if failed(error):
                self._failures += 1
                if self._failures == PATIENCE:
                    log.critical(
                        "the disk has failed %d writes in a row: reading only, until a probe is stored",
                        PATIENCE,
                    )
            raise
        self.works()

    def works(self) -> None:
        if self.failing:
            log.warning("the disk stores again: writing as usual")
        self._failures = 0


def reserve_of(database: Path) -> Path:
    return database.with_name(database.name + SUFFIX)


def keep_reserve(database: Path) -> None:
    """Make the file if there is none and room enough; without it the service works as well."""
    if _full(database.parent):
        return
    path = reserve_of(database)
    with suppress(OSError):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            if os.geteuid() == 0:
                owner = database.stat()
                os.fchown(file, owner.st_uid, owner.st_gid)
            left = os.urandom(RESERVE)  # which no file system can store in less
            while left:
                left = left[os.write(file, left) :]
            os.fsync(file)
        except OSError:
            path.unlink(missing_ok=True)
        finally:
            os.close(file)


def release_reserve(database: Path) -> int:
    """Give the room back; returns the bytes."""
    path = reserve_of(database)
    try:
        size = path.stat().st_size
        path.unlink()
    except FileNotFoundError:
        return 0
    return size


def _full(folder: Path) -> bool:
    found = diagnostics.room(folder)
    return found is not None and found.total
