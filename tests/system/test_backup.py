"""Backup and restore while clients write: every copy is complete, and nothing acknowledged is lost."""

import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from tests import figures
from tests.system import servers
from tests.system.load import Load, found
from tests.system.servers import Server

pytestmark = pytest.mark.system

BACKUPS = 100 if figures.LONG else 4
SITE = "http://calendar.example"
EVER = {"start_date": "1001-01-01", "end_date": "9999-01-01", "per_page": "50"}


def lacks(database: Path, target: Path, acknowledged: dict[str, int]) -> bool:
    """Whether a plain copy of the file lacks an acknowledged event, or is no database."""
    shutil.copy(database, target)
    try:
        return bool(found(target, acknowledged).lost)
    except sqlite3.Error:
        return True


def everything(server: Server) -> dict[int, Any]:
    """Every public event by id."""
    events = {}
    page = server.get("/events", **EVER).json
    for number in range(1, page["total_pages"] + 1):
        for event in server.get("/events", **EVER, page=number).json["events"]:
            tags = [tag["name"] for tag in event["tags"]]  # whose counts go on changing
            events[int(event["id"])] = {**event, "tags": tags}
    return events


def test_backups_during_writes_are_complete(tmp_path: Path) -> None:
    kept: list[list[int]] = []
    faults, seconds, copies_lacking = [], [], 0
    with servers.running(tmp_path, CALENDAR_BASE_URL=SITE, CALENDAR_LOG="off") as server:
        with Load(server, clients=3) as load:
            load.more(5)
            for number in range(BACKUPS):
                file = tmp_path / f"{number}.sqlite3"
                before, began = dict(load.acknowledged), time.monotonic()
                servers.done("backup", str(file), env=server.env)
                seconds.append(round(time.monotonic() - began, 2))
                result = found(file, before)
                faults += result.faults
                kept.append(result.ids)
                before = dict(load.acknowledged)
                copies_lacking += lacks(server.database, tmp_path / "copy.sqlite3", before)
        answers = everything(server)
    env = servers.environment(tmp_path / "new" / "calendar.sqlite3", CALENDAR_BASE_URL=SITE)
    servers.administrator(env)
    servers.done("restore", str(tmp_path / f"{BACKUPS - 1}.sqlite3"), "--yes", env=env)
    port = servers.free_port()
    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log2") as server:
        again = everything(server)

    figures.keep(
        "backup", backups=BACKUPS, events=len(answers), faults=len(faults), copies_lacking=copies_lacking,
        seconds_longest=max(seconds),
    )  # fmt: skip
    assert faults == []
    # Ids are assigned in the order of commits, so an earlier state is a prefix of the list.
    final = sorted(answers)
    assert [ids for ids in kept if ids != final[: len(ids)]] == []
    assert len({len(ids) for ids in kept}) > BACKUPS // 2, "nobody wrote meanwhile"
    assert copies_lacking > 0, "copying the file was as good: this test would notice nothing"
    assert again == {id: answers[id] for id in kept[-1]}


def test_running_server_uses_the_restored_database(tmp_path: Path) -> None:
    """Acknowledged events are in the restored database or in the one that was set aside."""
    file = tmp_path / "backup.sqlite3"
    with servers.running(tmp_path, CALENDAR_LOG="off") as server:
        with Load(server) as load:
            load.more(10)
            servers.done("backup", str(file), env=server.env)
            load.more(10)
            said = servers.done("restore", str(file), "--yes", env=server.env)
            load.more(10)
        health = server.send("GET", "/health").status
        total = server.get("/events", **EVER).json["total"]
    (aside,) = (path for path in server.database.parent.glob("*.before-restore-*") if path.name[-1] == "Z")

    kept, now, then = (keys(path) for path in (aside, server.database, file))
    assert str(aside) in said
    assert load.acknowledged.keys() - (kept | now) == set()
    assert then <= kept
    assert then < now
    assert (health, total) == (200, len(now))


def keys(file: Path) -> set[str]:
    """The keys of the events in a file; ids assigned after the backup are assigned again."""
    result = found(file, {})
    assert result.damage == []
    return set(result.keys)
