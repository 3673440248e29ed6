"""How a run is made: which sizes, how long, and with which settings the service starts."""

from dataclasses import dataclass, fields

from bench.data import filling
from bench.data.filling import Calendar
from calendar_api.config import Config


@dataclass(frozen=True)
class Plan:
    """`events` is the size that most scenarios use, `small` and `large` those that are compared by size."""

    full: bool = False
    events: int = 10_000
    small: int = 1_000
    large: int = 10_000
    rounds: int = 9
    seconds: int = 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """Those at which filters and searches are timed."""
        return (1_000, 10_000, 100_000) if self.full else (self.small, self.large)

    def calendar(self, events: int = 0) -> Calendar:
        return filling.calendar(events or self.events)


def cache_setting(*wanted: str) -> dict[str, str]:
    """The setting of the caches to the first of these values that this release knows; {} without any."""
    item = next((one for one in fields(Config) if one.name == "cache"), None)
    for value in wanted if item else ():
        try:
            item.metadata["parse"](value)  # type: ignore[union-attr]
        except ValueError:
            continue
        return {"CALENDAR_CACHE": value}
    return {}


def missed() -> dict[str, str]:
    """What has the service remember totals and events, but no whole answer (`bench.ours`)."""
    return {"BENCH_ANSWERS": "missed"}


def told(settings: dict[str, str]) -> str:
    """These settings in a remark."""
    return ", ".join(f"{name}={value}" for name, value in settings.items()) or "as it comes: no such setting"
