"""64 processes write at once and none fails; without the write lock some fail or wait much longer."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import figures
from tests.system import servers

pytestmark = pytest.mark.system

WRITES = 100 if figures.LONG else 15


def writers(folder: Path, processes: int, writes: int, *switch: str) -> dict[str, Any]:
    folder.mkdir()
    database = folder / "calendar.sqlite3"
    servers.prepared(servers.environment(database))
    command = [sys.executable, "-m", "tests.faults.writers", str(database), str(processes), str(writes)]
    ran = subprocess.run(
        [*command, *switch], cwd=servers.CHECKOUT, capture_output=True, text=True, check=False, timeout=600
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def test_sixty_four_writers_never_fail(tmp_path: Path) -> None:
    found = writers(tmp_path / "lock", 64, WRITES)

    figures.keep("writers", **found)
    assert found["failed"] == 0
    assert found["stored"] == 64 * WRITES


def test_harness_finds_the_wait_without_the_lock(tmp_path: Path) -> None:
    """The control: with SQLite's own lock some writers time out, or wait much longer than most."""
    with_lock = writers(tmp_path / "lock", 64, WRITES)
    without = writers(tmp_path / "nolock", 64, WRITES, "nolock")

    figures.keep("writers-control", lock=with_lock, nolock=without)
    unequal, equal = (found["max_ms"] / max(found["p50_ms"], 1) for found in (without, with_lock))
    assert without["failed"] > 0 or unequal > 2 * equal
