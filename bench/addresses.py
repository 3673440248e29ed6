"""What is requested from a calendar: lists, month views and events, drawn from all that it holds.

Nothing here knows how the service finds, stores or caches a response. Each file of addresses is shuffled with
a fixed seed; a line is a method and a target, and a JSON body where there is one, with tabs between.
"""

import json
import re
import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from urllib.parse import quote

from bench.calendars import BUILD, SEED, Calendar, Payload, linked_ids

ROOT = "/calendar/events/v1"
LIST = f"{ROOT}/events"
_PUBLIC = "status = 'publish' AND hide_from_listings = 0 AND published_utc <= datetime('now')"


@dataclass(frozen=True)
class Contents:
    """What the addresses of a calendar name; events in the order of lists."""

    events: list[tuple[int, str]]  # id and slug
    starts: list[str]
    words: list[str]  # of titles
    ids: dict[str, list[int]]  # of venues, organizers, categories and tags

    @property
    def days(self) -> list[date]:
        """Every day from the first start to the last."""
        first, last = date.fromisoformat(self.starts[0][:10]), date.fromisoformat(self.starts[-1][:10])
        return [first + timedelta(days=number) for number in range((last - first).days + 1)]

    def starting(self, first: date, after: date | None = None) -> int:
        """The number of events that start on `first` or later, and before `after`."""
        end = bisect_left(self.starts, str(after)) if after else len(self.starts)
        return end - bisect_left(self.starts, str(first))


def contents(calendar: Calendar) -> Contents:
    with reading(calendar) as connection:
        events = connection.execute(
            f"SELECT id, slug, utc_start_date FROM event WHERE {_PUBLIC} ORDER BY utc_start_date, id"
        ).fetchall()
        titles = connection.execute(f"SELECT title FROM event WHERE {_PUBLIC} LIMIT 5000").fetchall()
    return Contents(
        events=[(id, slug) for id, slug, _ in events],
        starts=[start for *_, start in events],
        words=sorted({word for (title,) in titles for word in re.findall(r"\w{3,}", title)}),
        ids={noun: sorted(ids.values()) for noun, ids in linked_ids(calendar.path).items()},
    )


def reading(calendar: Calendar) -> closing[sqlite3.Connection]:
    """A connection to an SQLite database."""
    return closing(sqlite3.connect(calendar.path))


def distinct_lists(known: Contents, number: int) -> list[str]:
    """So many different lists: months, pages, terms, venues, organizers and searches, of 5 to 50 events."""
    random, days, found = Random(f"{SEED} lists"), known.days, dict[str, None]()
    kinds = [noun for noun, ids in known.ids.items() if ids]
    while len(found) < number:
        day, size = random.choice(days), random.choice((5, 10, 15, 20, 25, 30, 40, 50))
        kind = random.choice(("month", "page", "search", *kinds))
        if kind == "month":
            first = day.replace(day=1)
            last = first + timedelta(days=random.choice((27, 30, 34, 41)))
            query = f"start_date={first}&end_date={last}"
        elif kind == "page":
            pages = known.starting(day + timedelta(days=1)) // size
            query = f"starts_after={day}&page={random.randint(1, max(1, min(pages, 20)))}"
        else:
            early = random.choice(days[: len(days) // 2 + 1])  # few events have one venue: seldom none
            wanted = quote(random.choice(known.words)) if kind == "search" else random.choice(known.ids[kind])
            query = f"{kind}={wanted}&starts_after={early}"
        found[f"{LIST}?{query}&per_page={size}"] = None
    return list(found)


def month_views(known: Contents) -> list[str]:
    """What calendar pages show: four to six weeks from any day on, all different."""
    views = [
        f"{LIST}?start_date={day}&end_date={day + timedelta(days=length - 1)}&per_page={size}"
        for day in known.days for length in (28, 30, 31, 35, 42) for size in (20, 50)
    ]  # fmt: skip
    Random(f"{SEED} months").shuffle(views)
    return views


def default_pages(total: int) -> list[str]:
    """The pages of the list without filters, which has `total` events, as someone reads them on."""
    return [f"{LIST}?page={page}" for page in range(1, min(50, max(1, -(-total // 10))) + 1)]


def single_events(known: Contents, *, by_slug: bool = False) -> list[str]:
    """Events at random."""
    drawn = Random(f"{SEED} events").choices(known.events, k=50_000)
    return [f"{LIST}/by-slug/{quote(slug)}" if by_slug else f"{LIST}/{id}" for id, slug in drawn]


def reads(name: str, targets: Iterable[str]) -> Path:
    """A file of GET requests."""
    return _written(name, (f"GET\t{target}" for target in targets))


def writes(name: str, requests: Iterable[tuple[str, str, Payload]]) -> Path:
    """A file of requests with method, target and body."""
    return _written(name, (f"{method}\t{target}\t{json.dumps(body)}" for method, target, body in requests))


def _written(name: str, lines: Iterable[str]) -> Path:
    path = BUILD / "requests" / f"{re.sub(r'[^a-zA-Z0-9]+', '-', name)}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def targets_in(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t")[1]
