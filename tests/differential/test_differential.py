"""The same requests, sent to the application on two databases, are given the same answers.

CALENDAR_TEST_DIFFERENTIAL_REQUESTS says how many, CALENDAR_TEST_DIFFERENTIAL_SEED which ones.
"""

import os
from pathlib import Path

from calendar_api.resources.routes import ROUTES
from tests.differential.running import Run, compare
from tests.differential.worlds import World
from tests.mariadb import MariaDb

REQUESTS = int(os.environ.get("CALENDAR_TEST_DIFFERENTIAL_REQUESTS", "1000"))
SEED = os.environ.get("CALENDAR_TEST_DIFFERENTIAL_SEED", "calendar")
#: With fewer requests some operation may go without a success or a refusal by mere chance.
ENOUGH_FOR_ALL = 10_000


def _check(run: Run) -> None:
    print(run.table())
    assert not run.report, run.report
    assert run.number(5) == 0
    assert run.share(2) >= 0.35
    if run.total < ENOUGH_FOR_ALL:
        return
    for operation in _operations():
        assert run.of(operation, 2), f"{operation} never succeeded"
        assert run.of(operation, 4), f"{operation} was never refused"


def _operations() -> list[str]:
    """Every method of every route."""
    known = [f"{method} /" for method in ("GET", "HEAD", "OPTIONS")]
    for template, resource in ROUTES:
        route = template.replace("{id:record_id}", "{id}")
        known += [f"{method} {route}" for method in (*resource.methods, "HEAD", "OPTIONS")]
    return known


def test_sqlite_and_mariadb_answer_alike(mariadb_server: MariaDb, tmp_path: Path) -> None:
    with (
        World(f"sqlite:///{tmp_path}/calendar.sqlite3", 700_000_000) as left,
        World(mariadb_server.make("differential"), 731_000_000) as right,
    ):
        _check(compare(left, right, REQUESTS, SEED))
