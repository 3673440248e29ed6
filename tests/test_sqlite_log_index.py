"""Which revision the records are in, told from SQLite's index of the log while nothing is committed."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from calendar_api import database
from calendar_api.database import sqlite_log_index
from calendar_api.models import User
from tests.templates import opened, path_of

pytestmark = pytest.mark.sqlite

_TAKES_THE_LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    connection.execute("BEGIN IMMEDIATE")
except sqlite3.OperationalError as error:
    print(error)
else:
    print("taken")
"""


class Asked:
    """Counts the statements of this thread's connection."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def __call__(self, number: int = 1) -> list[tuple[object, int] | None]:
        """What `database.revision` says so often."""
        connection = database.db.connection()
        trace = getattr(connection, "set_trace_callback", None) or connection.set_exec_trace
        trace(self._note)
        found = [database.revision() for _ in range(number)]
        trace(None)
        return found

    def _note(self, *told: Any) -> bool:
        self.statements += [text for text in told if isinstance(text, str)]
        return True


@pytest.fixture
def asked(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    """On a connection that stays open, and has been asked often enough to know the index."""
    monkeypatch.setattr(sqlite_log_index, "MOST", 10_000)
    with database.connected():
        made = Asked()
        made(30)
        made.statements.clear()
        yield made


def write_elsewhere(url: str) -> int:
    """A commit through a connection that we know nothing of; the number that it leaves."""
    with closing(opened(path_of(url))) as connection:
        connection.execute("UPDATE revision SET number = number + 1")
        return int(connection.execute("SELECT number FROM revision").fetchone()[0])


def number(found: Any) -> int:
    return int(found[1])


def test_nothing_is_asked_while_nothing_is_written(asked: Asked) -> None:
    found = asked(5)

    assert len(set(found)) == 1
    assert None not in found
    assert asked.statements == []


def test_every_commit_is_seen_at_once(asked: Asked, database_url: str) -> None:
    for turn in range(300):
        written = write_elsewhere(database_url)

        assert [number(found) for found in asked(2)] == [written] * 2
        if turn % 50 == 49:  # the log begins anew, and so does what counts its frames
            database.db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            assert [number(found) for found in asked(2)] == [written] * 2
    assert len(asked.statements) >= 300


def test_own_commit_is_seen_at_once(asked: Asked) -> None:
    before = number(asked()[0])
    with database.write():
        User.create(login="somebody", role="author", created_utc="2026-01-01 00:00:00")

    assert number(asked()[0]) == before + 1


def test_transaction_keeps_to_its_snapshot(asked: Asked, database_url: str) -> None:
    with database.read():
        [before] = asked()
        written = write_elsewhere(database_url)
        within = asked(3)

    assert within == [before] * 3
    assert number(asked()[0]) == written


def test_another_file_in_its_place_is_another_state(asked: Asked, database_url: str, tmp_path: Path) -> None:
    path = path_of(database_url)
    [before] = asked()
    with closing(opened(path)) as original:
        original.execute(f"VACUUM INTO '{tmp_path}/copy'")
    (tmp_path / "copy").replace(path)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink()

    after = database.revision()

    assert after is not None
    assert before is not None
    assert after[0] != before[0]


def test_looking_drops_no_lock(asked: Asked, database_url: str) -> None:
    """SQLite's locks belong to the process: closing any handle on the file would end them."""
    path = path_of(database_url)
    with database.write():
        sqlite_log_index._mapped.clear()
        sqlite_log_index.of(path)
        sqlite_log_index._mapped.clear()
        gc.collect()
        command = [sys.executable, "-c", _TAKES_THE_LOCK, str(path)]
        found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)

    assert found.stdout.strip() == "database is locked"


def test_index_is_opened_once(asked: Asked, database_url: str) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    found = {id(sqlite_log_index.of(path_of(database_url))) for _ in range(10)}

    assert len(found) == 1
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_no_more_are_opened_than_there_are_handles_for(
    asked: Asked, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_log_index, "MOST", len(sqlite_log_index._mapped))
    (tmp_path / "another-shm").write_bytes(bytes(32_768))

    assert sqlite_log_index.of(tmp_path / "another") is None
    assert sqlite_log_index.of(path_of(database_url)) is not None


@pytest.mark.parametrize("content", [None, b"", b"short"])
def test_what_is_no_index_is_left_alone(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "calendar.sqlite3-shm").write_bytes(content)

    assert sqlite_log_index.of(tmp_path / "calendar.sqlite3") is None


def test_index_of_a_link_is_that_of_the_file(asked: Asked, database_url: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(path_of(database_url))

    assert sqlite_log_index.of(tmp_path / "link") is sqlite_log_index.of(path_of(database_url))


_WHOLE = (3_007_000).to_bytes(4, sys.byteorder) + bytes(8) + b"\1" + bytes(35)


@pytest.mark.parametrize(
    ("found", "whole"),
    [
        (_WHOLE * 2, True),
        (_WHOLE + _WHOLE.replace(b"\0", b"\2"), False),  # somebody is at work
        ((_WHOLE[:12] + b"\0" + _WHOLE[13:]) * 2, False),
        ((b"\7" + _WHOLE[1:]) * 2, False),
    ],
)
def test_only_a_whole_header_is_believed(found: bytes, whole: bool) -> None:
    assert sqlite_log_index.settled(found) is whole
