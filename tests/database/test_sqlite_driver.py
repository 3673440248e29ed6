"""Errors and locks of the SQLite driver, of Python or of the package pysqlite3; only one of them is used.

`make test` runs this file and some others a second time with pysqlite3.
"""

import ast
import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from calendar_api.database.sqlite import driver
from calendar_api.database.sqlite.driver import sqlite3
from tests.templates import opened

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a %20b?.sqlite3"


@pytest.fixture
def connection(path: Path) -> Iterator[Any]:
    made = opened(path)
    made.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, n INTEGER CHECK (n < 9)) STRICT")
    yield made
    made.close()


def test_library_is_the_one_of_the_extra_where_that_is_installed() -> None:
    extra = importlib.util.find_spec("pysqlite3") is not None

    assert driver.NAME.endswith("of the package pysqlite3" if extra else "of Python")
    assert (import_module("sqlite3").sqlite_version == driver.TEXT) is not extra
    assert not extra or driver.is_sound(driver.VERSION)


def locked(connection: Any, path: Path) -> None:
    other = opened(path, 0)
    try:
        connection.execute("BEGIN IMMEDIATE")
        other.execute("BEGIN IMMEDIATE")
    finally:
        other.close()
        connection.execute("ROLLBACK")


def read_only(connection: Any, path: Path) -> None:
    connection.execute("PRAGMA query_only = 1")
    connection.execute("DELETE FROM t")


def full(connection: Any, path: Path) -> None:
    connection.execute("PRAGMA max_page_count = 4")
    connection.execute("INSERT INTO t (name) VALUES (?)", ("x" * 100_000,))


def no_database(connection: Any, path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"no database" * 1000)
    found = opened(other)
    try:
        found.execute("PRAGMA user_version")
    finally:
        found.close()


Failing = Callable[[Any, Path], object]


@pytest.mark.parametrize(
    ("work", "kind", "name", "words"),
    [
        (lambda c, _: c.execute("SELEC"), sqlite3.OperationalError, "SQLITE_ERROR", "syntax error"),
        (lambda c, _: c.execute("COMMIT"), sqlite3.OperationalError, "SQLITE_ERROR", "no transaction"),
        (
            lambda c, _: [c.execute("INSERT INTO t (name) VALUES ('a')") for _ in "ab"],
            sqlite3.IntegrityError, "SQLITE_CONSTRAINT_UNIQUE", "UNIQUE constraint failed: t.name",
        ),
        (
            lambda c, _: c.execute("INSERT INTO t (n) VALUES (10)"),
            sqlite3.IntegrityError, "SQLITE_CONSTRAINT_CHECK", "n < 9",
        ),
        (
            lambda c, _: c.execute("INSERT INTO t (id) VALUES ('a')"),
            sqlite3.IntegrityError, "SQLITE_MISMATCH", "mismatch",
        ),
        (locked, sqlite3.OperationalError, "SQLITE_BUSY", "locked"),
        (read_only, sqlite3.OperationalError, "SQLITE_READONLY", "readonly"),
        (full, sqlite3.OperationalError, "SQLITE_FULL", "full"),
        (no_database, sqlite3.DatabaseError, "SQLITE_NOTADB", "not a database"),
        (
            lambda c, path: driver.connect(f"file:{path.parent}/none?mode=rw", 0),
            sqlite3.OperationalError, "SQLITE_CANTOPEN", "unable to open",
        ),
    ],
)  # fmt: skip
def test_error_has_its_class_its_name_and_its_words(
    work: Failing, kind: type[sqlite3.Error], name: str, words: str, connection: Any, path: Path
) -> None:
    with pytest.raises(sqlite3.Error, match=words) as caught:
        work(connection, path)

    assert type(caught.value) is kind
    primary = "_".join(name.split("_")[:2])
    assert caught.value.sqlite_errorname in (name, primary)  # pysqlite3 does not tell them apart
    assert caught.value.sqlite_errorcode & 0xFF == getattr(sqlite3, primary)


# -- one library in a process


def direct_imports(source: str) -> list[str]:
    """Return the imports of a SQLite module in a source."""
    if "sqlite3" not in source:
        return []
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return [
        name for name in found if {"sqlite3", "pysqlite3"} & set(name.split(".")) and "driver" not in name
    ]


def test_only_one_module_chooses_the_library() -> None:
    choosing = {
        path.name for path in (ROOT / "calendar_api").rglob("*.py") if direct_imports(path.read_text("utf-8"))
    }

    assert choosing == {"driver.py"}


def test_guard_finds_other_imports() -> None:
    other = ("import sqlite3", "from sqlite3 import connect", "from pysqlite3 import dbapi2")

    assert all(direct_imports(source) for source in (*other, "from peewee import sqlite3"))
    assert direct_imports("from calendar_api.database.sqlite.driver import sqlite3") == []


LIFE = """
import sys

opened = []
sys.addaudithook(lambda event, arguments: opened.append(event) if event == "sqlite3.connect" else None)

from calendar_api.commands import main
from calendar_api.database.sqlite import driver

for command in ("migrate", "user add ann --role administrator", "check", "backup copy", "restore copy --yes",
                "purge", "copy --to sqlite:///other"):
    main.main(command.split())
assert bool(opened) is (driver.sqlite3.__name__ == "sqlite3"), opened
"""


def test_a_process_uses_one_library_whatever_it_does(tmp_path: Path) -> None:
    """Python's own raises an audit event for each connection; pysqlite3 does not."""
    command = [sys.executable, "-c", LIFE]
    env = {
        "PATH": "",
        "CALENDAR_DATABASE_URL": "sqlite:///here",
        "PYTHONPATH": ":".join(filter(None, sys.path)),
    }
    ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stderr
    assert {"here", "copy", "other"} <= {path.name for path in tmp_path.iterdir()}
