"""The power fails at random moments of a recorded run: nothing acknowledged is lost, nothing damaged."""

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests import figures
from tests.faults import disks, powerloss
from tests.system import servers
from tests.system.load import Load, found

pytestmark = pytest.mark.system

WRITES = 1500 if figures.LONG else 150
CUTS = 5000 if figures.LONG else 300


def recorded(folder: Path, fault: str = "") -> Path:
    """The record of a server that is written to."""
    data, record = folder / "data", folder / "record"
    data.mkdir()
    plain = servers.environment(data / "calendar.sqlite3")
    library = disks.shared_object("iolog", folder)
    watched = {**plain, "IOLOG_FOLDER": str(data), "IOLOG_FILE": str(record), "LD_PRELOAD": library}
    # From the first byte on: what was there before the record began would never be synced in it.
    secret, port = servers.administrator(watched), servers.free_port()
    command = (servers.broken if fault else servers.gunicorn)(port)
    env = {**watched, "CALENDAR_TEST_BREAK": fault}
    with servers.started(command, port, env, folder / "log", secret=secret) as server:
        with Load(server) as load:
            load.more(WRITES, seconds=600)
        server.process.kill()  # a clean end would sync
    return record


def cut(record: Path, number: int) -> dict[str, Any]:
    chance, seed = figures.chance()
    seen: Counter[str] = Counter(cuts_that_lose=0, most_lost=0, damaged=0, unreadable=0, halves=0)

    def look(folder: Path, acknowledged: set[str]) -> None:
        seen["cuts"] += 1
        try:
            result = found(folder / "calendar.sqlite3", dict.fromkeys(acknowledged, 0))
        except sqlite3.DatabaseError as error:
            print(error)
            seen["unreadable"] += 1
            return
        result.halves = [half for half in result.halves if not half.endswith("another id")]  # not recorded
        seen["damaged"] += bool(result.damage)
        seen["cuts_that_lose"] += bool(result.lost)
        seen["most_lost"] = max(seen["most_lost"], len(result.lost))
        seen["halves"] += bool(result.halves)

    steps, answers = powerloss.cuts(record, number, chance, look)
    return {"seed": seed, "steps": steps, "acknowledged": answers, **seen}


def test_power_cut_loses_nothing_acknowledged(tmp_path: Path) -> None:
    said = cut(recorded(tmp_path), CUTS)

    figures.keep("powerloss", **said)
    assert said["acknowledged"] >= WRITES
    assert said["cuts"] == CUTS
    assert {name: said[name] for name in ("cuts_that_lose", "damaged", "unreadable", "halves")} == {
        "cuts_that_lose": 0, "damaged": 0, "unreadable": 0, "halves": 0,
    }  # fmt: skip


@pytest.mark.parametrize("synchronous", ["normal", "off"])
def test_harness_finds_a_database_that_does_not_wait_for_the_disk(synchronous: str, tmp_path: Path) -> None:
    said = cut(recorded(tmp_path, f"slack-{synchronous}"), 100)

    figures.keep(f"powerloss-control-{synchronous}", **said)
    assert said["cuts_that_lose"] + said["unreadable"] + said["damaged"] > 10
