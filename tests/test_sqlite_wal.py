"""The -wal or -shm of a database in use is deleted, replaced or truncated: saved, or not acknowledged."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from calendar_api import database
from calendar_api.commands import CommandError, backup
from calendar_api.database.models import User
from calendar_api.domain.errors import DatabaseUnavailable
from tests.system import servers
from tests.templates import opened, path_of

pytestmark = pytest.mark.sqlite


def add(login: str) -> None:
    database.run_write(lambda: User.create(login=login, role="author", created_utc="2026-01-01 00:00:00"))


def logins() -> set[str]:
    return database.run_read(lambda: {user.login for user in User.select()})


def beside(database_url: str, suffix: str) -> Path:
    return Path(f"{path_of(database_url)}{suffix}")


def after_a_crash(database_url: str, folder: Path) -> set[str]:
    """What is found in copies of the files that have the names now."""
    for suffix in ("", "-wal"):
        if beside(database_url, suffix).exists():
            shutil.copy(beside(database_url, suffix), folder / f"copy{suffix}")
    with closing(opened(folder / "copy")) as connection:
        return {login for (login,) in connection.execute("SELECT login FROM user")}


@pytest.fixture
def thread(database_url: str) -> Iterator[ThreadPoolExecutor]:
    """Another thread with a connection of its own."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(logins).result()
        yield pool
        pool.submit(database.close_connection).result()


@pytest.mark.parametrize("suffixes", [("-wal",), ("-shm",), ("-wal", "-shm")], ids="+".join)
def test_write_after_a_deletion_is_stored(
    suffixes: tuple[str, ...], database_url: str, tmp_path: Path
) -> None:
    add("before")
    for suffix in suffixes:
        beside(database_url, suffix).unlink()

    add("after")

    assert {"before", "after"} <= after_a_crash(database_url, tmp_path)
    assert {"before", "after"} <= logins()


def test_deletion_during_a_write_is_noticed_before_the_answer(database_url: str, tmp_path: Path) -> None:
    def work() -> None:
        User.create(login="during", role="author", created_utc="2026-01-01 00:00:00")
        beside(database_url, "-wal").unlink()

    database.run_write(work)

    assert "during" in after_a_crash(database_url, tmp_path)


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_every_thread_opens_its_connection_again(
    suffix: str, database_url: str, thread: ThreadPoolExecutor, tmp_path: Path
) -> None:
    """All connections of a process share one -shm: a new one is only used when all of them are closed."""
    add("before")
    beside(database_url, suffix).unlink()

    stored, refused = {"before"}, []
    for number in range(2):
        for use in (add, lambda login: thread.submit(add, login).result()):
            try:
                use(f"after{number}-{len(stored)}-{len(refused)}")
                stored.add(f"after{number}-{len(stored)}-{len(refused)}")
            except DatabaseUnavailable as error:
                refused.append(str(error.__cause__))

    assert len(refused) == (1 if suffix == "-shm" else 0)
    assert thread.submit(logins).result() == logins()
    assert len(logins() & stored) == len(after_a_crash(database_url, tmp_path) & stored) >= 3


def test_truncated_log_takes_no_more_writes(database_url: str) -> None:
    add("lost")
    with beside(database_url, "-wal").open("r+b") as file:
        file.truncate()

    for login in ("one", "two"):
        with pytest.raises(DatabaseUnavailable) as caught:
            add(login)
        assert "was truncated" in str(caught.value.__cause__)


def test_checkpoint_of_another_process_is_no_truncation(database_url: str) -> None:
    add("before")
    with closing(opened(path_of(database_url))) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    add("after")

    assert {"before", "after"} <= logins()


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_check_reports_what_is_missing(suffix: str, database_url: str) -> None:
    add("before")
    beside(database_url, suffix).unlink()

    result = servers.run("check", env=servers.environment(path_of(database_url)))

    assert result.returncode == 1
    assert "was deleted while the service uses it" in result.stdout
    add("after")
    assert {"before", "after"} <= logins()


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_leftover_of_a_crash_is_taken_up(suffix: str, database_url: str) -> None:
    """One of the two files alone, and nobody who uses the database."""
    add("before")
    kept = beside(database_url, "-wal").read_bytes()
    database.close_connection()
    beside(database_url, suffix).write_bytes(kept if suffix == "-wal" else bytes(32768))

    add("after")

    assert {"before", "after"} <= logins()


def test_backup_is_not_made_without_the_last_writes(database_url: str, tmp_path: Path) -> None:
    add("before")
    for suffix in ("-wal", "-shm"):
        beside(database_url, suffix).unlink()

    with pytest.raises(CommandError) as caught:
        backup.save(database_url, tmp_path / "copy", force=False)

    assert "was deleted while the service uses it" in str(caught.value)
