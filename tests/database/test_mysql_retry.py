"""MySQL and MariaDB: lost connections, locks, deadlocks and unknown commits."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.models import Event, User
from calendar_api.database.mysql import connection as mysql_connection
from calendar_api.database.mysql import engine, retry
from calendar_api.domain.errors import DatabaseUnavailable
from tests import mariadb, tcp
from tests.client import Client
from tests.database.rows import add, logins, value
from tests.mariadb import MariaDb
from tests.templates import Template

pytestmark = pytest.mark.mariadb

COMMIT = b"\x07\x00\x00\x00\x03COMMIT"  # the whole packet


@pytest.fixture
def proxied(database_url: str, mariadb_server: MariaDb) -> Iterator[tcp.Line]:
    """The database behind a proxy that can cut the connection."""
    with tcp.line(mariadb_server.port) as line:
        database.bind(mariadb_server.url("template", port=line.port))
        yield line
        database.close_connection()


def test_programming_error_is_not_retried(database_url: str) -> None:
    runs = []

    def work() -> None:
        runs.append(1)
        database.db.execute_sql("SELECT FROM")

    with pytest.raises(Exception, match="SQL syntax"):
        database.run_write(work)

    assert len(runs) == 1


@pytest.mark.parametrize("idle", [pytest.param(False, marks=pytest.mark.long), True])
def test_server_that_hangs_times_out(idle: bool, database_url: str, mariadb_server: MariaDb) -> None:
    """A kept connection is asked for a second, a new one gets three; it was ten together."""
    database.run_read(User.select().count)
    if idle:
        database.bound().thread.last_used -= 10
    mariadb_server.process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        for _ in range(2):
            with pytest.raises(DatabaseUnavailable):
                database.run_write(User.select().count)
        waited = time.monotonic() - began
    finally:
        mariadb_server.process.send_signal(signal.SIGCONT)

    assert waited < 10
    assert database.run_read(User.select().count) > 0


def test_lock_timeout_rolls_back_the_whole_transaction(
    database_url: str, mariadb_server: MariaDb, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By itself the server takes back the last statement only."""
    monkeypatch.setattr(mysql_connection, "LOCK_TIMEOUT", 1)
    monkeypatch.setattr(retry, "PATIENCE", 0.0)
    database.bind(database_url)
    other = mariadb_server.connect(database="template", autocommit=False)
    with other.cursor() as cursor:
        cursor.execute("SELECT * FROM user WHERE login = 'author' FOR UPDATE")

    def work() -> None:
        add("half")
        User.update(role="editor").where(User.login == "author").execute()

    with pytest.raises(DatabaseUnavailable) as caught:
        database.run_write(work)
    other.close()

    assert "half" not in logins()
    assert caught.value.headers == {"Retry-After": "1"}
    database.run_write(work)
    assert "half" in logins()


def test_deadlock_retries_the_whole_transaction(database_url: str, mariadb_server: MariaDb) -> None:
    other = mariadb_server.connect(database="template", autocommit=False)
    with other.cursor() as cursor:
        # The smaller of two transactions is the victim.
        cursor.execute("UPDATE application_password SET name = CONCAT(name, '!')")
        cursor.execute("UPDATE user SET role = role WHERE login = 'editor'")
        cursor.execute("UPDATE user SET role = 'subscriber' WHERE login = 'author2'")
    runs: list[int] = []

    def work() -> None:
        runs.append(add(f"run {len(runs)}"))
        User.update(role="editor").where(User.login == "author").execute()
        if len(runs) == 1:
            thread.start()
            while not mariadb_server.root("SELECT 1 FROM information_schema.innodb_lock_waits"):
                time.sleep(0.01)
        User.update(role="author").where(User.login == "editor").execute()

    def cross() -> None:
        with other.cursor() as cursor:
            cursor.execute("UPDATE user SET role = role WHERE login = 'author'")
        other.commit()

    thread = threading.Thread(target=cross)
    database.run_write(work)
    thread.join()
    other.close()

    assert len(runs) == 2
    assert [login for login in logins() if login.startswith("run")] == ["run 1"]


def kill(server: MariaDb) -> None:
    """End the connection of this thread, as an operator or a restart does."""
    server.root(f"KILL {database.db.connection().thread_id()}")


def test_kept_connection_is_checked_when_it_is_taken(
    database_url: str, mariadb_server: MariaDb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "IDLE", 0.0)
    before = logins()
    kill(mariadb_server)

    assert logins() == before


@pytest.mark.parametrize("transaction", [database.run_read, database.run_write])
def test_lost_connection_retries_the_whole_transaction(
    transaction: Callable[..., Any], database_url: str, mariadb_server: MariaDb
) -> None:
    runs: list[int] = []

    def work() -> int:
        runs.append(1)
        if transaction is database.run_write:
            add(f"run {len(runs)}")
        if len(runs) == 1:
            kill(mariadb_server)
        return int(User.select().count())

    count = transaction(work)

    assert len(runs) == 2
    assert count == len(logins())
    assert "run 1" not in logins()


@pytest.mark.parametrize("delivered", [True, False])
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k1"}])
def test_request_whose_commit_is_lost_has_one_effect(
    proxied: tcp.Line, template: Template, mariadb_server: MariaDb, delivered: bool, headers: dict[str, str]
) -> None:
    config = Config(database_url=mariadb_server.url("template", port=proxied.port))
    client = Client(create_app(config), template.secrets, template.ids)
    client.get("/tags", as_="admin", status=200)
    proxied.cut(COMMIT, delivered=delivered, times=1)  # of the write: who asks is found without one

    body = {"title": "Once", "start_date": "2030-01-01 10:00", "end_date": "2030-01-01 11:00"}
    answer = client.post("/events", body, as_="admin", headers=headers, status=201)

    assert proxied.cuts == 1
    with database.read():
        assert [event.id for event in Event.select()] == [answer.json["id"]]


def test_unknown_outcome_of_a_commit_names_the_idempotency_key(
    proxied: tcp.Line, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setattr(retry, "PATIENCE", 0.3)
    proxied.cut(COMMIT, delivered=True, closed=True)

    with pytest.raises(DatabaseUnavailable) as caught:
        database.run_write(lambda: add("unknown"))

    assert "same Idempotency-Key" in caught.value.message
    assert caught.value.headers == {"Retry-After": "1"}


def test_server_that_starts_again_fails_no_write(
    mariadb_server: MariaDb, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "PATIENCE", mariadb.PATIENCE)  # on a busy machine it takes long to start
    with mariadb.started() as server:
        database.bind(server.make("calendar"))
        migrate.migrate()
        database.run_write(lambda: add("before"))
        server.kill()
        starting = threading.Thread(target=server.start_again)
        starting.start()

        database.run_write(lambda: add("after"))

        starting.join()
        assert logins() == ["before", "after"]
        database.close_connection()


def test_commit_tokens_do_not_pile_up(database_url: str) -> None:
    with database.write():
        database.db.execute_sql("INSERT INTO commit_token VALUES ('old', 1), ('new', 4500)")
        database.db.execute_sql("UPDATE revision SET number = 4998")
    for number in range(3):
        database.run_write(lambda number=number: add(f"writer {number}"))

    with database.read():
        tokens = "SELECT number FROM commit_token WHERE number BETWEEN 2 AND 6000 ORDER BY 1"
        kept = database.db.execute_sql(tokens).fetchall()
        assert value("SELECT MIN(number) FROM commit_token") == 4500
        assert [number for (number,) in kept] == [4500, 4999, 5000, 5001]
