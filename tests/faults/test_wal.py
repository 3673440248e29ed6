"""The -wal or -shm of a running service is deleted or replaced: nothing acknowledged is lost.

Two processes of several threads, under load, killed with -9 in the end.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults import disks, load
from tests.faults.load import Found, Load

pytestmark = pytest.mark.system


def files(database: Path, *suffixes: str) -> list[Path]:
    return [database.with_name(database.name + suffix) for suffix in suffixes]


def delete_wal(database: Path) -> None:
    for path in files(database, "-wal"):
        path.unlink(missing_ok=True)


def delete_shm(database: Path) -> None:
    for path in files(database, "-shm"):
        path.unlink(missing_ok=True)


def delete_both(database: Path) -> None:
    for path in files(database, "-wal", "-shm"):
        path.unlink(missing_ok=True)


def replace_wal(database: Path) -> None:
    for path in files(database, "-wal"):
        other = path.with_name("other")
        other.write_bytes(b"another file" * 1000)
        other.replace(path)


def replace_shm(database: Path) -> None:
    for path in files(database, "-shm"):
        other = path.with_name("other")
        other.write_bytes(bytes(32768))
        other.replace(path)


def run(fault: Callable[[Path], None], folder: Path, broken: str = "") -> tuple[Found, set[str], str]:
    """What is stored after three faults under load and a kill -9, the statuses seen, and the log."""
    with disks.serving(folder / "data", folder, broken=broken) as service:
        writers = Load(service.server.port, service.server.secret, folder / "acknowledged")
        for _ in range(3):
            writers.more(30)
            fault(service.database)
        writers.more(60)
        for pid in (service.server.process.pid, *service.server.workers()):
            os.kill(pid, signal.SIGKILL)
        service.server.process.wait(60)
        writers.end()
        output = service.server.output
    statuses = {status for status in writers.seen if status.isdigit()}
    return load.found(service.database, writers.acknowledged, writers.tried), statuses, output


@pytest.mark.parametrize("fault", [delete_wal, delete_shm, delete_both, replace_wal, replace_shm])
def test_nothing_acknowledged_is_lost(fault: Callable[[Path], None], tmp_path: Path) -> None:
    found, statuses, output = run(fault, tmp_path)

    assert found.faults == [], found.figures
    assert statuses <= {"201", "503"}
    assert "while the service used it" in output


def test_harness_finds_a_service_that_does_not_look(tmp_path: Path) -> None:
    """In one of three runs at the latest: a checkpoint just before the end loses nothing."""
    lost = []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        lost += run(delete_both, folder, broken="nowal")[0].lost

    assert lost != []
