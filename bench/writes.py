"""C6, C7, W1, W3 and I1: what follows a write, creates and updates, and imports."""

import contextlib
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from itertools import count, islice
from pathlib import Path

from bench import addresses, calendars, servers
from bench.addresses import LIST, ROOT, Contents
from bench.calendars import SEED, Calendar, Payload
from bench.load import Subject, measure, ratio
from bench.servers import Server
from bench.targets import Figure, Plan

_AFTER_WRITES = 9
_CREATES = 8_000


def after_writes(plan: Plan) -> Iterator[Figure]:
    """C6 and C7: CPU time of the service for the first such request after a write."""
    for calendar in plan.calendars():
        copy, known = calendar.copied("after-writes"), addresses.contents(calendar)
        with servers.service(copy) as service:
            yield _after_write("C6", service, copy, known, partial(_middle_page, service, known.days))
            yield _after_write("C7", service, copy, known, lambda number: f"{ROOT}/categories")


def _middle_page(service: Server, days: list[date], number: int) -> str:
    """A page in the middle of nearly all events; the bounds differ by `number`, so nothing is repeated."""
    query = f"{LIST}?starts_after={days[number]}&starts_before={days[-1 - number]}&per_page=10"
    return f"{query}&page={max(1, service.get(query).json['total_pages'] // 2)}"


def _after_write(
    row: str, service: Server, calendar: Calendar, known: Contents, target: Callable[[int], str]
) -> Figure:
    cpu_ms, waited = [], []
    for number in range(_AFTER_WRITES):
        wanted, (id, _) = target(number), known.events[-1 - number]
        answer = service.send(
            "PATCH", f"{LIST}/{id}", {"title": f"Renamed {row}"}, servers.signed_in(calendar)
        )
        if answer.status != 200:
            raise RuntimeError(f"PATCH: {answer.status} {answer.body[:300]!r}")
        before = service.cpu_ns()
        begin = time.perf_counter()
        if service.get(wanted).status != 200:
            raise RuntimeError(f"{wanted} fails.")
        waited.append((time.perf_counter() - begin) * 1000)
        cpu_ms.append((service.cpu_ns() - before) / 1e6)
    remark = f"waited for {statistics.median(waited):.3g} ms"
    return Figure(row, calendar.name, statistics.median(cpu_ms), min(cpu_ms), max(cpu_ms), remark=remark)


def writes(plan: Plan) -> Iterator[Figure]:
    calendar = plan.usual()
    copy, other = calendar.copied("writes"), calendar.copied("raw")
    yield _creates_per_second(copy, other, plan)
    yield create_cpu("W3 create", copy, copy, plan)
    titles = (
        ("PATCH", f"{LIST}/{id}", {"title": f"Another title {turn}"})
        for turn in range(_CREATES // 1000) for id, _ in addresses.contents(calendar).events[:1000]
    )  # fmt: skip
    yield _write_cpu("W3 title", copy, addresses.writes("titles", titles), plan)


def _creates_per_second(calendar: Calendar, other: Calendar, plan: Plan) -> Figure:
    """W1: eight clients, two workers, beside the same rows stored durably by `sqlite3` alone."""
    posted, raw = [], []
    with servers.service(calendar, workers=2) as service, raw_creates(other) as create_raw:
        subject = Subject(service, new_events(calendar), servers.signed_in(calendar))
        measure(subject, 1)
        before, acknowledged = _stored(calendar), 0
        for _ in range(plan.rounds):
            raw.append(create_raw(plan.seconds))
            found = measure(subject, 2 * plan.seconds)
            posted.append(found.rps)
            acknowledged += found.requests
        kept = _stored(calendar) - before
    if not acknowledged <= kept <= acknowledged + plan.rounds * subject.connections:
        raise RuntimeError(f"{acknowledged} creates were acknowledged and {kept} are stored.")
    remark = f"{statistics.median(posted):.0f} of {statistics.median(raw):.0f} per second"
    return Figure.of("W1", calendar.name, ratio(posted, raw, range(plan.rounds)), remark=remark)


def create_cpu(row: str, calendar: Calendar, source: Calendar, plan: Plan) -> Figure:
    """CPU time of the service for a create by one client; `source` is the calendar as an SQLite file."""
    return _write_cpu(row, calendar, new_events(source), plan)


def _write_cpu(row: str, calendar: Calendar, requests: Path, plan: Plan) -> Figure:
    with servers.service(calendar) as service:
        subject = Subject(service, requests, servers.signed_in(calendar), connections=1)
        measure(subject, 1)
        found = [measure(subject, plan.seconds).cpu_us / 1000 for _ in range(plan.rounds)]
    return Figure(row, calendar.name, statistics.median(found), min(found), max(found))


def new_events(source: Calendar, number: int = _CREATES) -> Path:
    """POST requests with events like those of the calendar, linked to records that exist."""
    known = calendars.linked_ids(source.path)
    size = len(addresses.contents(source).events)
    new = (event for seed in count(SEED + 1) for event in calendars.events_of(size, seed))
    created = (("POST", LIST, calendars.with_ids(event, known)) for event in islice(new, number))
    return addresses.writes("creates", created)


def _stored(calendar: Calendar) -> int:
    with addresses.reading(calendar) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM event").fetchone()[0])


@contextlib.contextmanager
def raw_creates(calendar: Calendar) -> Iterator[Callable[[float], float]]:
    """B2: a function that stores copies of events for some seconds, and returns how many per second.

    All rows of an event are stored in one transaction that is on the disk when it ends.
    """
    with contextlib.closing(sqlite3.connect(calendar.path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous = full")
        events = [row[0] for row in connection.execute("SELECT id FROM event ORDER BY id LIMIT 500")]
        rows = [_rows_of(connection, id) for id in events]
        ids = count(connection.execute("SELECT MAX(id) + 1 FROM record").fetchone()[0])

        def create(seconds: float) -> float:
            begin, done = time.perf_counter(), 0
            while time.perf_counter() - begin < seconds:
                id = next(ids)
                connection.execute("BEGIN IMMEDIATE")
                for sql, row in rows[id % len(rows)]:
                    own = {name: f"created-{id}" for name in ("slug", "uid") if name in row}
                    connection.execute(sql, {**row, **own, "own_id": id})
                connection.execute("UPDATE revision SET number = number + 1")
                connection.execute("COMMIT")
                done += 1
            return done / (time.perf_counter() - begin)

        yield create


def _rows_of(connection: sqlite3.Connection, id: int) -> list[tuple[str, Payload]]:
    """Statements that store the rows of an event under the id `:own_id`, and their values."""
    found = []
    for table in _tables(connection):
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
        key = next(
            (name for name in ("event_id", "record_id") if name in columns),
            "id" if table in ("record", "event") else None,
        )
        if key is None:
            continue
        stored = [name for name in columns if name != "id" or key == "id"]
        values = ", ".join(":own_id" if name == key else f":{name}" for name in stored)
        sql = f'INSERT INTO "{table}" ({", ".join(stored)}) VALUES ({values})'
        rows = connection.execute(f'SELECT * FROM "{table}" WHERE {key} = ?', (id,))
        found += [(sql, {name: row[name] for name in stored}) for row in rows]
    return found


def _tables(connection: sqlite3.Connection) -> list[str]:
    """All tables, those that others refer to first; the ledger of imports is not about events themselves."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    names = [row[0] for row in rows if row[0] != "import_item"]
    return sorted(names, key=lambda name: (name != "record", name != "event"))


def imports(plan: Plan) -> Iterator[Figure]:
    """I1: a new database, the same file twice."""
    for calendar in plan.calendars():
        if calendar.name in (calendars.CONFERENCES, plan.usual().name):
            new = calendars.empty(Calendar("", f"sqlite:///{calendars.new_folder('import')}/new.sqlite3", ""))
            yield import_rate("I1", new, calendar.name)
            yield import_rate("I1 again", new, calendar.name)


def import_rate(row: str, into: Calendar, name: str) -> Figure:
    """Lines per second, from the start of the command to its end."""
    events = list(calendars.events_named(name))
    path = calendars.write_lines(calendars.BUILD / "import.jsonl", events)
    begin = time.perf_counter()
    calendars.command(into, "import", str(path))
    return Figure(row, name, len(events) / (time.perf_counter() - begin))
