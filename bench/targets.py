"""The rows of the table: what is measured, its bar and its moonshot; and what a run measures them with."""

from dataclasses import dataclass

from bench import calendars
from bench.calendars import Calendar
from bench.load import Ratio


@dataclass(frozen=True)
class Target:
    """`unit` "×" is a ratio to the baseline; `lower`: less is better."""

    what: str
    unit: str
    bar: float
    moonshot: float | None = None
    lower: bool = False

    def reached(self, value: float, goal: float | None) -> bool:
        if goal is None:
            return False
        return value <= goal if self.lower else value >= goal


def _milliseconds(what: str, bar: float, moonshot: float) -> Target:
    return Target(what, "ms", bar, moonshot, lower=True)


#: The rows in the order of the table: first what no cache can answer, at last what repeats one address.
TARGETS = {
    "C1": Target("lists, each requested once", "×", 0.20, 0.50),
    "C2": Target("month views, each requested once", "×", 0.25, 0.60),
    "C3 id": Target("events by id, at random", "×", 0.45, 0.70),
    "C3 slug": Target("events by slug, at random", "×", 0.45, 0.70),
    "C4 event": Target("events at random, signed in", "×", 0.35, 0.60),
    "C4 list": Target("pages of ten, signed in", "×", 0.20, 0.45),
    "C6": _milliseconds("page in the middle of a list, first request after a write", 25, 5),
    "C7": _milliseconds("`/categories`, first request after a write", 5, 2),
    "F1": _milliseconds("iCalendar feed of 1,000 events, cache off", 30, 10),
    "F3": _milliseconds("event pages, cache off", 2, 1),
    "F4": _milliseconds("page of a month with 300 events, cache off", 15, 6),
    "W1": Target("creates per second / `sqlite3` alone", "×", 0.35, 0.50),
    "W3 create": _milliseconds("a create", 2.5, 1.2),
    "W3 title": _milliseconds("a PATCH of a title", 1.5, 0.8),
    "I1": Target("import", "lines/s", 2000),
    "I1 again": Target("import of the same file again", "lines/s", 5000),
    "P1 Flask": Target("caches off: Flask with SQLAlchemy / ours", "×", 6, 12),
    "P1 Django": Target("caches off: Django REST Framework / ours", "×", 14, 28),
    "S1": Target("one CGI request / an interpreter that imports Falcon", "×", 1.7, 1.4, lower=True),
    "M1 1": Target("memory, one worker", "MiB", 70, 55, lower=True),
    "M1 2": Target("memory, two workers", "MiB", 90, 65, lower=True),
    "M1 4": Target("memory, four workers", "MiB", 120, 80, lower=True),
    "D1 C1": Target("MariaDB: lists, each requested once", "×", 0.15, 0.40),
    "D1 C3": Target("MariaDB: events by id, at random", "×", 0.25, 0.50),
    "D1 C4": Target("MariaDB: pages of ten, signed in", "×", 0.12, 0.30),
    "D1 create": _milliseconds("MariaDB: a create", 3.5, 2),
    "D1 import": Target("MariaDB: import", "lines/s", 800, 2000),
    "D1 R1": Target("MariaDB: one list, repeated", "×", 0.70, 0.80),
    "C5 /": Target("`/`, repeated", "×", 0.80, 0.90),
    "C5 /doc": Target("`/doc`, repeated", "×", 0.80, 0.90),
    "C5 /categories": Target("`/categories`, repeated", "×", 0.80, 0.90),
    "C5 /tags": Target("`/tags`, repeated", "×", 0.80, 0.90),
    "F2": Target("iCalendar feed of 1,000 events, repeated", "×", 0.80, 0.90),
    "F5 list": Target("page with the list, repeated", "×", 0.80, 0.90),
    "F5 event": Target("page of an event, repeated", "×", 0.80, 0.90),
    "R1": Target("one list, repeated", "×", 0.85, 0.95),
    "R4": Target("304 for its current ETag, repeated", "×", 0.85, 0.95),
    "R5 id": Target("one event by id, repeated", "×", 0.85, 0.95),
    "R5 slug": Target("one event by slug, repeated", "×", 0.85, 0.95),
}


@dataclass(frozen=True)
class Figure:
    """One measured value of a row; `cpu_us` of a request to the service, where it is about one."""

    row: str
    calendar: str
    value: float
    low: float | None = None
    high: float | None = None
    cpu_us: float | None = None
    remark: str = ""

    @classmethod
    def of(
        cls, row: str, calendar: str, found: Ratio, cpu_us: float | None = None, remark: str = ""
    ) -> "Figure":
        return cls(row, calendar, found.value, found.low, found.high, cpu_us, remark)


@dataclass(frozen=True)
class Plan:
    """What a run takes: sizes of generated calendars, rounds and seconds of a slice, and more of the rest."""

    sizes: tuple[int, ...] = (10_000,)
    rounds: int = 3
    seconds: int = 1
    lists: int = 2_000  # so many different ones at least (C1)
    memory_seconds: int = 5  # of load (M1)

    def usual(self) -> Calendar:
        """The calendar of rows that are measured on one only: of 10,000 events if that is among the sizes."""
        return calendars.generated(10_000 if 10_000 in self.sizes else self.sizes[0])

    def calendars(self) -> list[Calendar]:
        real = calendars.real_conferences()
        return [*([real] if real else []), *map(calendars.generated, self.sizes)]


FULL = Plan(sizes=(1_000, 10_000, 100_000), rounds=5, lists=20_000, memory_seconds=60)
