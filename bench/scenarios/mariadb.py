"""D1: the service on MariaDB compared with SQLite."""

import contextlib
import statistics
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from bench.data.filling import Calendar
from bench.load import LoadError, Subject, interleaved, require_same_bytes
from bench.places import LIST
from bench.plan import Plan
from bench.plan import missed as response_missed
from bench.posting import Posted, post, requests
from bench.ratios import ratio
from bench.report import Line, of_ratio, plain, several
from bench.scenarios.lists import constant, zipf_targets
from bench.servers import Server, ours, running
from bench.writer import Writer, public_event
from calendar_api import database
from calendar_api.commands import copy
from tests import mariadb

#: Sync each commit, as with SQLite; memory for the whole calendar.
_OPTIONS = ("--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=512M")


@dataclass(frozen=True)
class Copied(Calendar):
    """The calendar on a MariaDB server, with the same password."""

    address: str = ""

    @property
    def url(self) -> str:
        return self.address


@contextlib.contextmanager
def copied(calendar: Calendar) -> Iterator[Copied]:
    """A private MariaDB server with a copy of the calendar, made by `copy`."""
    if mariadb.missing():
        raise LoadError(mariadb.missing())
    with mariadb.started(*_OPTIONS) as server:
        address = server.make("bench")
        database.bind(calendar.url)
        try:
            copy.run(address)
        finally:
            database.close_connection()
        yield Copied(calendar.path, calendar.events, address)


def beside_sqlite(plan: Plan) -> Iterator[Line]:
    """D1: lists, single events, creates and coherence on both databases in the same rounds."""
    calendar = plan.calendar().copied("d1")
    with copied(calendar) as other:
        yield from _reads(plan, calendar, other)
        yield from _creates(plan, calendar, other)
        yield from _coherence(plan, other)


def _reads(plan: Plan, calendar: Calendar, other: Calendar) -> Iterator[Line]:
    missed = response_missed()
    targets = zipf_targets(calendar)
    with ExitStack() as stack:
        ready = stack.enter_context
        subjects = []
        for name, one in (("SQLite", calendar), ("MariaDB", other)):
            server = ready(running(f"d1-{name}", settings=ours(one.url)))
            etag, id = server.get(LIST).headers["etag"], public_event(calendar, server)
            subjects += [
                Subject(f"{name} list", server, LIST),
                Subject(f"{name} 2,000 addresses", server, LIST, targets=targets),
                Subject(f"{name} 304", server, LIST, {"If-None-Match": etag}, status=304),
                Subject(f"{name} event", server, f"{LIST}/{id}"),
            ]
            if missed:
                uncached = ready(running(f"d1-{name}-missed", settings=ours(one.url, **missed)))
                subjects.append(Subject(f"{name} list, response missed", uncached, LIST))
        subjects.append(Subject("B1", ready(constant("B1", subjects[0].server, LIST)), LIST))
        require_same_bytes([one for one in subjects if one.name.endswith("list")])
        found = interleaved(subjects, "B1", plan.rounds, plan.seconds)
    for subject in subjects:
        name, _, what = subject.name.partition(" ")
        if name == "MariaDB":
            yield of_ratio("D1", f"{what}, MariaDB / SQLite", found, subject.name, against=f"SQLite {what}")
            yield of_ratio("D1", f"{what}, MariaDB / B1", found, subject.name)


def _creates(plan: Plan, calendar: Calendar, other: Calendar) -> Iterator[Line]:
    with (
        running("d1-sqlite", settings=ours(calendar.url), workers=2, core=None) as sqlite,
        running("d1-mariadb", settings=ours(other.url), workers=2, core=None) as server,
    ):
        posted: dict[str, list[Posted]] = {"SQLite": [], "MariaDB": []}
        before = _shown(server)
        for _ in range(5):
            for name, one in (("SQLite", sqlite), ("MariaDB", server)):
                posted[name].append(post(one, requests(calendar, one.port), 2 * plan.seconds))
        lost = sum(len(one.took) for one in posted["MariaDB"]) - (_shown(server) - before)
    rates = {name: [one.rate for one in found] for name, found in posted.items()}
    failed = sum(len(one.failed) for one in posted["MariaDB"])
    slowest = [one.percentile(0.99) for one in posted["MariaDB"]]
    yield plain(
        "D1", f"creates/s, {several(2)}, MariaDB / SQLite", ratio(rates["MariaDB"], rates["SQLite"]), "×",
        remarks=f"{failed} failed, {lost} lost", rps=statistics.median(rates["MariaDB"]),
        p99=statistics.median(slowest),
    )  # fmt: skip


def _shown(server: Server) -> int:
    """The number of public events."""
    return int(server.get(f"{LIST}?starts_after=2000-01-01&per_page=1").headers["x-tec-total"])


def _coherence(plan: Plan, other: Calendar) -> Iterator[Line]:
    with running("d1-c1", settings=ours(other.url), workers=4, core=None) as server:
        writer = Writer(other, server, server, rate=100)
        subject = Subject("list", server, LIST, targets=zipf_targets(other), around=writer.busy)
        interleaved([subject], "list", plan.rounds, plan.seconds, warm_up=False)
    counts = writer.counts
    told = f"{counts.writes} writes, {counts.failed} failed"
    yield plain(
        "D1", "stale reads, MariaDB, 4 workers", counts.stale, f"of {counts.looked:,}", "0", "0", told
    )
