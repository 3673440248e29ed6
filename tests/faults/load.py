"""Clients that create events over HTTP and keep a log of what was acknowledged; what a database then holds.

Each event comes with a venue, an organizer and a tag of its own, so that a half of it would show. A request
that is not answered, or not now, is sent again with the same Idempotency-Key until it is.
"""

import base64
import contextlib
import http.client
import json
import os
import socket
import sqlite3
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.system.servers import ROOT

TRY_AGAIN = {502, 503, 507}
START, END = "2031-05-01 10:00:00", "2031-05-01 12:00:00"


def event(key: str) -> dict[str, Any]:
    return {
        "title": f"Event {key}",
        "start_date": START,
        "end_date": END,
        "description": f"All of {key}",
        "venue": {"venue": f"Venue {key}"},
        "organizer": [{"organizer": f"Organizer {key}"}],
        "tags": [f"tag-{key}"],
    }


class Line:
    """A connection that is kept while it stands."""

    def __init__(self, port: int, secret: str) -> None:
        credentials = base64.b64encode(f"admin:{secret}".encode()).decode()
        self.port = port
        self.headers = {"Authorization": f"Basic {credentials}", "Content-Type": "application/json"}
        self.connection: http.client.HTTPConnection | None = None

    def send(
        self, method: str, path: str, fields: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and the whole body; raises OSError or HTTPException."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            self.connection.connect()
            self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        body = None if fields is None else json.dumps(fields).encode()
        try:
            self.connection.request(method, ROOT + path, body, {**self.headers, **named})
            answer = self.connection.getresponse()
            found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        except BaseException:
            self.close()
            raise
        if found[1].get("connection", "").lower() == "close":
            self.close()
        return found

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None


@dataclass
class Load:
    """Clients at work until `end`; `acknowledged` maps a key to the id that was answered."""

    port: int
    secret: str
    log: Path
    clients: int = 4
    acknowledged: dict[str, int] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    seen: "Counter[str]" = field(default_factory=Counter)
    bodies: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lock, self._over = threading.Lock(), threading.Event()
        self._file = self.log.open("w")
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self.clients)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(60)
        self._file.close()

    def more(self, number: int, seconds: float = 60) -> None:
        """Wait until so many more were acknowledged."""
        enough, deadline = len(self.acknowledged) + number, time.monotonic() + seconds
        while len(self.acknowledged) < enough:
            assert time.monotonic() < deadline, f"no progress: {self.seen}"
            self._over.wait(0.005)

    def _work(self) -> None:
        line = Line(self.port, self.secret)
        while not self._over.is_set():
            key = uuid.uuid4().hex
            with self._lock:
                self.tried.add(key)
            while not self._over.is_set() and not self._settled(line, key):
                self._over.wait(0.01)
        line.close()

    def _settled(self, line: Line, key: str) -> bool:
        try:
            status, _, body = line.send("POST", "/events", event(key), Idempotency_Key=key)
        except (OSError, http.client.HTTPException) as error:
            status, body = type(error).__name__, b""
        with self._lock:
            self.seen[str(status)] += 1
            self.bodies.setdefault(str(status), body.decode("utf-8", "replace"))
        if status != 201:
            return not isinstance(status, str) and status not in TRY_AGAIN
        id = int(json.loads(body)["id"])
        with self._lock:
            self.acknowledged[key] = id
            self._file.write(f"{key} {id}\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        return True


@dataclass
class Found:
    """What is wrong in a database, by kind; all of it is empty when nothing is."""

    lost: list[str]
    halves: list[str]
    twice: list[str]
    unknown: list[str]
    damage: list[str]
    events: int = 0

    @property
    def faults(self) -> list[str]:
        return [*self.lost, *self.halves, *self.twice, *self.unknown, *self.damage]

    @property
    def figures(self) -> dict[str, int]:
        return {
            "lost": len(self.lost),
            "halves": len(self.halves),
            "twice": len(self.twice),
            "unknown": len(self.unknown),
            "damage": len(self.damage),
            "events": self.events,
        }


_WHOLE = """
SELECT e.id, substr(e.title, 7),
    (SELECT group_concat(v.venue) FROM event_venue l JOIN venue v ON v.id = l.venue_id
     WHERE l.event_id = e.id),
    (SELECT group_concat(o.organizer) FROM event_organizer l JOIN organizer o ON o.id = l.organizer_id
     WHERE l.event_id = e.id),
    (SELECT group_concat(t.name) FROM event_term l JOIN term t ON t.id = l.term_id WHERE l.event_id = e.id),
    (SELECT count(*) FROM search_text s WHERE s.record_id = e.id),
    (SELECT count(*) FROM record r WHERE r.id = e.id AND r.kind = 'event'),
    e.description
FROM event e WHERE e.title LIKE 'Event %'
"""
_ORPHANS = """
SELECT venue FROM venue WHERE venue LIKE 'Venue %' AND id NOT IN (SELECT venue_id FROM event_venue)
UNION ALL SELECT organizer FROM organizer
    WHERE organizer LIKE 'Organizer %' AND id NOT IN (SELECT organizer_id FROM event_organizer)
UNION ALL SELECT name FROM term WHERE name LIKE 'tag-%' AND id NOT IN (SELECT term_id FROM event_term)
UNION ALL SELECT 'record ' || id FROM record WHERE id NOT IN (
    SELECT id FROM event UNION ALL SELECT id FROM venue UNION ALL SELECT id FROM organizer
    UNION ALL SELECT id FROM term UNION ALL SELECT id FROM image)
"""


def found(path: Path, acknowledged: dict[str, int], tried: set[str] | None = None) -> Found:
    """Compare a database with what was acknowledged; `tried` says which keys were ever sent."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        damage = [str(row[0]) for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"]
        damage += [f"reference {row}" for row in database.execute("PRAGMA foreign_key_check")]
        rows = database.execute(_WHOLE).fetchall()
        halves = [str(name) for (name,) in database.execute(_ORPHANS)]
        answers = int(database.execute("SELECT count(*) FROM idempotent_response").fetchone()[0])
    stored: Counter[str] = Counter()
    ids: dict[str, int] = {}
    for id, key, *parts in rows:
        stored[key], ids[key] = stored[key] + 1, id
        if parts != [f"Venue {key}", f"Organizer {key}", f"tag-{key}", 1, 1, f"All of {key}"]:
            halves.append(f"{key}: {parts}")
    if answers != len(rows):
        halves.append(f"{answers} remembered answers, {len(rows)} events")
    halves += [f"{key}: another id" for key, id in acknowledged.items() if ids.get(key, id) != id]
    return Found(
        lost=[key for key in acknowledged if key not in ids],
        halves=halves,
        twice=[key for key, times in stored.items() if times > 1],
        unknown=[key for key in stored if tried is not None and key not in tried],
        damage=damage,
        events=len(rows),
    )
