"""MySQL and MariaDB: sessions, lost connections, several hosts, retries, migrations."""

import multiprocessing
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pymysql
import pytest

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.models import Event, User
from calendar_api.database.mysql import connection as mysql_connection
from calendar_api.database.mysql import engine, migration_lock, retry
from calendar_api.database.mysql import errors as mysql_errors
from calendar_api.database.urls import MysqlAddress
from calendar_api.domain.errors import ApiError, DatabaseUnavailable, StorageFull
from tests import mariadb, tcp
from tests.client import Client
from tests.mariadb import MariaDb
from tests.templates import Template

pytestmark = pytest.mark.mariadb

BORN = "2026-01-01 00:00:00"
COMMIT = b"\x07\x00\x00\x00\x03COMMIT"  # the whole packet


def add(login: str) -> int:
    return int(User.create(login=login, role="author", created_utc=BORN).id)


def logins() -> list[str]:
    with database.read():
        return [user.login for user in User.select().order_by(User.id)]


def value(sql: str) -> Any:
    return database.db.execute_sql(sql).fetchone()[0]


@pytest.fixture
def proxied(database_url: str, mariadb_server: MariaDb) -> Iterator[tcp.Line]:
    """The database behind a proxy that can cut the connection."""
    with tcp.line(mariadb_server.port) as line:
        database.bind(mariadb_server.url("template", port=line.port))
        yield line
        database.close_connection()


# -- sessions


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        ("tx_isolation", "READ-COMMITTED"),
        ("time_zone", "+00:00"),
        ("innodb_lock_wait_timeout", 3),
        ("max_statement_time", 4),
        ("character_set_client", "utf8mb4"),
        ("character_set_connection", "utf8mb4"),
        ("character_set_results", "utf8mb4"),
        ("collation_connection", "utf8mb4_bin"),
        ("autocommit", 1),
    ],
)
def test_session_is_set_up(variable: str, expected: object, database_url: str) -> None:
    with database.connected():
        assert value(f"SELECT @@{variable}") == expected
        assert {"STRICT_TRANS_TABLES", "NO_ZERO_DATE"} <= set(value("SELECT @@sql_mode").split(","))


def test_timeouts_of_a_connection(database_url: str) -> None:
    with database.connected():
        connection = database.db.connection()

    assert (connection.connect_timeout, connection._read_timeout, connection._write_timeout) == (3, 5, 5)


def test_read_is_read_only(database_url: str) -> None:
    with pytest.raises(DatabaseUnavailable), database.read():
        add("never")

    assert "never" not in logins()


def test_statement_that_takes_too_long_is_given_up(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mysql_connection, "STATEMENT_TIMEOUT", 0.05)
    database.bind(database_url)

    with pytest.raises(DatabaseUnavailable) as caught, database.read():
        database.db.execute_sql("SELECT SLEEP(5)")

    assert caught.value.headers == {"Retry-After": "1"}
    database.close_connection()


# -- findings


@pytest.fixture(scope="module")
def odd_server() -> Iterator[MariaDb]:
    """A server with other settings."""
    mariadb.require()
    with mariadb.started(
        "--character-set-server=latin1", "--innodb-flush-log-at-trx-commit=2", "--max-connections=10"
    ) as server:
        yield server


def test_server_with_a_narrow_character_set_is_refused(odd_server: MariaDb) -> None:
    database.bind(odd_server.make("narrow"))
    migrate.migrate()

    found = migrate.unavailable_reason()
    database.close_connection()

    assert found is not None
    assert "its operator finds the reason" in found.message
    assert "character set of the database server is latin1" in str(found.__cause__)
    assert "character-set-server = utf8mb4" in str(found.__cause__)


def test_server_that_may_lose_commits_is_reported(odd_server: MariaDb, database_url: str) -> None:
    with database.connected():
        ours = database.diagnose("setup")
    database.bind(odd_server.make("forgetful"))
    with database.connected():
        theirs = [one for one in database.diagnose("setup") if one.reason != "misconfigured"]

    assert ours == []
    assert len(theirs) == 1
    assert "innodb_flush_log_at_trx_commit is 2" in theirs[0].text


def test_too_many_connections_are_a_503(odd_server: MariaDb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "PATIENCE", 0.2)
    url = odd_server.make("crowded")
    database.bind(url)
    others = [pymysql.connect(host="127.0.0.1", port=odd_server.port, user=mariadb.USER,
                                    password=mariadb.PASSWORD) for _ in range(11)]  # fmt: skip

    with pytest.raises(DatabaseUnavailable) as caught:
        database.run_read(lambda: value("SELECT 1"))
    for other in others:
        other.close()

    assert "busy" in caught.value.message
    assert database.run_read(lambda: value("SELECT 1")) == 1
    database.close_connection()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("ALTER TABLE venue CONVERT TO CHARACTER SET latin1", "In `venue` the table is InnoDB with latin1"),
        ("ALTER TABLE term MODIFY slug VARCHAR(191) COLLATE utf8mb4_general_ci", "column slug is there with"),
        ("ALTER TABLE commit_token ENGINE = Aria", "In `commit_token` the table is Aria"),
    ],
)
def test_changed_table_is_refused(
    change: str, told: str, new_database_url: str, mariadb_server: MariaDb
) -> None:
    migrate.migrate()
    with database.connected():
        name = value("SELECT DATABASE()")
    mariadb_server.root(f"USE `{name}`", "SET foreign_key_checks = 0", change)

    found = migrate.unavailable_reason()

    assert found is not None
    assert told in str(found.__cause__)
    assert "COLLATE utf8mb4_bin." in str(found.__cause__)


# -- errors


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (pymysql.err.OperationalError(1213, "Deadlock found"), DatabaseUnavailable),
        (pymysql.err.OperationalError(1047, "not yet prepared"), DatabaseUnavailable),
        (pymysql.err.InterfaceError(0, ""), DatabaseUnavailable),
        (pymysql.err.OperationalError(1045, "Access denied"), DatabaseUnavailable),
        (pymysql.err.OperationalError(1114, "The table is full"), StorageFull),
        (pymysql.err.InternalError(3, "Error writing file (Errcode: 28 No space)"), StorageFull),
        (pymysql.err.ProgrammingError(1064, "syntax"), None),
    ],
)
def test_error_has_a_meaning(error: Exception, kind: type[ApiError] | None) -> None:
    found = mysql_errors.translate(error)

    assert found is None if kind is None else isinstance(found, kind)


def test_programming_error_is_not_retried(database_url: str) -> None:
    runs = []

    def work() -> None:
        runs.append(1)
        database.db.execute_sql("SELECT FROM")

    with pytest.raises(Exception, match="SQL syntax"):
        database.run_write(work)

    assert len(runs) == 1


@pytest.mark.parametrize("idle", [pytest.param(False, marks=pytest.mark.long), True])
def test_server_that_hangs_is_given_up_in_time(
    idle: bool, database_url: str, mariadb_server: MariaDb
) -> None:
    """A kept connection is asked for a second, a new one gets three; it was ten together."""
    database.run_read(User.select().count)
    if idle:
        database.bound().local.used -= 10
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


# -- retries


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


def test_commit_that_stays_unknown_says_what_to_do(
    proxied: tcp.Line, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setattr(retry, "PATIENCE", 0.3)
    proxied.cut(COMMIT, delivered=True, closed=True)

    with pytest.raises(DatabaseUnavailable) as caught:
        database.run_write(lambda: add("unknown"))

    assert "same Idempotency-Key" in caught.value.message
    assert caught.value.headers == {"Retry-After": "1"}


def test_server_that_starts_again_fails_no_write(mariadb_server: MariaDb, database_url: str) -> None:
    with mariadb.started() as server:
        database.bind(server.make("calendar"))
        migrate.migrate()
        database.run_write(lambda: add("before"))
        server.kill()
        starting = threading.Thread(target=server.start_again)
        starting.start()
        began = time.monotonic()

        database.run_write(lambda: add("after"))

        starting.join()
        assert time.monotonic() - began < retry.PATIENCE + 1
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


# -- several hosts


def test_next_host_is_used_when_one_is_lost(mariadb_server: MariaDb, database_url: str) -> None:
    dead = mariadb._free_port()
    database.bind(
        f"mysql://{mariadb.USER}:{mariadb.QUOTED}@127.0.0.1:{dead},127.0.0.1:{mariadb_server.port}/template"
    )

    assert database.run_write(lambda: add("elsewhere")) > 0
    assert database.db.connector.hosts()[0] == ("127.0.0.1", mariadb_server.port)
    database.close_connection()


def test_hosts_keep_their_order_and_those_that_failed_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    address = MysqlAddress("me", "", (("a", 1), ("b", 2), ("c", 3)), "calendar")
    hosts = mysql_connection.Connector(address)

    assert [name for name, _ in hosts.hosts()] == ["a", "b", "c"]
    hosts.avoid(("a", 1))
    assert [name for name, _ in hosts.hosts()] == ["b", "c", "a"]
    hosts.avoid(("b", 2))
    hosts.avoid(None)
    assert [name for name, _ in hosts.hosts()] == ["c", "a", "b"]
    monkeypatch.setattr(mysql_connection, "AVOIDED", 0.0)
    assert [name for name, _ in hosts.hosts()] == ["a", "b", "c"]


# -- migrations


class Crash(BaseException):
    """The process is gone."""


CHANGES = ("CREATE", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE")


def schema(server: MariaDb, name: str) -> list[Any]:
    tables = [row[0] for row in server.root(f"USE `{name}`", "SHOW TABLES")]
    made = [server.root(f"USE `{name}`", f"SHOW CREATE TABLE `{table}`")[0][1] for table in sorted(tables)]
    made = [re.sub(r" AUTO_INCREMENT=\d+", "", one) for one in made]
    return [*made, *server.root(f"SELECT name FROM `{name}`.schema_migration ORDER BY name")]


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.long)])
def test_migrations_go_on_after_a_crash_at_any_statement(
    new_database_url: str, mariadb_server: MariaDb, database_url: str, step: int
) -> None:
    """At each statement in the long run, at every tenth otherwise."""
    whole = schema(mariadb_server, "template")
    database.bind(new_database_url)
    database.create()
    with database.connected():
        name = value("SELECT DATABASE()")
    survived: set[tuple[str, Any]] = set()

    def crash(event: Any) -> None:
        statement = (
            event.sql,
            str(event.params) if not re.search("migration_lock|revision", event.sql) else "",
        )
        if event.exception is None and event.sql.startswith(CHANGES) and statement not in survived:
            survived.add(statement)
            if len(survived) % step == 0:
                raise Crash

    crashes = 0
    database.db.query_hooks.append(crash)
    while True:
        try:
            migrate.migrate()
            break
        except Crash:
            crashes += 1
    database.db.query_hooks.remove(crash)

    assert crashes * step > 40
    assert schema(mariadb_server, name) == whole
    assert migrate.unavailable_reason() is None


def _die_while_migrating(url: str) -> None:
    migration_lock.EXPIRES = 2
    database.bind(url)
    database.create()
    with database.schema_change():
        os._exit(9)


def _migrate(url: str) -> None:
    database.bind(url)
    migrate.migrate()
    database.close_connection()


def spawned(target: Callable[..., object], *arguments: object) -> Any:
    process = multiprocessing.get_context("spawn").Process(target=target, args=arguments)
    process.start()
    return process


def test_lock_of_a_dead_process_ends(new_database_url: str) -> None:
    dead = spawned(_die_while_migrating, new_database_url)
    dead.join(timeout=60)

    applied = migrate.migrate()

    assert dead.exitcode == 9
    assert applied == ["0001_initial"]


def test_one_process_migrates_at_a_time(new_database_url: str) -> None:
    database.create()
    processes = [spawned(_migrate, new_database_url) for _ in range(3)]
    for process in processes:
        process.join(timeout=60)

    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert migrate.unavailable_reason() is None


def test_process_that_waits_too_long_for_the_migration_lock_is_refused(
    new_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.create()
    with database.schema_change():
        monkeypatch.setattr(migration_lock, "PATIENCE", 0.0)
        told: list[str] = []

        def other() -> None:
            try:
                migrate.migrate()
            except DatabaseUnavailable as error:
                told.append(error.message)
            database.close_connection()

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    assert told == ["Another process is migrating this database; try again later."]


def test_lock_is_renewed_while_a_migration_takes_long(
    new_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.create()
    monkeypatch.setattr(migration_lock, "RENEWED", 0.05)
    with database.schema_change():
        database.db.execute_sql("UPDATE migration_lock SET expires = 1")
        deadline = time.monotonic() + 30
        while value("SELECT expires FROM migration_lock") == 1:
            assert time.monotonic() < deadline
            time.sleep(0.02)
