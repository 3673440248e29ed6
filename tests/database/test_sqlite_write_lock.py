"""The gate for writers: one at a time, in order, over threads and processes, given back by the dead."""

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

from calendar_api.database.sqlite import queue, write_lock
from calendar_api.database.sqlite.write_lock import WriteLock
from calendar_api.domain.errors import DatabaseUnavailable, StorageFull

HOLDER = """
import fcntl, os, sys, time
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
fcntl.flock(fd, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "calendar.sqlite3"
    path.touch(0o640)
    return path


@contextmanager
def held_elsewhere(gate: WriteLock) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(gate.path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        try:
            yield holder
        finally:
            holder.kill()


def test_gate_is_a_file_beside_the_database_with_its_permissions(database: Path) -> None:
    with WriteLock(database).held(1):
        pass

    gate = database.with_name("calendar.sqlite3-gate")
    assert stat.S_IMODE(gate.stat().st_mode) == 0o640
    assert gate.stat().st_uid == database.stat().st_uid


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write for another user")
def test_gate_that_root_makes_belongs_to_the_owner_of_the_database(database: Path) -> None:
    os.chown(database, 1234, 2345)

    with WriteLock(database).held(1):
        pass

    found = database.with_name("calendar.sqlite3-gate").stat()
    assert (found.st_uid, found.st_gid) == (1234, 2345)


def test_holder_keeps_others_out_and_patience_ends(database: Path) -> None:
    gate = WriteLock(database)

    with (
        held_elsewhere(gate),
        pytest.raises(DatabaseUnavailable, match="busy") as caught,
        gate.held(0.05),
    ):
        pytest.fail("two in the gate")

    assert caught.value.headers == {"Retry-After": "1"}


def test_killed_holder_gives_the_gate_back(database: Path) -> None:
    gate = WriteLock(database)

    with held_elsewhere(gate) as holder:
        threading.Timer(0.1, holder.send_signal, (signal.SIGKILL,)).start()
        with gate.held(60) as left:
            assert 0 < left < 60


def test_place_in_the_queue_is_kept_by_whoever_comes_next(database: Path) -> None:
    gate = WriteLock(database)

    with held_elsewhere(gate):
        for _ in range(5):
            with pytest.raises(DatabaseUnavailable), gate.held(0.01):
                pass
        waiting = [thread for thread in threading.enumerate() if thread.name == "write gate"]
    with gate.held(10):
        pass

    assert len(waiting) == 1


def test_gate_that_comes_when_nobody_waits_any_more_is_given_back(database: Path) -> None:
    gate = WriteLock(database)

    with held_elsewhere(gate):
        with pytest.raises(DatabaseUnavailable), gate.held(0.01):
            pass
        waiting = [thread for thread in threading.enumerate() if thread.name == "write gate"]
    for thread in waiting:
        thread.join(60)

    with gate.path.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_threads_come_in_the_order_of_their_arrival(database: Path) -> None:
    gate = WriteLock(database)
    came: list[int] = []

    def come(number: int) -> None:
        with gate.held(60):
            came.append(number)

    threads = [threading.Thread(target=come, args=(number,)) for number in range(8)]
    with gate.held(60):
        for number, thread in enumerate(threads):
            thread.start()
            while len(gate._line._waiting) <= number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()

    assert came == list(range(8))


def waiting_elsewhere() -> bool:
    return any(thread.name == "write gate" for thread in threading.enumerate())


def test_who_comes_back_at_once_comes_after_who_waits(database: Path) -> None:
    """Two gates are as two processes: each opens the file for itself."""
    one, other = WriteLock(database), WriteLock(database)
    came: list[str] = []

    def come() -> None:
        with other.held(60):
            came.append("other")

    for _ in range(100):
        with one.held(60):
            thread = threading.Thread(target=come)
            thread.start()
            while not waiting_elsewhere():
                time.sleep(0.001)
        with one.held(60):
            came.append("one")
        thread.join()

    assert came == ["other", "one"] * 100


def test_processes_come_in_the_order_of_their_arrival(database: Path) -> None:
    gates = [WriteLock(database) for _ in range(8)]
    came: list[int] = []

    def come(number: int) -> None:
        with gates[number].held(60):
            came.append(number)

    threads = [threading.Thread(target=come, args=(number,)) for number in range(8)]
    with WriteLock(database).held(60):
        for number, thread in enumerate(threads):
            thread.start()
            while sum(one.name == "write gate" for one in threading.enumerate()) <= number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()

    assert came == list(range(8))


WAITING = """
import sys, threading, time
from pathlib import Path
from calendar_api.database.sqlite.write_lock import WriteLock as Gate

def tell():
    while all(thread.name != "write gate" for thread in threading.enumerate()):
        time.sleep(0.001)
    print("waiting", flush=True)

threading.Thread(target=tell).start()
with Gate(Path(sys.argv[1])).held(60):
    print("in", flush=True)
"""


def test_who_is_killed_in_the_queue_stops_nobody(database: Path) -> None:
    came = []

    def come() -> None:
        with WriteLock(database).held(60):
            came.append("behind")

    with WriteLock(database).held(60):
        with subprocess.Popen(
            [sys.executable, "-c", WAITING, str(database)], stdout=subprocess.PIPE, text=True
        ) as waiting:
            assert waiting.stdout is not None
            assert waiting.stdout.readline() == "waiting\n"
            thread = threading.Thread(target=come)
            thread.start()
            while not waiting_elsewhere():
                time.sleep(0.001)
            waiting.kill()
        assert came == []
    thread.join(60)

    assert came == ["behind"]


def test_who_is_stopped_in_the_queue_stops_nobody(database: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WAITING, str(database)], stdout=subprocess.PIPE, text=True
    ) as waiting:
        assert waiting.stdout is not None
        try:
            with WriteLock(database).held(60):
                assert waiting.stdout.readline() == "waiting\n"
                waiting.send_signal(signal.SIGSTOP)
                os.waitid(os.P_PID, waiting.pid, os.WSTOPPED | os.WNOWAIT)
            gate = WriteLock(database)
            for _ in range(3):
                with gate.held(2):
                    pass
        finally:
            waiting.send_signal(signal.SIGCONT)
        assert waiting.stdout.readline() == "in\n"
    with gate.held(10):
        pass


def refuse(*_: object) -> None:
    raise OSError(errno.EINVAL, "")


@pytest.mark.parametrize(("name", "there"), [("_SET", None), ("_lock", refuse)])
def test_without_a_queue_the_gate_is_there_all_the_same(
    database: Path, monkeypatch: pytest.MonkeyPatch, name: str, there: object
) -> None:
    monkeypatch.setattr(queue, name, there)
    gate = WriteLock(database)

    with held_elsewhere(gate), pytest.raises(DatabaseUnavailable), gate.held(0.05):
        pytest.fail("two in the gate")
    for _ in range(2):
        with gate.held(10):
            pass


def test_place_in_the_queue_is_not_left_to_a_child(database: Path) -> None:
    with WriteLock(database).held(1):
        child = os.fork()
        if child == 0:
            signal.pause()
    try:
        with WriteLock(database).held(10):
            pass
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def no_thread(_: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_who_cannot_wait_leaves_no_place_in_the_queue(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held_elsewhere(WriteLock(database)), monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(DatabaseUnavailable, match="busy") as caught, WriteLock(database).held(5):
            pytest.fail("two in the gate")
        traceback = caught.value.__traceback__  # as long as somebody keeps what is in the frames

    with WriteLock(database).held(1):
        assert traceback is not None


def test_thread_that_gave_up_does_not_stop_the_others(database: Path) -> None:
    gate = WriteLock(database)
    refused: list[str] = []

    def give_up() -> None:
        try:
            with gate.held(0.01):
                pass
        except DatabaseUnavailable as error:
            refused.append(error.code)

    with gate.held(60):
        thread = threading.Thread(target=give_up)
        thread.start()
        thread.join()
    with gate.held(1):
        pass

    assert len(refused) == 1


def test_child_of_a_fork_waits_in_a_line_of_its_own(database: Path) -> None:
    script = """
import os, sys
from pathlib import Path
from calendar_api.database.sqlite.write_lock import WriteLock as Gate
gate = Gate(Path(sys.argv[1]))
with gate.held(1):
    child = os.fork()
    if child == 0:
        try:
            with gate.held(0.05):
                os._exit(1)  # it is the parent's
        except Exception:
            pass
        os._exit(0)
    status = os.waitpid(child, 0)[1]
child = os.fork()
if child == 0:
    with gate.held(5):
        os._exit(0)
sys.exit(status or os.waitpid(child, 0)[1])
"""

    assert subprocess.run([sys.executable, "-c", script, str(database)], check=False).returncode == 0


@pytest.mark.parametrize(
    ("number", "meaning"),
    [(errno.ENOSPC, StorageFull), (errno.EROFS, DatabaseUnavailable), (errno.EMFILE, DatabaseUnavailable)],
)
def test_gate_that_cannot_be_made_has_a_meaning(number: int, meaning: type[Exception]) -> None:
    assert isinstance(write_lock._meaning(OSError(number, "")), meaning)


def test_gate_in_the_place_of_a_link_is_refused(database: Path, tmp_path: Path) -> None:
    database.with_name("calendar.sqlite3-gate").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(DatabaseUnavailable), WriteLock(database).held(1):
        pass

    assert not (tmp_path / "elsewhere").exists()
