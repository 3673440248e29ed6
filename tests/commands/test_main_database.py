"""Commands explain database errors in one sentence."""

import sqlite3
import sys
from pathlib import Path

import pymysql
import pytest
from peewee import OperationalError

from calendar_api import database
from calendar_api.commands import main
from calendar_api.database.errors import unusable
from calendar_api.database.mysql import errors as mysql_errors
from calendar_api.database.mysql import retry
from calendar_api.domain.errors import ApiError, StorageFull
from tests.mariadb import MariaDb
from tests.system import servers

LISTED = ("user", "list")


@pytest.fixture(autouse=True)
def _short_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "PATIENCE", 0.0)


def error_of(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *command: str
) -> str:
    monkeypatch.setenv("CALENDAR_DATABASE_URL", url)
    status = main.main(command or LISTED)
    message = capsys.readouterr().err
    assert status == 1
    assert message.startswith("calendar-api: ")
    assert message.count("\n") == 1
    assert "((" not in message
    assert "busy" not in message
    return message.removeprefix("calendar-api: ")


@pytest.mark.parametrize("command", [LISTED, ("serve",), ("migrate",), ("backup", "none")])
def test_unreachable_server(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message = error_of("mysql://nobody:secret-word@127.0.0.1:1/n", monkeypatch, capsys, *command)

    assert message.startswith(
        "The database server cannot be reached: see that it runs, and that CALENDAR_DATA"
    )
    assert "127.0.0.1" in message
    assert "secret-word" not in message


def test_missing_certificate_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message = error_of("mysql://nobody:x@127.0.0.1:1/n?ssl_ca=/none", monkeypatch, capsys)

    assert "ssl_ca cannot be used: No such file" in message


@pytest.mark.mariadb
@pytest.mark.parametrize(
    ("account", "name", "wanted"),
    [
        ("calendar:wrong", "template", "does not accept this account or its password"),
        ("poor:poor", "template", "The database account lacks a right"),
        ("poor:poor", "not_there", "The database account lacks a right"),
    ],
)
def test_account_without_rights(
    account: str, name: str, wanted: str, database_url: str, mariadb_server: MariaDb,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    mariadb_server.root("CREATE OR REPLACE USER poor@'127.0.0.1' IDENTIFIED BY 'poor'")
    try:
        message = error_of(f"mysql://{account}@127.0.0.1:{mariadb_server.port}/{name}", monkeypatch, capsys)
    finally:
        mariadb_server.root("DROP USER poor@'127.0.0.1'")

    assert wanted in message
    assert "It says: Access denied for user" in message
    assert "(104" not in message


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (pymysql.err.OperationalError(1040, "Too many connections"), "no connection left"),
        (pymysql.err.OperationalError(1290, "read-only"), "name the writable one first"),
        (pymysql.err.OperationalError(1047, "not yet prepared"), "majority of its cluster"),
        (pymysql.err.OperationalError(1049, "Unknown database 'x'"), "`calendar-api migrate`"),
        (pymysql.err.InternalError(4999, "Something new."), "has refused this. It says: Something new."),
        (pymysql.err.InterfaceError(0, ""), "The database server has refused this."),
    ],
)
def test_each_error_has_a_sentence(error: Exception, wanted: str) -> None:
    assert wanted in mysql_errors.describe(error)
    assert str(error.args[0]) not in mysql_errors.describe(error) or error.args[0] == 0


def chained(error: ApiError, cause: BaseException) -> ApiError:
    error.__cause__ = cause
    return error


def test_unknown_outcome_of_a_commit_comes_first() -> None:
    error = chained(retry.CommitUnknown(), pymysql.err.OperationalError(2003, "Can't connect"))

    assert database.describe(error).startswith("The database was lost while storing")


def test_sqlite_errors_are_quoted(tmp_path: Path) -> None:
    error = chained(unusable(), sqlite3.OperationalError("disk I/O error"))

    assert database.describe(error) == "The database cannot be used: disk I/O error"


def test_reason_behind_a_failed_rollback_is_quoted() -> None:
    """SQLite itself rolls back when the disk is full, and so the rollback that follows fails."""
    failed = OperationalError("cannot rollback - no transaction is active")
    failed.__context__ = OperationalError("database or disk is full")

    assert database.describe(chained(StorageFull(), failed)).endswith("(database or disk is full)")


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("command", "prefix"),
    [
        ("user list", "calendar-api: "),
        ("check", "critical: "),
        ("copy --to mysql://a@127.0.0.1/b", "calendar-api: "),
    ],
)
def test_missing_driver_is_named_with_the_command_that_installs_it(
    command: str, prefix: str, database_url: str
) -> None:
    database.close_connection()
    url = database_url if command.startswith("copy") else "mysql://nobody@127.0.0.1:1/n"
    code = "sys.modules['pymysql'] = None; from calendar_api.commands import main; sys.exit(main.main())"
    done = servers.run(
        *command.split(),
        env=servers.environment(Path(), CALENDAR_DATABASE_URL=url),
        command=[sys.executable, "-c", f"import sys; {code}"],
    )

    first = (done.stdout or done.stderr).splitlines()[0]
    assert done.returncode == 1
    assert first == (f"{prefix}MySQL and MariaDB need one more package: run `pip install pymysql`.")
    assert "server" not in done.stdout + done.stderr
