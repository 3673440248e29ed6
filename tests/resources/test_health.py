"""`GET /health`: what it tells a monitor, and that it tells nothing else."""

import logging
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from webtest import TestApp, TestResponse

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.commands import check
from calendar_api.config import Config
from calendar_api.database.sqlite import checks
from tests import factories
from tests.client import ROOT, Client
from tests.mariadb import MariaDb
from tests.templates import Template, opened, path_of

pytestmark = pytest.mark.both_databases


def send(client: Client, method: str = "GET", **headers: str) -> TestResponse:
    return client.app.request("/health", method=method, headers=headers, expect_errors=True)


def health(app: TestApp) -> tuple[int, dict[str, str]]:
    """Status and body; the body has a message with the remedy unless all is well, which is left out here."""
    answer = app.request("/health", headers={}, expect_errors=True)
    found = answer.json
    assert bool(found.pop("message", "")) == bool(found["reason"])
    return answer.status_int, found


def test_all_is_well(client: Client) -> None:
    """A watcher needs neither the right host name nor credentials."""
    answer, head = send(client), send(client, "HEAD")

    assert (answer.status_int, answer.json) == (200, {"status": "ok", "reason": ""})
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Type"] == "application/json; charset=UTF-8"
    assert "ETag" not in answer.headers
    assert (head.status_int, head.body) == (200, b"")
    assert send(client, Host="10.1.2.3").status_int == 200
    assert send(client, Authorization="Basic bm9ib2R5Ondyb25n").status_int == 200
    for method in ("POST", "DELETE", "OPTIONS"):
        refused = send(client, method)
        assert (refused.status_int, refused.headers["Allow"]) == (405, "GET, HEAD")
        assert refused.json["code"] == "rest_method_not_allowed"


def test_health_writes_nothing(client: Client, database_url: str) -> None:
    query = "SELECT number FROM revision"
    with database.read():
        before = database.db.execute_sql(query).fetchone()
    send(client)
    with database.read():
        assert database.db.execute_sql(query).fetchone() == before


def answer_without(url: str) -> TestResponse:
    return TestApp(create_app(Config(database_url=url))).get("/health", expect_errors=True)


@pytest.mark.sqlite
def test_database_that_is_not_there(client: Client, tmp_path: Path) -> None:
    answer = answer_without(f"sqlite:///{tmp_path}/none/calendar.sqlite3")

    assert answer.status_int == 503
    assert answer.json == {
        "status": "down", "reason": "not_initialised",
        "message": "There is no database. Run `calendar-api migrate`, or restore a backup.",
    }  # fmt: skip
    assert answer.headers["Retry-After"]
    assert str(tmp_path) not in answer.text
    assert not (tmp_path / "none").exists()


@pytest.mark.sqlite
def test_deleted_file_and_one_of_another_program(client: Client, database_url: str) -> None:
    factories.event(client)
    path = path_of(database_url)
    path.rename(path.with_name("elsewhere"))
    assert health(client.app) == (503, {"status": "down", "reason": "not_initialised"})
    assert not path.exists()
    with closing(opened(path)) as other:
        other.execute("CREATE TABLE foreign_table (x)")
    assert health(client.app)[0] == 503


def ran(*command: str) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.fixture
def little_room(tmp_path: Path) -> Iterator[Path]:
    """A disk of 40 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0 or not ran("mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)):
        pytest.skip("needs the right to mount")
    yield folder
    database.close_connection()
    ran("umount", str(folder))


@pytest.mark.sqlite
def test_disk_that_runs_full_is_told_before_and_when_it_is(
    client: Client, database_url: str, little_room: Path
) -> None:
    database.close_connection()
    path = Path(shutil.copy(path_of(database_url), little_room / "calendar.sqlite3"))
    app = TestApp(create_app(Config(database_url=f"sqlite:///{path}")))

    low = health(app)
    (little_room / "filler").write_bytes(b"x" * (40 * 2**20 - checks.FULL))
    full = health(app)
    (little_room / "filler").unlink()
    again = health(app)
    database.close_connection()
    assert ran("mount", "-o", "remount,ro", str(little_room))
    status, unwritable = health(app)

    assert low == again == (200, {"status": "degraded", "reason": "disk_low"})
    assert full == (503, {"status": "down", "reason": "disk_full"})
    assert (status, unwritable["reason"] in ("read_only", "rest_database_unavailable")) == (503, True)


@pytest.mark.mariadb
def test_server_that_takes_no_writes(
    client: Client, mariadb_server: MariaDb, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    mariadb_server.root("SET GLOBAL read_only = 1")
    try:
        found = health(client.app)
    finally:
        mariadb_server.root("SET GLOBAL read_only = 0")
    assert found == (503, {"status": "down", "reason": "read_only"})
    assert health(client.app) == (200, {"status": "ok", "reason": ""})


@pytest.mark.mariadb
def test_server_that_cannot_be_reached() -> None:
    answer = answer_without("mysql://nobody:secret-word@127.0.0.1:1/nothing")
    assert (answer.status_int, answer.json["status"]) == (503, "down")
    assert not re.search("secret-word|127.0.0.1", answer.text)


@pytest.fixture
def damaged_schema(database_url: str, template: Template) -> Iterator[Callable[[str, str], None]]:
    """Runs a statement that damages the schema; the second one repairs it on a shared server."""
    repairs: list[str] = []

    def damage(statement: str, repair: str) -> None:
        with database.db.connection_context():
            database.db.execute_sql(statement)
        repairs.append(repair)

    yield damage
    if not database_url.startswith("sqlite"):
        with database.db.connection_context():
            for repair in repairs:
                database.db.execute_sql(repair)


@pytest.mark.parametrize(
    ("statement", "repair", "missing"),
    [
        ("ALTER TABLE event RENAME COLUMN excerpt TO other",
         "ALTER TABLE event RENAME COLUMN other TO excerpt", "the column event.excerpt"),
        ("ALTER TABLE term RENAME TO other", "ALTER TABLE other RENAME TO term", "the table term"),
    ],
)  # fmt: skip
def test_damaged_schema(
    statement: str, repair: str, missing: str, client: Client, damaged_schema: Callable[[str, str], None],
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """Told by /health and `check`; requests get 503 and no 500."""
    id = factories.event(client)["id"]
    damaged_schema(statement, repair)
    answer = send(client)

    assert (answer.status_int, answer.json["reason"]) == (503, "schema_damaged")
    assert "calendar-api check" in answer.json["message"]
    assert missing not in answer.text
    assert missing in caplog.text
    assert client.app.get(f"{ROOT}/events/{id}", expect_errors=True).status_int == 503
    assert any(missing in one.text and one.critical for one in check.run(Config()))


def test_missing_index_is_told_by_check(
    client: Client, damaged_schema: Callable[[str, str], None], backend: str
) -> None:
    on = "" if backend == "sqlite" else " ON event"
    damaged_schema(
        f"DROP INDEX event_start_date_title{on}",
        "CREATE INDEX event_start_date_title ON event (start_date, title)",
    )
    found = [one for one in check.run(Config()) if "index" in one.text]
    assert [one.text for one in found] == ["The schema lacks an index of event on start_date,title."]
    assert health(client.app)[0] == 200


@pytest.mark.sqlite
def test_missing_trigger_is_told_by_check(client: Client) -> None:
    with database.write():
        database.db.execute_sql("DROP TRIGGER search_text_added")
    assert any("Parts of the search index" in one.text for one in check.run(Config()))


@pytest.mark.sqlite
def test_damaged_pages(client: Client, database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    """At the root of a table, which is read each time; elsewhere, once a request has met them."""
    for number in range(60):
        factories.event(client, title=f"Event {number}", description="x" * 3000)
    database.close_connection()
    path = path_of(database_url)
    with closing(opened(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'event'").fetchone()[0]
        query = "SELECT id FROM event ORDER BY id LIMIT 1 OFFSET 30"
        middle = connection.execute(query).fetchone()[0]
    good = path.read_bytes()
    path.write_bytes(good[: (root - 1) * 4096] + b"\xa5" * 4096 + good[root * 4096 :])
    at_root = health(client.app)
    assert "health: " in caplog.text
    database.close_connection()
    place = good.index(b'"description":', len(good) // 2) // 4096 * 4096  # in a stored document
    path.write_bytes(good[:place] + b"\xa5" * 4096 + good[place + 4096 :])
    statuses = {client.app.get(f"{ROOT}/events/{id}", expect_errors=True).status_int for id in (middle,)}
    for page in range(1, 7):
        url = f"{ROOT}/events?page={page}&starts_after=2001-01-01"
        statuses.add(client.app.get(url, expect_errors=True).status_int)
    met = health(client.app)

    assert at_root[0] == 503
    assert 503 in statuses
    assert met == (503, {"status": "down", "reason": "damaged"})
