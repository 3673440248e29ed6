"""Where tests keep databases that are thrown away: they need not touch a disk."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 - which Linux has; elsewhere the disk does


def _place() -> Path | None:
    """A folder in memory, if there is room for a few servers; None for the usual one of temporary files."""
    return _MEMORY if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > 2**30 else None


@contextlib.contextmanager
def folder(name: str) -> Iterator[Path]:
    """A new folder there, which is gone afterwards with everything in it."""
    made = Path(tempfile.mkdtemp(prefix=f"calendar-{name}-", dir=_place()))
    try:
        yield made
    finally:
        shutil.rmtree(made)
