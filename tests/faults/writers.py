"""Many writing processes on one SQLite file: `python -m tests.faults.writers PATH PROCESSES WRITES [nolock]`.

Each reads a number and writes it, as fast as it can. Prints one line of JSON.
"""

import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from calendar_api import database
from calendar_api.database.models import User
from calendar_api.database.sqlite.engine import Sqlite
from calendar_api.domain.errors import ApiError


@contextmanager
def _without_lock(self: Sqlite) -> Iterator[None]:
    self.ensure_connection()
    yield


def _add() -> None:
    count = User.select().count()
    user = User.create(login=f"user {count}", role="author", created_utc="2026-01-01 00:00:00")
    User.update(login=f"writer {count}").where(User.id == user.id).execute()


def _write(writes: int, start: Any, results: Any) -> None:
    failed, waited = 0, []
    start.wait()
    for _ in range(writes):
        began = time.monotonic()
        try:
            database.run_write(_add)
        except ApiError:
            failed += 1
        waited.append(time.monotonic() - began)
    database.close_connection()
    results.put((failed, waited))


def run(url: str, processes: int, writes: int) -> dict[str, Any]:
    database.bind(url)
    context = multiprocessing.get_context("fork")  # none of them has opened anything yet
    start, results = context.Barrier(processes + 1), context.Queue()
    running = [context.Process(target=_write, args=(writes, start, results)) for _ in range(processes)]
    for process in running:
        process.start()
    start.wait()
    began = time.monotonic()
    found = [results.get() for _ in running]
    took = time.monotonic() - began
    for process in running:
        process.join()
    waited = sorted(seconds for _, each in found for seconds in each)
    with database.db.connection_context():
        stored = User.select().where(User.login.startswith("writer ")).count()
    return {
        "processes": processes,
        "writes": len(waited),
        "failed": sum(failed for failed, _ in found),
        "stored": stored,
        "per_second": round(len(waited) / took),
        "p50_ms": round(waited[len(waited) // 2] * 1000),
        "p99_ms": round(waited[int(len(waited) * 0.99)] * 1000),
        "max_ms": round(waited[-1] * 1000),
    }


if __name__ == "__main__":
    path, processes, writes, *switch = sys.argv[1:]
    if switch == ["nolock"]:
        Sqlite.hold_write_lock = _without_lock  # type: ignore[method-assign]
    print(json.dumps(run(f"sqlite:///{path}", int(processes), int(writes))))
