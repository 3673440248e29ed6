"""Clients that create events over HTTP and keep a log of what was acknowledged; what a database then holds.

Each event comes with a venue, an organizer and a tag of its own, so that an incomplete write shows, and with
a tag that all share. A request that fails is sent again with the same Idempotency-Key until it succeeds.
"""

import contextlib
import json
import sqlite3
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

from tests.system.servers import Server

#: Answers one statement with its rows.
Query = Callable[[str], list[tuple[Any, ...]]]

TRY_AGAIN = {502, 503, 507}
SHARED_TAG = "of all"
START, END = "2031-05-01 10:00:00", "2031-05-01 12:00:00"


def event(key: str) -> dict[str, Any]:
    return {
        "title": f"Event {key}", "start_date": START, "end_date": END, "description": f"All of {key}",
        "venue": {"venue": f"Venue {key}"}, "organizer": [{"organizer": f"Organizer {key}"}],
        "tags": [f"tag-{key}", SHARED_TAG],
    }  # fmt: skip


@dataclass
class Load:
    """Clients at work until `end`; `acknowledged` maps a key to the id in the response.

    `seen` counts statuses and exceptions, `bodies` has an example of each.
    """

    server: Server
    clients: int = 4
    acknowledged: dict[str, int] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    seen: "Counter[str]" = field(default_factory=Counter)
    bodies: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lock, self._over = threading.Lock(), threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self.clients)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Load":
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(60)

    def more(self, number: int, seconds: float = 60) -> None:
        """Wait until so many more were acknowledged."""
        enough, deadline = len(self.acknowledged) + number, time.monotonic() + seconds
        while len(self.acknowledged) < enough:
            assert time.monotonic() < deadline, f"no progress: {self.seen}"
            self._over.wait(0.005)

    def _work(self) -> None:
        while not self._over.is_set():
            key = uuid.uuid4().hex
            with self._lock:
                self.tried.add(key)
            while not self._over.is_set() and not self._settled(key):
                self._over.wait(0.01)

    def _settled(self, key: str) -> bool:
        try:
            answer = self.server.ask("POST", "/events", event(key), Idempotency_Key=key)
            status, body = str(answer.status), answer.body.decode("utf-8", "replace")
        except (OSError, HTTPException) as error:
            status, body = type(error).__name__, ""
        with self._lock:
            self.seen[status] += 1
            self.bodies.setdefault(status, body)
            if status == "201":
                self.acknowledged[key] = int(json.loads(body)["id"])
        return status.isdigit() and int(status) not in TRY_AGAIN


@dataclass
class Found:
    """What is wrong in a database, by kind, and the ids and keys of its events."""

    lost: list[str]
    halves: list[str]
    twice: list[str]
    unknown: list[str]
    damage: list[str]
    ids: list[int]
    keys: list[str]

    @property
    def faults(self) -> list[str]:
        return [*self.lost, *self.halves, *self.twice, *self.unknown, *self.damage]

    @property
    def figures(self) -> dict[str, int]:
        return {name: len(found) for name, found in vars(self).items()}


_WHOLE = """
SELECT e.id, substr(e.title, 7),
    (SELECT group_concat(v.venue) FROM event_venue l JOIN venue v ON v.id = l.venue_id
     WHERE l.event_id = e.id),
    (SELECT group_concat(o.organizer) FROM event_organizer l JOIN organizer o ON o.id = l.organizer_id
     WHERE l.event_id = e.id),
    (SELECT group_concat(t.name) FROM event_term l JOIN term t ON t.id = l.term_id WHERE l.event_id = e.id),
    (SELECT count(*) FROM search_text s WHERE s.record_id = e.id),
    (SELECT count(*) FROM record r WHERE r.id = e.id AND r.kind = 'event'),
    e.description,
    (SELECT group_concat(s.folded) FROM search_text s WHERE s.record_id = e.id)
FROM event e WHERE e.title LIKE 'Event %' ORDER BY e.id
"""
_ORPHANS = """
SELECT venue FROM venue WHERE venue LIKE 'Venue %' AND id NOT IN (SELECT venue_id FROM event_venue)
UNION ALL SELECT organizer FROM organizer
    WHERE organizer LIKE 'Organizer %' AND id NOT IN (SELECT organizer_id FROM event_organizer)
UNION ALL SELECT name FROM term WHERE name LIKE 'tag-%' AND id NOT IN (SELECT term_id FROM event_term)
UNION ALL SELECT CAST(id AS CHAR) FROM record WHERE id NOT IN (
    SELECT id FROM event UNION ALL SELECT id FROM venue UNION ALL SELECT id FROM organizer
    UNION ALL SELECT id FROM term UNION ALL SELECT id FROM image)
"""
_TWICE = """
SELECT venue FROM venue GROUP BY venue HAVING count(*) > 1
UNION ALL SELECT organizer FROM organizer GROUP BY organizer HAVING count(*) > 1
UNION ALL SELECT name FROM term GROUP BY name HAVING count(*) > 1
"""


def inspect(query: Query, acknowledged: dict[str, int], tried: set[str] | None = None) -> Found:
    """Compare a database with what was acknowledged; `tried` says which keys were ever sent."""
    rows = query(_WHOLE)
    halves = [str(name) for (name,) in query(_ORPHANS)]
    answers = int(query("SELECT count(*) FROM idempotent_response")[0][0])
    stored: Counter[str] = Counter()
    ids: dict[str, int] = {}
    for id, key, venues, organizers, tags, *parts, folded in rows:
        stored[key], ids[key] = stored[key] + 1, id
        text = folded.decode() if isinstance(folded, bytes) else str(folded)
        linked = (venues, organizers, sorted((tags or "").split(",")))
        whole = (f"Venue {key}", f"Organizer {key}", sorted([f"tag-{key}", SHARED_TAG]))
        if linked != whole or parts != [1, 1, f"All of {key}"] or f"all of {key}" not in text:
            halves.append(f"{key}: {linked} {parts} {text}")
    if answers != len(rows):
        halves.append(f"{answers} remembered answers, {len(rows)} events")
    halves += [f"{key}: another id" for key, id in acknowledged.items() if ids.get(key, id) != id]
    return Found(
        lost=[key for key in acknowledged if key not in ids],
        halves=halves,
        twice=[key for key, times in stored.items() if times > 1] + [str(row[0]) for row in query(_TWICE)],
        unknown=[key for key in stored if tried is not None and key not in tried],
        damage=[],
        ids=[row[0] for row in rows],
        keys=list(ids),
    )


def found(path: Path, acknowledged: dict[str, int], tried: set[str] | None = None) -> Found:
    """The same for a SQLite file, checked for damage; one that cannot be read has lost everything."""
    try:
        with contextlib.closing(sqlite3.connect(path)) as database:
            damage = [str(row[0]) for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"]
            damage += [f"reference {row}" for row in database.execute("PRAGMA foreign_key_check")]
            result = inspect(lambda sql: database.execute(sql).fetchall(), acknowledged, tried)
    except sqlite3.DatabaseError as error:
        return Found([*acknowledged], [], [], [], [str(error)], [], [])
    result.damage = damage
    return result
