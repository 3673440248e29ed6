"""A client that writes at a steady rate and checks whether readers see each write."""

import base64
import contextlib
import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from bench.data.filling import LOGIN, Calendar
from bench.places import LIST
from bench.servers import PATIENCE, Server

_LOOKS_EVERY = 0.02  # seconds
_numbers = count(1)


def credentials(calendar: Calendar) -> dict[str, str]:
    """Headers of JSON requests by the administrator of the data set."""
    signed = base64.b64encode(f"{LOGIN}:{calendar.secret}".encode()).decode()
    return {"Authorization": f"Basic {signed}", "Content-Type": "application/json"}


@dataclass
class Counts:
    """`stale` of the `looked` reads did not show the last acknowledged write."""

    writes: int = 0
    failed: int = 0
    asked: int = 0
    looked: int = 0
    stale: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        return self.writes / self.seconds if self.seconds else 0.0


class Writer:
    """Renumbers the title of a public event on the server `written` and reads it from `read`."""

    def __init__(self, calendar: Calendar, written: Server, read: Server, rate: int) -> None:
        self.written, self.read, self.rate = written, read, rate
        self.headers = credentials(calendar)
        self.id = public_event(calendar, read)
        self.counts = Counts()
        self.acknowledged = 0
        self._over = threading.Event()

    @contextlib.contextmanager
    def busy(self) -> Iterator[Callable[[], int]]:
        """Write and read until the block ends; yields a function that counts the reads."""
        self._over.clear()
        threads = [threading.Thread(target=work) for work in (self._write, self._look)]
        for thread in threads:
            thread.start()
        try:
            yield lambda: self.counts.asked
        finally:
            self._over.set()
            for thread in threads:
                thread.join()

    def _write(self) -> None:
        with line(self.written) as writing:
            begin = time.monotonic()
            sent = 0
            while not self._over.wait(max(0.0, begin + sent / self.rate - time.monotonic())):
                sent += 1
                number = next(_numbers)
                fields = {"title": f"Number {number}"}
                status, _ = asked(writing, "PATCH", f"{LIST}/{self.id}", fields, self.headers)
                if status == 200:
                    self.counts.writes += 1
                    self.acknowledged = number
                else:
                    self.counts.failed += 1
            self.counts.seconds += time.monotonic() - begin

    def _look(self) -> None:
        """Read the list and the event: both may be cached."""
        with line(self.read) as reading:
            while not self._over.wait(_LOOKS_EVERY):
                for target in (f"{LIST}?include={self.id}", f"{LIST}/{self.id}"):
                    expected = self.acknowledged
                    _, body = asked(reading, "GET", target)
                    self.counts.asked += 1
                    if expected:
                        self.counts.looked += 1
                        self.counts.stale += shown_number(body) < expected


def public_event(calendar: Calendar, server: Server) -> int:
    """The first public event shown in lists."""
    ids = range(calendar.ids.events, calendar.ids.events + calendar.events)
    return next(id for id in ids if b'"events":[]' not in server.get(f"{LIST}?include={id}").body)


def shown_number(body: dict[str, Any]) -> int:
    """The number in the title of the event or of the only event of a list."""
    event = body["events"][0] if "events" in body else body
    word, _, number = event["title"].partition(" ")
    return int(number) if word == "Number" else 0


@contextlib.contextmanager
def line(server: Server) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    with contextlib.closing(connection):
        yield connection


def asked(
    connection: http.client.HTTPConnection,
    method: str,
    target: str,
    fields: Mapping[str, object] | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, dict[str, Any]]:
    """Send a request on an open connection; return status and JSON."""
    connection.request(method, target, None if fields is None else json.dumps(fields), headers or {})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read() or b"{}")
