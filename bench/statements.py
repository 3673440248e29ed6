"""The SQL statements of a response: recorded, then timed and explained."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from falcon import testing

from bench import places
from bench.data.filling import Calendar
from bench.plan import cache_setting
from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config

PER_PAGE_MAX = 1000
_RUNS, _ENOUGH = 7, 1.0  # runs of a statement; stop after this many seconds
_READS = re.compile(r"\s*(SELECT|WITH)\b", re.IGNORECASE)
_TOTAL = re.compile(r"\s*SELECT COUNT\(", re.IGNORECASE)
_PAGE = re.compile(r"\bLIMIT\b", re.IGNORECASE)
_NOTHING = "(0 = 1)"  # an empty id list; SQLite plans a scan and does not start it
_SCAN = re.compile(r"SCAN (?!CONSTANT ROW|\(|.*\b(?:INDEX|VIRTUAL TABLE|PRIMARY KEY)\b)(?:TABLE )?(\S+)")


@dataclass(frozen=True)
class Statement:
    sql: str
    parameters: tuple[Any, ...]

    @property
    def kind(self) -> str:
        """`total`, `page` or `other`."""
        if _TOTAL.match(self.sql):
            return "total"
        return "page" if _PAGE.search(self.sql) and "utc_start_date" in self.sql else "other"


@dataclass
class Cost:
    """CPU milliseconds of the statements by kind, and the tables read by a full scan."""

    ms: dict[str, float] = field(default_factory=dict)
    scanned: set[str] = field(default_factory=set)

    @property
    def found(self) -> float:
        """The cost of finding and counting, without nested records."""
        return sum(ms for kind, ms in self.ms.items() if kind != "nested")


@dataclass
class Answers:
    """Sends requests to the service in this process."""

    client: testing.TestClient
    engine: Any

    def ids(self, **parameters: Any) -> tuple[int, set[int]]:
        """The total, and the ids of a first page of maximum length."""
        body = self._asked({**parameters, "per_page": PER_PAGE_MAX})
        return body["total"], {event["id"] for event in body["events"]}

    def cost(self, **parameters: Any) -> Cost:
        """The cost of the statements of this list, each the fastest of several runs."""
        self._asked(parameters)  # warm-up: exclude statements that run only once
        recorded: list[Statement] = []
        execute = self.engine.execute_sql

        def recording(sql: str, given: Any = None) -> Any:
            if _READS.match(sql) and _NOTHING not in sql:
                recorded.append(Statement(sql, tuple(given or ())))
            return execute(sql, given)

        self.engine.execute_sql = recording
        try:
            self._asked(parameters)
        finally:
            del self.engine.execute_sql
        cost = Cost()
        for statement, kind in zip(recorded, kinds(recorded), strict=True):
            cost.ms[kind] = cost.ms.get(kind, 0.0) + self._fastest(statement)
            cost.scanned |= self._scanned(statement)
        return cost

    def _asked(self, parameters: dict[str, Any]) -> Any:
        answer = self.client.simulate_get(places.LIST, query_string=urlencode(parameters))
        if answer.status_code != 200:
            raise RuntimeError(f"{parameters}: {answer.status} {answer.text[:300]}")
        return answer.json

    def _fastest(self, statement: Statement) -> float:
        return fastest(lambda: self.engine.execute_sql(statement.sql, statement.parameters).fetchall())

    def _scanned(self, statement: Statement) -> set[str]:
        plan = self.engine.execute_sql(f"EXPLAIN QUERY PLAN {statement.sql}", statement.parameters)
        steps = [row[3] for row in plan.fetchall()]
        found = {match[1].strip('"') for step in steps if (match := _SCAN.match(step))}
        return found - {step.split()[1] for step in steps if step.startswith("CO-ROUTINE ")}


def kinds(recorded: list[Statement]) -> list[str]:
    """The kind of each statement: `before`, `total`, `page` or `nested`."""
    found = [statement.kind for statement in recorded]
    last = max((place for place, kind in enumerate(found) if kind != "other"), default=-1)
    around = ("before" if place < last else "nested" for place in range(len(found)))
    return [other if kind == "other" else kind for kind, other in zip(found, around, strict=True)]


@contextmanager
def answers(calendar: Calendar, *, remembers: bool = False) -> Iterator[Answers]:
    """Run the service in this process without caches; `remembers`: without the response cache only."""
    settings = {
        **({} if remembers else cache_setting("off")), "CALENDAR_DATABASE_URL": calendar.url,
        "CALENDAR_LOG": "off", "CALENDAR_BASE_URL": places.BASE_URL,
        "CALENDAR_PER_PAGE_MAX": str(PER_PAGE_MAX),
    }  # fmt: skip
    app = create_app(Config.load(settings))
    if remembers:
        app.budget = 0
    client = testing.TestClient(app)
    database.open_connection()
    try:
        yield Answers(client, database.bound())
    finally:
        database.close_connection()


def fastest(work: Any) -> float:
    """CPU milliseconds of the fastest of several runs; slow work is run less often."""
    found: list[float] = []
    begin = time.perf_counter()
    while len(found) < _RUNS and (not found or time.perf_counter() - begin < _ENOUGH):
        before = time.thread_time()
        work()
        found.append((time.thread_time() - before) * 1000)
    return min(found)
