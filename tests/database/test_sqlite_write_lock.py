"""The write lock: one holder at a time, fair between threads and processes, released when a process dies."""

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from calendar_api.database.sqlite import write_lock
from calendar_api.database.sqlite.write_lock import SUFFIX, WriteLock
from calendar_api.domain.errors import DatabaseUnavailable, StorageFull

HOLDER = """
import fcntl, os, sys, time
for path in sys.argv[1:]:
    fcntl.flock(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "calendar.sqlite3"
    path.touch(0o640)
    return path


@pytest.fixture
def lock(database: Path) -> WriteLock:
    return WriteLock(database)


def wait_for_arrival(path: Path, since: int) -> None:
    """Wait until a process has queued for the lock after `since` (time.monotonic_ns)."""
    with path.open("r+") as file:
        while (
            write_lock._byte_lock(
                "F_OFD_GETLK", file.fileno(), fcntl.F_WRLCK, since, time.monotonic_ns() - since
            )
            == fcntl.F_UNLCK
        ):
            time.sleep(0.001)


@contextmanager
def held_elsewhere(*paths: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process holds these lock files."""
    command = [sys.executable, "-c", HOLDER, *map(str, paths)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        try:
            yield holder
        finally:
            holder.kill()


def test_lock_file_has_the_permissions_of_the_database(database: Path, lock: WriteLock) -> None:
    with lock.hold(1):
        pass

    found = database.with_name(database.name + SUFFIX).stat()
    assert stat.S_IMODE(found.st_mode) == 0o640
    assert found.st_uid == database.stat().st_uid


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write for another user")
def test_lock_file_that_root_creates_belongs_to_the_owner_of_the_database(
    database: Path, lock: WriteLock
) -> None:
    os.chown(database, 1234, 2345)

    with lock.hold(1):
        pass

    found = database.with_name(database.name + SUFFIX).stat()
    assert (found.st_uid, found.st_gid) == (1234, 2345)


def test_lock_held_elsewhere_times_out(lock: WriteLock) -> None:
    with (
        held_elsewhere(lock.path),
        pytest.raises(DatabaseUnavailable, match="busy") as caught,
        lock.hold(0.05),
    ):
        pytest.fail("two holders")

    assert caught.value.headers == {"Retry-After": "1"}


def test_lock_of_a_killed_process_is_released(lock: WriteLock) -> None:
    with held_elsewhere(lock.path) as holder:
        threading.Timer(0.1, holder.send_signal, (signal.SIGKILL,)).start()
        with lock.hold(60) as left:
            assert 0 < left < 60


def test_process_that_stopped_while_it_waits_delays_others_only(database: Path, lock: WriteLock) -> None:
    with lock.hold(1):
        pass
    with lock.path.open("r+") as stopped:
        write_lock._byte_lock("F_OFD_SETLK", stopped.fileno(), fcntl.F_WRLCK, 1, 1)

        with lock.hold(1) as left:
            assert 0 < left <= 0.2


def order_of(holder: WriteLock, waiting: list[tuple[WriteLock, str]]) -> list[str]:
    """The names in the order in which they get the lock; each waits before the next one does."""
    order: list[str] = []

    def write(lock: WriteLock, name: str) -> None:
        with lock.hold(60):
            order.append(name)

    threads = [threading.Thread(target=write, args=one) for one in waiting]
    with holder.hold(60):
        for (lock, _), thread in zip(waiting, threads, strict=True):
            since, queued = time.monotonic_ns(), len(lock._queue)
            thread.start()
            if lock is not holder:
                wait_for_arrival(holder.path, since)
            while lock is holder and len(lock._queue) == queued:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    return order


def test_threads_get_the_lock_in_order_of_arrival(lock: WriteLock) -> None:
    assert "".join(order_of(lock, [(lock, name) for name in "abcdefgh"])) == "abcdefgh"


def test_processes_get_the_lock_in_order_of_arrival(database: Path) -> None:
    """Several objects are like several processes: each opens the file for itself."""
    first, *others = (WriteLock(database) for _ in range(8))
    waiting = list(zip((*others, first), "bcdefgha", strict=True))

    assert "".join(order_of(WriteLock(database), waiting)) == "bcdefgha"


@pytest.mark.parametrize(("turn", "expected"), [(60, ["same", "other"]), (0, ["other", "same"])])
def test_threads_pass_the_lock_on_until_their_turn_ends(
    turn: float, expected: list[str], database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_lock, "TURN", turn)
    lock = WriteLock(database)

    assert order_of(lock, [(WriteLock(database), "other"), (lock, "same")]) == expected


WAITING = """
import sys
from pathlib import Path
from calendar_api.database.sqlite.write_lock import WriteLock
with WriteLock(Path(sys.argv[1])).hold(60):
    pass
"""


def test_process_that_is_killed_while_it_waits_delays_nobody(database: Path, lock: WriteLock) -> None:
    with WriteLock(database).hold(60):
        since = time.monotonic_ns()
        with subprocess.Popen([sys.executable, "-c", WAITING, str(database)]) as waiting:
            wait_for_arrival(lock.path, since)
            waiting.kill()

    with lock.hold(5) as left:
        assert left > 1  # only in the last second others are let past a process that waits


def test_lock_is_not_left_to_a_child(database: Path, lock: WriteLock) -> None:
    with lock.hold(1):
        child = os.fork()
        if child == 0:
            signal.pause()
    try:
        with WriteLock(database).hold(10):
            pass
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_thread_that_timed_out_does_not_block_others(lock: WriteLock) -> None:
    refused: list[str] = []

    def give_up() -> None:
        try:
            with lock.hold(0.01):
                pass
        except DatabaseUnavailable as error:
            refused.append(error.code)

    with lock.hold(60):
        thread = threading.Thread(target=give_up)
        thread.start()
        thread.join()
    with lock.hold(1):
        pass

    assert len(refused) == 1


def test_child_of_a_fork_has_a_queue_of_its_own(database: Path) -> None:
    script = """
import os, sys
from pathlib import Path
from calendar_api.database.sqlite import write_lock
from calendar_api.database.sqlite.write_lock import WriteLock
from calendar_api.domain.errors import DatabaseUnavailable
lock = WriteLock(Path(sys.argv[1]))
with lock.hold(1):
    child = os.fork()
    if child == 0:
        try:
            with lock.hold(0.05):
                os._exit(1)  # the parent holds it
        except DatabaseUnavailable:
            os._exit(0)
    status = os.waitpid(child, 0)[1]
child = os.fork()
if child == 0:
    with lock.hold(5):
        os._exit(0)
sys.exit(status or os.waitpid(child, 0)[1])
"""

    assert subprocess.run([sys.executable, "-c", script, str(database)], check=False).returncode == 0


@pytest.mark.parametrize(
    ("number", "expected"),
    [(errno.ENOSPC, StorageFull), (errno.EROFS, DatabaseUnavailable), (errno.EMFILE, DatabaseUnavailable)],
)
def test_lock_file_that_cannot_be_created(
    number: int, expected: type[Exception], lock: WriteLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise OSError(number, "")

    monkeypatch.setattr(os, "open", fail)

    with pytest.raises(expected), lock.hold(1):
        pass


def test_file_system_without_locks(lock: WriteLock, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own lock suffices there."""

    def fail(*_: object) -> None:
        raise OSError(errno.ENOLCK, "")

    monkeypatch.setattr(fcntl, "flock", fail)

    with lock.hold(1) as left:
        assert left > 0


def test_link_in_place_of_the_lock_file_is_refused(database: Path, lock: WriteLock, tmp_path: Path) -> None:
    database.with_name(database.name + SUFFIX).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(DatabaseUnavailable), lock.hold(1):
        pass

    assert not (tmp_path / "elsewhere").exists()
