"""Clients that post events one after the other, all in one thread to save CPU time."""

import json
import selectors
import socket
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from bench.data import dataset
from bench.data.dataset import Happening, Size
from bench.data.filling import Calendar
from bench.places import LIST
from bench.servers import Server
from bench.writer import credentials
from calendar_api.domain import dates

_seeds = iter(range(dataset.SEED + 100, 10**6))


@dataclass
class Posted:
    """The results: milliseconds of each acknowledged request, and failed responses."""

    seconds: float = 0.0
    took: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return len(self.took) / self.seconds if self.seconds else 0.0

    def percentile(self, share: float) -> float:
        ordered = sorted(self.took)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    def __iadd__(self, other: "Posted") -> "Posted":
        self.seconds += other.seconds
        self.took += other.took
        self.failed += other.failed
        return self


def requests(calendar: Calendar, port: int) -> Iterator[bytes]:
    """An endless iterator of different POST requests with events like those of the data set."""
    signed = "".join(f"{name}: {value}\r\n" for name, value in credentials(calendar).items())
    head = f"POST {LIST} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{signed}"
    size = Size(calendar.events)
    for event in chain.from_iterable(dataset.happenings(size, seed=seed) for seed in _seeds):
        body = json.dumps(payload(event, calendar), ensure_ascii=False).encode()
        yield f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def payload(event: Happening, calendar: Calendar) -> dict[str, Any]:
    """The payload of a public event whose linked records exist."""
    ids = calendar.ids
    return {
        "title": event.title, "description": f"<p>{event.description}</p>",
        "excerpt": f"<p>{event.excerpt}</p>", "timezone": event.zone, "all_day": event.all_day,
        "start_date": dates.text(event.start), "end_date": dates.text(event.end), "cost": event.cost,
        "website": f"https://event.example.org/{event.number}", "featured": event.featured,
        "image": ids.images + event.image, "venue": ids.venues + event.venue,
        "organizer": [ids.organizers + number for number in event.organizers],
        "categories": [ids.categories + number for number in event.categories],
        "tags": [ids.tags + number for number in event.tags],
    }  # fmt: skip


def post(server: Server, given: Iterator[bytes], seconds: float, clients: int = 8) -> Posted:
    """Post with several clients, each as soon as it has its response; wait for all at the end."""
    found = Posted()
    waiting = selectors.DefaultSelector()
    ready = deque(given_ahead(given, seconds))
    begin = time.perf_counter()
    for _ in range(clients):
        line = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        waiting.register(line, selectors.EVENT_READ, _Client(line))
    try:
        for key in list(waiting.get_map().values()):
            key.data.send(ready.popleft())
        while waiting.get_map():
            for key, _ in waiting.select(60):
                client: _Client = key.data
                if not client.answered():
                    continue
                client.note(found)
                if ready and time.perf_counter() - begin < seconds and not client.broken:
                    client.send(ready.popleft())
                else:
                    waiting.unregister(client.line)
                    client.line.close()
    finally:
        found.seconds = time.perf_counter() - begin
        waiting.close()
    return found


def given_ahead(given: Iterator[bytes], seconds: float) -> list[bytes]:
    """Build enough requests before the measurement begins."""
    return [request for request, _ in zip(given, range(int(1500 * seconds) + 8), strict=False)]


class _Client:
    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.got = b""
        self.sent = 0.0
        self.broken = False

    def send(self, request: bytes) -> None:
        self.got = b""
        self.sent = time.perf_counter()
        self.line.sendall(request)

    def answered(self) -> bool:
        """Read available bytes; return whether the response is complete."""
        try:
            chunk = self.line.recv(262_144)
        except OSError:
            chunk = b""
        self.broken = not chunk
        self.got += chunk
        head, end, body = self.got.partition(b"\r\n\r\n")
        if self.broken or not end:
            return self.broken
        _, found, length = head.lower().partition(b"content-length: ")
        return not found or len(body) >= int(length.split(b"\r\n", 1)[0])

    def note(self, found: Posted) -> None:
        if self.got.startswith(b"HTTP/1.1 201") and not self.broken:
            found.took.append((time.perf_counter() - self.sent) * 1000)
        else:
            found.failed.append(self.got[:300].decode("utf-8", "replace") or "no answer")
