"""Sizes and durations of a run, and settings of the service."""

from dataclasses import dataclass, fields

from bench.data import filling
from bench.data.filling import Calendar
from calendar_api.config import Config


@dataclass(frozen=True)
class Plan:
    """`events` is the calendar size of most scenarios; `small` and `large` are compared with each other."""

    full: bool = False
    events: int = 10_000
    small: int = 1_000
    large: int = 10_000
    rounds: int = 9
    seconds: int = 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """The calendar sizes for filters and searches."""
        return (1_000, 10_000, 100_000) if self.full else (self.small, self.large)

    def calendar(self, events: int = 0) -> Calendar:
        return filling.calendar(events or self.events)


def cache_setting(*wanted: str) -> dict[str, str]:
    """The cache setting with the first value that this release accepts; {} if there is none."""
    item = next((one for one in fields(Config) if one.name == "cache"), None)
    for value in wanted if item else ():
        try:
            item.metadata["parse"](value)  # type: ignore[union-attr]
        except ValueError:
            continue
        return {"CALENDAR_CACHE": value}
    return {}


def missed() -> dict[str, str]:
    """The setting that disables the cache of whole responses (`bench.ours`)."""
    return {"BENCH_ANSWERS": "missed"}


def described(settings: dict[str, str]) -> str:
    """Settings as a remark in the table."""
    return ", ".join(f"{name}={value}" for name, value in settings.items()) or "as it comes: no such setting"
