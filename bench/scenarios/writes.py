"""W1, W2 and C1: creates, updates, and coherence between workers."""

import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

from bench.baselines.engine import DurableCreates, opened
from bench.data.filling import Calendar
from bench.places import LIST, NAMESPACE
from bench.plan import Plan
from bench.posting import Posted, post, requests
from bench.ratios import ratio
from bench.report import Line, number, plain, several
from bench.servers import Server, ours, running
from bench.writer import Writer, asked, credentials, line, shown_number

_WORKERS = (1, 2, 4)


def creates(plan: Plan) -> Iterator[Line]:
    """W1: eight clients create events, compared second by second with raw durable inserts."""
    rounds = 5 if plan.full else 3
    for workers in _WORKERS:
        calendar, other = plan.calendar().copied("w1"), plan.calendar().copied("b2")
        raw, rates, found = DurableCreates(other), [], []
        settings = ours(calendar.url)
        with running("creates", settings=settings, workers=workers, core=None) as server:
            given = requests(calendar, server.port)
            post(server, given, 1)
            before, spent = stored(calendar), server.cpu_ns()
            for _ in range(rounds):
                rates.append(raw.rate(plan.seconds))
                found.append(post(server, given, 2 * plan.seconds))
            spent = server.cpu_ns() - spent
        together = Posted()
        for one in found:
            together += one
        lost = len(together.took) - (stored(calendar) - before)
        compared = ratio([one.rate for one in found], rates)
        told = f"{len(together.failed)} failed, stored = acknowledged" if not lost else f"LOST {lost}"
        yield plain(
            "W1", f"creates/s, {several(workers)}, 8 clients / raw durable creates (B2)", compared, "×",
            "0.20, 0 failed", "0.40", f"{told}; B2 {statistics.median(rates):,.0f}/s", rps=together.rate,
            cpu_us=spent / 1000 / max(1, len(together.took)), p99=together.percentile(0.99),
        )  # fmt: skip
        what, half = f"99 % of creates, {several(workers)}", together.percentile(0.5)
        yield plain(
            "W1", what, together.percentile(0.99), "ms", "< 150", "40", f"half within {number(half)} ms"
        )


def stored(calendar: Calendar) -> int:
    with opened(calendar) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM event").fetchone()[0])


def updates(plan: Plan) -> Iterator[Line]:
    """W2: rename an event and the most used venue and category; check reads right after."""
    calendar = plan.calendar().copied("w2")
    headers, ids = credentials(calendar), calendar.ids
    venue, category = f"/venues/{ids.venues}", f"/categories/{ids.categories}"
    changed = {
        "PATCH of an event": (f"/events/{ids.events}", "title", f"{LIST}/{ids.events}", 50),
        "new name of the most used venue": (venue, "venue", f"{LIST}?venue={ids.venues}", 20),
        "new name of the most used category": (category, "name", f"{LIST}?categories={ids.categories}", 20),
    }
    with running("updates", settings=ours(calendar.url), workers=2, core=None) as server:
        for what, (target, field, read, times) in changed.items():
            took, late = [], 0
            for turn in range(times):
                name = f"Renamed {turn}"
                with line(server) as connection:
                    begin = time.perf_counter()
                    status, _ = asked(connection, "PATCH", NAMESPACE + target, {field: name}, headers)
                    took.append((time.perf_counter() - begin) * 1000)
                if status != 200:
                    raise RuntimeError(f"{what}: {status}")
                late += shows_late(server, read, name.encode(), headers)
            yield plain("W2", what, statistics.median(took), "ms", p99=max(took),
                        remarks=f"{late} late of {times}, looked at four times each")  # fmt: skip


def shows_late(server: Server, target: str, name: bytes, headers: dict[str, str]) -> bool:
    """Whether any of several reads, each on a new connection, misses the new name."""
    signed = {"Authorization": headers["Authorization"]}
    return any(name not in server.get(target, signed).body for _ in range(4))


def coherence(plan: Plan) -> Iterator[Line]:
    """C1: four workers, one writer, four readers; every read shows all acknowledged writes."""
    wanted, limit = 20_000, 120.0 if plan.full else 15.0
    calendar = plan.calendar().copied("c1")
    with ExitStack() as stack:
        server = stack.enter_context(running("coherence", settings=ours(calendar.url), workers=4, core=None))
        writer = Writer(calendar, server, server, rate=100)
        readers = [_Reader(server, writer, wanted // 4, time.monotonic() + limit) for _ in range(4)]
        with writer.busy():
            for reader in readers:
                reader.start()
            for reader in readers:
                reader.join()
    reads = sum(reader.reads for reader in readers) + writer.counts.looked
    stale = sum(reader.stale for reader in readers) + writer.counts.stale
    told = f"{writer.counts.writes} writes, {writer.counts.failed} failed"
    if reads < wanted:
        told += f"; stopped after {limit:.0f} s"
    yield plain("C1", "stale reads, 4 workers, a writer", stale, f"of {reads:,}", "0", "0", told)


class _Reader(threading.Thread):
    """Read list and event in turn, sometimes on a new connection, to reach all workers."""

    def __init__(self, server: Server, writer: Writer, wanted: int, until: float) -> None:
        super().__init__()
        self.server, self.writer, self.wanted, self.until = server, writer, wanted, until
        self.reads = self.stale = 0

    def run(self) -> None:
        targets = (f"{LIST}?include={self.writer.id}", f"{LIST}/{self.writer.id}")
        while self.reads < self.wanted and time.monotonic() < self.until:
            with line(self.server) as connection:
                for turn in range(20):
                    expected = self.writer.acknowledged
                    _, body = asked(connection, "GET", targets[turn % 2])
                    self.reads += 1
                    self.stale += shown_number(body) < expected
