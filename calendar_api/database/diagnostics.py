"""Problems of a database that its operator should know, as `diagnose` reports them."""

from typing import Literal, NamedTuple

#: setup: version and configuration, without reading data.
#: health: whether reads and writes work now; takes a few milliseconds and writes nothing.
#: all: setup, and everything that takes long.
Scope = Literal["setup", "health", "all"]


class Finding(NamedTuple):
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
