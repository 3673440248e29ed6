"""The -wal or -shm of a running service is deleted or replaced: nothing acknowledged is lost.

Two processes of several threads, under load, killed with -9 in the end.
"""

import os
import signal
from pathlib import Path

import pytest

from tests.faults import disks
from tests.system.load import Found, Load, found

pytestmark = pytest.mark.system

#: What is put in the place of which file; None deletes it.
FAULTS: dict[str, dict[str, bytes | None]] = {
    "delete wal": {"-wal": None},
    "delete shm": {"-shm": None},
    "delete both": {"-wal": None, "-shm": None},
    "replace wal": {"-wal": b"another file" * 1000},
    "replace shm": {"-shm": bytes(32768)},
}
#: Those of `make test`; tests/test_sqlite_wal.py has all of them in one process.
SHORT = ("delete both", "replace wal")


def spoil(database: Path, files: dict[str, bytes | None]) -> None:
    for suffix, content in files.items():
        path = database.with_name(database.name + suffix)
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.with_name("other").write_bytes(content)
            path.with_name("other").replace(path)


def run(files: dict[str, bytes | None], folder: Path, fault: str = "") -> tuple[Found, set[str], str]:
    """What is stored after three faults under load and a kill -9, the statuses seen, and the log."""
    with disks.serving(folder, fault=fault) as service:
        with Load(service.server) as load:
            for _ in range(3):
                load.more(30)
                spoil(service.database, files)
            load.more(60)
            for pid in (service.server.process.pid, *service.server.workers()):
                os.kill(pid, signal.SIGKILL)
            service.server.process.wait(60)
        output = service.server.output
    statuses = {status for status in load.seen if status.isdigit()}
    return found(service.database, load.acknowledged, load.tried), statuses, output


@pytest.mark.parametrize(
    "name", [name if name in SHORT else pytest.param(name, marks=pytest.mark.long) for name in FAULTS]
)
def test_nothing_acknowledged_is_lost(name: str, tmp_path: Path) -> None:
    result, statuses, output = run(FAULTS[name], tmp_path)

    assert result.faults == [], result.figures
    assert statuses <= {"201", "503"}
    assert "while the service used it" in output


def test_harness_finds_a_service_that_does_not_look(tmp_path: Path) -> None:
    """In one of three runs at the latest: a checkpoint just before the end loses nothing."""
    lost = []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        lost += run(FAULTS["delete both"], folder, fault="nowal")[0].lost

    assert lost != []
