"""A disk that fails again and again gets a probe instead of work; some room is kept for when it is full."""

import logging
import sqlite3
import stat
from pathlib import Path

import pytest

from calendar_api import database
from calendar_api.database.models import User
from calendar_api.database.sqlite import disk
from calendar_api.domain.errors import BodyTooLarge, DatabaseUnavailable
from calendar_api.resources import health
from tests.command_line import Run
from tests.templates import path_of

RESERVE = disk.RESERVE


def failing(name: str = "SQLITE_IOERR_FSYNC") -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = name
    raise error


def write(name: str) -> None:
    with pytest.raises(DatabaseUnavailable), database.write():
        failing(name)


def revision() -> int:
    with database.read():
        return int(database.db.execute_sql("SELECT number FROM revision").fetchone()[0])


@pytest.mark.sqlite
def test_third_failure_in_a_row_is_told_and_the_next_write_probes_first(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    write("SQLITE_IOERR_FSYNC")
    write("SQLITE_IOERR_WRITE")
    assert health.state()[1] != "disk_failing"
    write("SQLITE_IOERR_WRITE")

    assert health.state() == ("degraded", "disk_failing")
    before = revision()
    with database.write():
        User.create(login="stored", role="author", created_utc="2026-01-01 00:00:00")

    assert revision() == before + 2  # the probe, and the write
    assert health.state()[1] != "disk_failing"
    assert [record.levelname for record in caplog.records] == ["CRITICAL", "WARNING"]


@pytest.mark.sqlite
@pytest.mark.parametrize("between", ["stored", "refused"])
def test_only_failures_in_a_row_count(between: str, database_url: str) -> None:
    for _ in range(2):
        write("SQLITE_IOERR_FSYNC")
    if between == "stored":
        with database.write():
            pass
    else:
        with pytest.raises(BodyTooLarge), database.write():
            raise BodyTooLarge(1)
    write("SQLITE_IOERR_FSYNC")

    assert (health.state()[1] == "disk_failing") is (between == "refused")


@pytest.mark.sqlite
@pytest.mark.parametrize("name", ["SQLITE_BUSY", "SQLITE_READONLY", "SQLITE_CORRUPT", "SQLITE_CANTOPEN"])
def test_other_errors_say_nothing_about_the_disk(name: str, database_url: str) -> None:
    for _ in range(4):
        write(name)

    assert health.state()[1] != "disk_failing"


@pytest.mark.sqlite
def test_migrate_keeps_a_reserve_and_check_releases_it(run: Run, database_url: str) -> None:
    path = path_of(database_url)
    reserve = path.with_name(path.name + "-reserve")
    without = run("check")[1]

    run("migrate")
    kept = reserve.stat()
    run("migrate")
    same = reserve.stat().st_ino == kept.st_ino
    checked = run("check")[1]
    released = run("check", "--make-room")[1].splitlines()[0]
    again = run("check", "--make-room")[1].splitlines()[0]

    assert (kept.st_size, stat.S_IMODE(kept.st_mode), kept.st_blocks * 512 >= RESERVE) == (
        RESERVE,
        0o600,
        True,
    )
    assert (same, reserve.exists()) == (True, False)
    assert "No room is kept for deletions" in without
    assert "No room is kept for deletions" not in checked
    assert (released, again) == (
        f"released {RESERVE} bytes",
        "there was nothing kept that could be released",
    )


@pytest.mark.sqlite
def test_reserve_follows_no_link_and_replaces_nothing(database_url: str, tmp_path: Path) -> None:
    path = path_of(database_url)
    disk.reserve_of(path).symlink_to(tmp_path / "elsewhere")

    database.keep_reserve()

    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.mariadb
def test_a_server_has_no_reserve_of_ours(run: Run) -> None:
    assert run("check", "--make-room")[1].startswith("there was nothing kept")
