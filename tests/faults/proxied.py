"""Clients of the service behind nginx: hundreds of slow ones, and busy ones that count their failures."""

import contextlib
import itertools
import resource
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPException

from tests.system import servers
from tests.system.proxies import AT_ROOT, Front

#: What each kind of slow client sends at once; the rest comes byte by byte, and never to an end.
BEGINNINGS = {
    "headers": f"GET {servers.ROOT}/events HTTP/1.1\r\nHost: {AT_ROOT}\r\nX-Slow: ",
    "body": (
        f"POST {servers.ROOT}/events HTTP/1.1\r\nHost: {AT_ROOT}\r\nContent-Type: application/json\r\n"
        "Content-Length: 100000\r\n\r\n{"
    ),
    "idle": "",
}


def wait(happened: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + servers.PATIENCE
    while not happened():
        assert time.monotonic() < deadline, f"waited for {what}"
        time.sleep(0.02)


class Slow:
    """Keeps `count` connections open, each from an address of its own, and sends a byte a second on each.

    One that is cut is opened again, so that there are always as many. `rounds` counts the bytes that each
    has sent.
    """

    def __init__(self, port: int, kind: str, count: int) -> None:
        self.port, self.kind, self.count = port, kind, count
        self.open: list[socket.socket] = []
        self.rounds = self.cut = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._numbers = itertools.count()

    def _connect(self) -> socket.socket:
        number = next(self._numbers)
        source = f"127.{2 + number // 62_500 % 250}.{number // 250 % 250}.{number % 250 + 1}"
        one = socket.create_connection(
            ("127.0.0.1", self.port), timeout=servers.PATIENCE, source_address=(source, 0)
        )
        one.sendall(BEGINNINGS[self.kind].encode())
        one.setblocking(False)
        return one

    def _run(self) -> None:
        while not self._ended.is_set():
            with contextlib.suppress(OSError):
                while len(self.open) < self.count and not self._ended.is_set():
                    self.open.append(self._connect())
            for one in list(self.open):
                if not self._trickles(one):
                    self.open.remove(one)
                    one.close()
                    self.cut += 1
            self.rounds += len(self.open) == self.count
            self._ended.wait(1)

    def _trickles(self, one: socket.socket) -> bool:
        try:
            if self.kind != "idle":
                one.send(b"a")
            return bool(one.recv(4096))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def __enter__(self) -> "Slow":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 8192)), hard))
        self._thread.start()
        wait(lambda: self.rounds >= 1, f"{self.count} {self.kind}")
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        for one in self.open:
            one.close()


def latencies(front: Front, times: int) -> list[float]:
    """Milliseconds that a healthy client waits, in order; a request that fails is an error."""
    taken = []
    for number in range(times):
        healthy = front.site(AT_ROOT, f"127.0.1.{number % 100 + 1}")
        begun = time.perf_counter()
        answer = healthy.get("/events")
        taken.append((time.perf_counter() - begun) * 1000)
        assert answer.status == 200, answer.body
    return sorted(taken)


def p99(taken: list[float]) -> float:
    return round(taken[int(len(taken) * 0.99) - 1], 1)


@dataclass
class Busy:
    """Clients that read and write without a pause; `failed` has every response that is no success."""

    front: Front
    clients: int = 3
    done: int = 0
    made: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)

    def __enter__(self) -> "Busy":
        self._ended = threading.Event()
        self._pool = ThreadPoolExecutor(self.clients)
        self._running = [self._pool.submit(self._run, client) for client in range(self.clients)]
        self.goes_on()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._pool.shutdown()

    def _run(self, client: int) -> None:
        for number in itertools.count():
            if self._ended.is_set():
                return
            one = self.front.site(AT_ROOT, f"127.1.{client}.{number % 250 + 1}")
            name = f"busy {client} {number}"
            try:
                answer = one.post("/venues", {"venue": name}) if number % 2 else one.get("/events")
                if answer.status == 201:
                    self.made.add(name)
                elif answer.status != 200:
                    self.failed.append(f"{answer.status} {answer.body[:200]!r}")
            except (OSError, HTTPException) as error:
                self.failed.append(repr(error))
            self.done += 1

    def goes_on(self, times: int = 20) -> None:
        """Wait until so many more requests have been answered."""
        target = self.done + times
        wait(lambda: self.done >= target, f"{times} more requests")
