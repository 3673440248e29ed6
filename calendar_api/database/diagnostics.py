"""Problems of a database that its operator should know, as `diagnose` reports them."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FULL, LOW = 16 * 2**20, 256 * 2**20  # bytes that are free

#: setup: version and configuration, without reading data, as checked at each start.
#: health: whether reads and writes work now; takes a few milliseconds and writes nothing.
#: all: setup, and everything that takes long.
Scope = Literal["setup", "health", "all"]


@dataclass(frozen=True)
class Finding:
    """A problem and its fix. Critical: data can be lost or read by others, or writes cannot work.

    `reason` is the reason that `GET /health` reports, or "misconfigured" if the database must not be used.
    """

    text: str
    fix: str
    severity: Literal["critical", "advisory"] = "advisory"
    reason: str = ""

    @property
    def critical(self) -> bool:
        return self.severity == "critical"


def first_error(error: BaseException, kind: type[BaseException]) -> BaseException | None:
    """Return the earliest error of this class in a chain; later ones, such as a failed rollback, hide it."""
    found: BaseException | None = None
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, kind):
            found = seen
        seen = seen.__cause__ or seen.__context__
    return found


def disk_space(folder: Path) -> list[Finding]:
    """Return a finding if there is little or no room for the next writes."""
    free = shutil.disk_usage(folder).free
    if free < FULL:
        return [
            Finding(f"The disk of {folder} is full.", "Free space: writes fail.", "critical", "disk_full")
        ]
    if free < LOW:
        text = f"The disk of {folder} is nearly full."
        return [Finding(text, "Free space: writes fail when it is full.", reason="disk_low")]
    return []
