"""What became of the writes of a load: failed, lost, halves, duplicates, and how long none got through."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tests.cluster.load import HOT_FIELDS, SHARED_TAG, Log, Write, hot_value

Query = Callable[[str], list[tuple[Any, ...]]]


@dataclass
class Event:
    """An event as a node holds it, with the names of what is linked to it."""

    id: int
    title: str
    columns: dict[str, str]
    version: int
    venues: list[str] = field(default_factory=list)
    organizers: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    search: str = ""


@dataclass
class Held:
    """Everything of a load that a node holds."""

    events: list[Event]
    venues: list[str]
    organizers: list[str]
    tags: list[str]
    first_answers: int


def held(query: Query) -> Held:
    """Read the tables through `query`, which answers one statement with its rows."""
    events = {
        row[0]: Event(row[0], row[1], dict(zip(HOT_FIELDS, row[1:5], strict=True)), row[5])
        for row in query("SELECT id, title, description, excerpt, website, version FROM event")
    }
    linked = {
        "venues": "SELECT l.event_id, v.venue FROM event_venue l JOIN venue v ON v.id = l.venue_id",
        "organizers": "SELECT l.event_id, o.organizer FROM event_organizer l"
        " JOIN organizer o ON o.id = l.organizer_id",
        "tags": "SELECT l.event_id, t.name FROM event_term l JOIN term t ON t.id = l.term_id",
    }
    for name, statement in linked.items():
        for id, text in query(statement):
            getattr(events[id], name).append(text)
    for id, text in query(
        "SELECT record_id, CONVERT(folded USING utf8mb4) FROM search_text WHERE field = 'all'"
    ):
        if id in events:
            events[id].search = text
    return Held(
        list(events.values()),
        [name for (name,) in query("SELECT venue FROM venue")],
        [name for (name,) in query("SELECT organizer FROM organizer")],
        [name for (name,) in query("SELECT name FROM term")],
        int(query("SELECT COUNT(*) FROM idempotent_response")[0][0]),
    )


def digests(query: Query) -> dict[str, tuple[int, str]]:
    """The number of rows and a digest of all of them, by table."""
    found = {}
    for (table,) in query("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"):
        rows = sorted(repr(row) for row in query(f"SELECT * FROM `{table}`"))
        found[table] = (len(rows), hashlib.sha256("\n".join(rows).encode()).hexdigest())
    return found


@dataclass
class Result:
    """What a check has found: numbers for people, and what must be empty."""

    numbers: dict[str, float]
    failed: list[str]
    lost: list[str]
    halves: list[str]
    duplicates: list[str]
    gap: float

    def table(self) -> str:
        counted = {
            **self.numbers,
            "failed writes": len(self.failed),
            "acknowledged writes lost": len(self.lost),
            "halves": len(self.halves),
            "duplicates": len(self.duplicates),
            "longest time without a successful write, s": round(self.gap, 2),
        }
        width = max(map(len, counted))
        return "\n".join(f"{name:<{width}}  {value:>10}" for name, value in counted.items())


def check(log: Log, found: Held, hot: int, version: int) -> Result:
    """Compare a log with what a node holds; the hot event is `hot` and began with `version`."""
    done = [write for write in log.writes if write.succeeded]
    posts, patches = ([w for w in done if bool(w.column) == changed] for changed in (False, True))
    times = sorted(write.seconds for write in log.writes)
    return Result(
        numbers={
            "seconds": round(log.ended - log.began, 1),
            "acknowledged new events": len(posts),
            "acknowledged changes of one event": len(patches),
            "changes of it applied again": sum(
                event.version - version - len(patches) for event in found.events if event.id == hot
            ),
            "slowest write, s": round(times[-1], 2) if times else 0,
            "half of the writes within, ms": round(1000 * times[len(times) // 2]) if times else 0,
        },
        failed=[_failure(write, log.began) for write in log.writes if not write.succeeded],
        lost=[*_lost_events(posts, found), *_lost_changes(patches, found, hot, version)],
        halves=list(_halves(found, hot)),
        duplicates=list(_duplicates(found)),
        gap=gap(log),
    )


def _failure(write: Write, began: float) -> str:
    when = f"sent after {write.sent - began:.1f} s, answered {write.seconds:.1f} s later"
    return f"{write.key}: {write.status} {write.said} ({when})"


def gap(log: Log) -> float:
    """The longest time in which no write was answered with success."""
    answered = sorted(write.answered for write in log.writes if write.succeeded)
    return max(later - earlier for earlier, later in pairwise([log.began, *answered, log.ended]))


def _lost_events(posts: list[Write], found: Held) -> Iterable[str]:
    there = {event.id: event.title for event in found.events}
    for write in posts:
        if there.get(write.id) != f"Event {write.key}":
            yield f"event {write.id} of {write.key}, found {there.get(write.id)}"


def _lost_changes(patches: list[Write], found: Held, hot: int, version: int) -> Iterable[str]:
    """Every change counts the version up, and a column holds what its only writer was told last."""
    event = next((event for event in found.events if event.id == hot), None)
    if event is None:
        yield f"the hot event {hot}"
        return
    if event.version < version + len(patches):
        yield f"{version + len(patches) - event.version} changes of the hot event"
    last = {write.column: write.key for write in sorted(patches, key=lambda write: write.answered)}
    for column, key in last.items():
        if event.columns[column] != hot_value(column, key):
            yield f"{column} of the hot event by {key}, found {event.columns[column]!r}"


def _halves(found: Held, hot: int) -> Iterable[str]:
    """Events without what was sent with them, and what was sent without its event."""
    keys = set()
    for event in found.events:
        if event.id == hot:
            wanted = [event.columns[name] for name in ("title", "description", "excerpt")]
            if any(text.lower() not in event.search for text in wanted):
                yield f"the search text of the hot event, {event.search!r} without all of {wanted}"
            continue
        key = event.title.removeprefix("Event ")
        keys.add(key)
        there = (event.venues, event.organizers, sorted(event.tags))
        if there != ([f"Venue {key}"], [f"Organizer {key}"], sorted([f"Tag {key}", SHARED_TAG])):
            yield f"{key} has only {there}"
        if f"written by {key}" not in event.search:
            yield f"{key} has the search text {event.search!r}"
    for noun, names in (("Venue", found.venues), ("Organizer", found.organizers), ("Tag", found.tags)):
        yield from (
            f"{name} without its event"
            for name in names
            if name.startswith(noun) and name.split()[1] not in keys
        )
    if found.first_answers != len(keys):
        yield f"{found.first_answers} remembered answers for {len(keys)} events"


def _duplicates(found: Held) -> Iterable[str]:
    for names in ([event.title for event in found.events], found.venues, found.organizers, found.tags):
        yield from (f"{name} {count} times" for name, count in Counter(names).items() if count > 1)
