"""MySQL and MariaDB: migrations that are interrupted, and by several processes at once."""

import multiprocessing
import os
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from calendar_api import database
from calendar_api.database import migrate
from calendar_api.database.mysql import migration_lock
from calendar_api.domain.errors import DatabaseUnavailable
from tests import mariadb
from tests.database.rows import value
from tests.mariadb import MariaDb

pytestmark = pytest.mark.mariadb


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
    with database.db.connection_context():
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
    assert applied == migrate.known_migrations()


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
        deadline = time.monotonic() + mariadb.PATIENCE
        while value("SELECT expires FROM migration_lock") == 1:
            assert time.monotonic() < deadline
            time.sleep(0.02)
