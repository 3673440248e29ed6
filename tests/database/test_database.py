"""Connections, transactions, forks and errors."""

import importlib
import multiprocessing
import os
import re
import stat
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from calendar_api import database
from calendar_api.database import migrate
from calendar_api.database.models import User
from calendar_api.database.sqlite import database_file
from calendar_api.database.sqlite.driver import sqlite3
from tests.database.rows import add, logins
from tests.templates import opened, path_of


def add_and_fail(*logins: str) -> None:
    with database.write():
        for login in logins:
            add(login)
        raise ZeroDivisionError


def add_nested_and_fail(inner: str, outer: str) -> None:
    with database.write():
        with database.write():
            add(inner)
        add_and_fail(outer)


@pytest.mark.sqlite
def test_pragmas_are_in_effect(database_url: str) -> None:
    expected = {
        "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5000,
        "trusted_schema": 0, "cell_size_check": 1, "application_id": database_file.APPLICATION_ID,
        "wal_autocheckpoint": database_file.CHECKPOINT_PAGES,
    }  # fmt: skip

    with database.db.connection_context():
        assert {name: database.db.pragma(name) for name in expected} == expected


def test_new_database_belongs_to_its_user_alone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new/calendar.sqlite3"
    database.bind(url)

    migrate.migrate()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new").iterdir()}
    database.close_connection()

    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert modes["calendar.sqlite3"] == 0o600
    assert set(modes.values()) == {0o600}


def test_wsgi_opens_no_connection_when_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALENDAR_DATABASE_URL", f"sqlite:///{tmp_path}/calendar.sqlite3")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    monkeypatch.delitem(sys.modules, "wsgi", raising=False)

    importlib.import_module("wsgi")

    assert database.db.is_closed()
    assert list(tmp_path.iterdir()) == []


def test_child_of_a_fork_uses_a_connection_of_its_own_and_closes_no_other(database_url: str) -> None:
    database.close_connection()

    status = spawned(_fork_while_reading, database_url)

    assert status == 0
    assert logins()[-1] == "child"


def spawned(target: Callable[..., object], *arguments: object) -> int | None:
    """Run in a process of its own, which has one thread only and so may fork; its exit status."""
    process = multiprocessing.get_context("spawn").Process(target=target, args=arguments)
    process.start()
    process.join(timeout=60)
    return process.exitcode


def _fork_while_reading(url: str) -> None:
    database.bind(url)
    with database.read():
        users, mine = User.select().count(), database.db.connection()
        child = os.fork()
        if child == 0:
            os._exit(0 if _close_in_child(mine) and _write_in_child(mine) else 1)
        _, status = os.waitpid(child, 0)
        unharmed = database.db.connection() is mine and User.select().count() == users
    sys.exit(0 if unharmed and status == 0 else 1)


def _close_in_child(inherited: Any) -> bool:
    """Whether closing leaves the connection of the parent open."""
    database.close_connection()
    cursor = inherited.cursor()
    cursor.execute("SELECT 1")
    return database.db.is_closed() and bool(cursor.fetchone())


def _write_in_child(inherited: object) -> bool:
    with database.write():
        own = database.db.connection()
        add("child")
    database.close_connection()
    return own is not inherited


def test_writers_that_read_first_lose_nothing(database_url: str) -> None:
    with database.write():
        add("0")
    database.close_connection()
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_count, args=(database_url, 10)) for _ in range(4)]

    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=60)

    assert [process.exitcode for process in processes] == [0, 0, 0, 0]
    assert logins()[-1] == "40"


def _count(url: str, times: int) -> None:
    database.bind(url)
    for _ in range(times):
        with database.write():
            user = User.select().order_by(User.id.desc()).get()
            User.update(login=str(int(user.login) + 1)).where(User.id == user.id).execute()
    database.close_connection()


@pytest.mark.sqlite
def test_write_takes_the_lock_at_its_beginning(database_url: str) -> None:
    other = opened(path_of(database_url), 0)

    with database.write(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")
    other.execute("BEGIN IMMEDIATE")
    other.close()


def test_read_is_one_snapshot(database_url: str) -> None:
    def elsewhere() -> None:
        with database.write():
            add("other")
        database.close_connection()

    with database.read():
        before = User.select().count()
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        during = User.select().count()

    assert during == before
    assert len(logins()) == before + 1


def test_nested_write_is_part_of_the_outer_one_and_fails_alone(database_url: str) -> None:
    before = logins()

    with pytest.raises(ZeroDivisionError):
        add_nested_and_fail("inner", "outer")
    assert logins() == before

    with database.write():
        add("kept")
        with pytest.raises(ZeroDivisionError):
            add_and_fail("gone")
    assert logins() == [*before, "kept"]


@pytest.mark.sqlite
def test_schema_change_that_leaves_dangling_references_is_refused(database_url: str) -> None:
    orphan = "INSERT INTO search_text (record_id, field, folded) VALUES (7, 'all', '')"

    with pytest.raises(Exception, match="dangling references"), database.schema_change():
        database.db.execute_sql(orphan)

    with database.read():
        assert database.db.pragma("foreign_keys") == 1
        assert database.db.execute_sql("SELECT count(*) FROM search_text").fetchone() == (0,)


def test_programming_error_is_not_translated() -> None:
    error = ZeroDivisionError()

    assert database.translate(error) is error


BEGINS = re.compile(
    r"\batomic\(|\.connection\(|\.connect\(|\.begin\(|\.transaction\("
    r"|\.execute\w*\(\s*\w?\"BEGIN|\bBEGIN IMMEDIATE"
)


def test_only_this_package_begins_transactions() -> None:
    package = Path(database.__file__).parent
    others = [path for path in package.parent.rglob("*.py") if package not in path.parents]

    assert len(others) > 40
    assert [path.name for path in others if BEGINS.search(path.read_text("utf-8"))] == []
    assert BEGINS.search((package / "sqlite" / "engine.py").read_text("utf-8"))


@pytest.mark.parametrize("revises", [True, False])
def test_writes_wait_for_each_other_with_or_without_a_new_revision(database_url: str, revises: bool) -> None:
    order, inside, may_end = [], threading.Event(), threading.Event()

    def first() -> None:
        def work() -> None:
            inside.set()
            may_end.wait(timeout=30)
            order.append("first")

        database.run_write(work, revises=revises)
        database.close_connection()

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait(timeout=30)
    threading.Timer(0.2, may_end.set).start()
    database.run_write(lambda: order.append("second"), revises=not revises)
    thread.join()

    assert order == ["first", "second"]


def test_only_writes_with_revises_raise_the_revision(database_url: str) -> None:
    def number() -> int:
        with database.read():
            return int(database.db.execute_sql("SELECT number FROM revision").fetchone()[0])

    before = number()
    for at, revises in enumerate((True, False, True, False, False)):
        database.run_write(partial(add, f"user {at}"), revises=revises)

    assert number() == before + 2
    assert {f"user {at}" for at in range(5)} <= set(logins())
