"""What can be wrong with a database, as its engine tells it."""

import shutil
from dataclasses import dataclass
from pathlib import Path

FULL, LOW = 16 * 2**20, 256 * 2**20  # bytes that are free


@dataclass(frozen=True)
class Hindrance:
    """In one word why requests are not served as they should be; `total` when writes cannot work."""

    word: str
    total: bool


@dataclass(frozen=True)
class Deviation:
    """What is not as it should be, and what to do; `dangerous` when something can be lost or read."""

    text: str
    fix: str
    dangerous: bool = False


def first_error(error: BaseException, kind: type[BaseException]) -> BaseException | None:
    """The error that came first in a chain: what follows, such as a failed rollback, hides the reason."""
    found: BaseException | None = None
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, kind):
            found = seen
        seen = seen.__cause__ or seen.__context__
    return found


def room(folder: Path) -> Hindrance | None:
    """Whether there is room for the next writes."""
    free = shutil.disk_usage(folder).free
    if free < FULL:
        return Hindrance("disk_full", total=True)
    return Hindrance("disk_low", total=False) if free < LOW else None
