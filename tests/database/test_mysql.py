"""MySQL and MariaDB: sessions, findings about servers, errors, several hosts."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pymysql
import pytest

from calendar_api import database
from calendar_api.commands import backup
from calendar_api.database import migrate
from calendar_api.database.models import User
from calendar_api.database.mysql import connection as mysql_connection
from calendar_api.database.mysql import errors as mysql_errors
from calendar_api.database.mysql import retry
from calendar_api.database.urls import MysqlAddress
from calendar_api.domain.errors import ApiError, DatabaseUnavailable, StorageFull
from tests import mariadb
from tests.backups import everything
from tests.database.rows import add, value
from tests.mariadb import MariaDb
from tests.system import servers

pytestmark = pytest.mark.mariadb


def test_session_is_set_up(database_url: str) -> None:
    expected = {
        "tx_isolation": "REPEATABLE-READ", "time_zone": "+00:00", "autocommit": 1,
        "innodb_lock_wait_timeout": 3, "max_statement_time": 4,
        "character_set_client": "utf8mb4", "character_set_connection": "utf8mb4",
        "character_set_results": "utf8mb4", "collation_connection": "utf8mb4_bin",
    }  # fmt: skip
    with database.db.connection_context():
        connection = database.db.connection()
        assert {name: value(f"SELECT @@{name}") for name in expected} == expected
        assert {"STRICT_TRANS_TABLES", "NO_ZERO_DATE"} <= set(value("SELECT @@sql_mode").split(","))

    assert (connection.connect_timeout, connection._read_timeout, connection._write_timeout) == (3, 5, 5)


def test_read_is_read_only(database_url: str) -> None:
    with pytest.raises(DatabaseUnavailable), database.read():
        add("never")

    assert database.run_read(User.select().where(User.login == "never").count) == 0


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
def misconfigured_server() -> Iterator[MariaDb]:
    """A server with other settings."""
    mariadb.require()
    with mariadb.started(
        "--character-set-server=latin1", "--innodb-flush-log-at-trx-commit=2", "--max-connections=10"
    ) as server:
        yield server


def test_latin1_as_default_of_the_server_is_only_reported(
    misconfigured_server: MariaDb, tmp_path: Path
) -> None:
    """Tables and connections set utf8mb4, so that every character is stored, saved and restored."""
    misconfigured_server.root("CREATE DATABASE latin1", "CREATE DATABASE restored")
    url, other = misconfigured_server.url("latin1"), misconfigured_server.url("restored")
    database.bind(url)
    migrate.migrate()
    database.run_write(lambda: add("Trompete 🎺"))
    unavailable, found = migrate.unavailable_reason(), database.run_read(database.diagnose)
    backup.save(url, tmp_path / "backup.sqlite3", force=False)
    backup.restore(other, tmp_path / "backup.sqlite3", datetime.now(UTC))
    database.close_connection()

    assert unavailable is None
    assert [one.severity for one in found if "character set" in one.text] == ["advisory"]
    assert "server is latin1" in "".join(one.text for one in found)
    assert everything(other) == everything(url)
    assert any("Trompete 🎺" in row for row in everything(other)["user"])


def test_server_that_may_lose_commits_is_reported(misconfigured_server: MariaDb, database_url: str) -> None:
    with database.db.connection_context():
        ours = database.diagnose("setup")
    database.bind(misconfigured_server.make("forgetful"))
    with database.db.connection_context():
        theirs = [one for one in database.diagnose("setup") if one.reason != "misconfigured"]

    assert ours == []
    assert len(theirs) == 1
    assert "innodb_flush_log_at_trx_commit is 2" in theirs[0].text


def test_too_many_connections_are_a_503(
    misconfigured_server: MariaDb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "PATIENCE", 0.2)
    url = misconfigured_server.make("crowded")
    database.bind(url)
    others = [pymysql.connect(host="127.0.0.1", port=misconfigured_server.port, user=mariadb.USER,
                                    password=mariadb.PASSWORD) for _ in range(11)]  # fmt: skip

    with pytest.raises(DatabaseUnavailable) as caught:
        database.run_read(lambda: value("SELECT 1"))
    for other in others:
        other.close()

    assert "busy" in caught.value.message
    assert database.run_read(lambda: value("SELECT 1")) == 1
    database.close_connection()


def test_changed_tables_are_refused(new_database_url: str, mariadb_server: MariaDb) -> None:
    migrate.migrate()
    with database.db.connection_context():
        name = value("SELECT DATABASE()")

    # One difference is named: of the first table, else of the first column.
    for change, told in (
        ("ALTER TABLE term MODIFY slug VARCHAR(191) COLLATE utf8mb4_general_ci", "column slug is there with"),
        ("ALTER TABLE venue CONVERT TO CHARACTER SET latin1", "In `venue` the table is InnoDB with latin1"),
        ("ALTER TABLE commit_token ENGINE = Aria", "In `commit_token` the table is Aria"),
    ):
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
def test_error_is_translated(error: Exception, kind: type[ApiError] | None) -> None:
    found = mysql_errors.translate(error)

    assert found is None if kind is None else isinstance(found, kind)


# -- several hosts


def test_next_host_is_used_when_one_is_lost(mariadb_server: MariaDb, database_url: str) -> None:
    dead = servers.free_port()
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
