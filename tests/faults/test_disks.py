"""The disk is full, fails, or can only be read: writes say so, reads go on, nothing acknowledged is lost."""

import errno
import json
import re
import subprocess
import time
from pathlib import Path

import pytest

from tests import figures
from tests.faults import disks
from tests.faults.disks import Disk
from tests.system import servers
from tests.system.load import Load, found

pytestmark = pytest.mark.system


def test_full_disk(tmp_path: Path) -> None:
    """507 while there is no room, and 201 as soon as there is, without a restart."""
    data = tmp_path / "data"
    with disks.mounted(data, "-t", "tmpfs", "-o", "size=2m", "tmpfs"), disks.serving(tmp_path) as service:
        with Load(service.server) as load:
            servers.until(lambda: load.seen["507"] >= 20, service.server.process)
            reads = {service.read() for _ in range(5)}
            one = service.read(next(iter(load.acknowledged.values())))
            subprocess.run(["mount", "-o", "remount,size=32m", str(data)], check=True)
            load.more(20)
        service.server.stop()
        result = found(service.database, load.acknowledged, load.tried)

    figures.keep("full-disk", answers=dict(load.seen), **result.figures)
    assert (reads, one) == ({200}, 200)
    assert json.loads(load.bodies["507"])["code"] == "rest_storage_full"
    assert set(load.seen) == {"201", "507"}, load.bodies
    assert result.faults == []


def test_import_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """What was imported before the disk was full is stored; the same command imports the rest."""
    data, source = tmp_path / "data", tmp_path / "events.jsonl"
    fields = {
        "start_date": "2031-03-01 10:00:00",
        "end_date": "2031-03-01 11:00:00",
        "description": "x" * 4000,
    }
    source.write_text("".join(f"{json.dumps({'title': f'Event {n}', **fields})}\n" for n in range(400)))
    with disks.mounted(data, "-t", "tmpfs", "-o", "size=3m", "tmpfs"):
        env = servers.environment(data / "calendar.sqlite3")
        servers.prepared(env)
        full = servers.run("import", str(source), "--quiet", env=env)
        subprocess.run(["mount", "-o", "remount,size=64m", str(data)], check=True)
        again = servers.run("import", str(source), env=env)

    assert full.returncode == 1
    assert "The disk is full" in full.stderr
    assert "run the same command again" in full.stderr
    assert again.returncode == 0, again.stderr
    counts = re.search(r"^event +([0-9]+) +0 +([0-9]+)", again.stdout, re.MULTILINE)
    assert counts is not None
    created, unchanged = map(int, counts.groups())
    assert unchanged >= 50
    assert created + unchanged == 400


@pytest.mark.parametrize(
    ("error", "calls", "reason"),
    [
        pytest.param(errno.EIO, "w", None, marks=pytest.mark.long), (errno.EIO, "s", None),
        pytest.param(errno.EIO, "t", None, marks=pytest.mark.long), (errno.EIO, "wst", None),
        (errno.EROFS, "wto", "read_only"),
    ],
    ids=["write", "sync", "truncate", "all", "read-only"],
)  # fmt: skip
def test_every_call_fails_and_then_none(error: int, calls: str, reason: str | None, tmp_path: Path) -> None:
    """503 with Retry-After while the disk fails, reads go on, and the next write afterwards is stored.

    A failed write releases the write lock: the next one is not refused by a timeout.
    """
    disk = Disk(tmp_path)
    with disks.serving(tmp_path, disk.env) as service:
        status, body = service.write()
        id = json.loads(body)["id"]
        began = time.monotonic()
        with disk.failing(error, calls):
            refused = [service.write() for _ in range(6)]
            took = time.monotonic() - began
            reads = [service.read(), service.read(id)]
            refused.append(service.write())
            health = service.server.send("GET", "/health")
        after = [service.write()[0] for _ in range(6)]
        service.server.stop()
        result = found(service.database, {f"{1:032x}": id})

    assert status == 201
    if calls != "t":  # which is asked for when a log is begun again, not with each write
        assert {answer[0] for answer in refused} == {503}, refused
        assert {json.loads(answer[1])["code"] for answer in refused} == {"rest_database_unavailable"}
        assert took < 6 * 4  # a timeout would take five seconds for each
    if reason:
        assert (health.status, health.json["reason"]) == (503, reason)
    assert reads == [200, 200]
    assert after == [201] * 6
    assert [fault for fault in result.faults if "remembered" not in fault] == []  # no keys were sent


@pytest.mark.parametrize(
    ("calls", "every"),
    [
        pytest.param("w", 400, marks=pytest.mark.long), ("s", 8),
        pytest.param("r", 100, marks=pytest.mark.long), ("wsrt", 400),
    ],
    ids=["write", "sync", "read", "any"],
)  # fmt: skip
def test_now_and_then_a_call_fails(calls: str, every: int, tmp_path: Path) -> None:
    """Under load: whatever was acknowledged is stored, whatever failed can be sent again."""
    disk = Disk(tmp_path)
    with disks.serving(tmp_path, disk.env) as service:
        with Load(service.server) as load:
            load.more(5)
            with disk.failing(errno.EIO, calls, every):
                load.more(600 if figures.LONG else 60, seconds=600)
            load.more(5)
        service.server.stop()
        result = found(service.database, load.acknowledged, load.tried)

    figures.keep(f"io-errors-{calls}", one_in=every, answers=dict(load.seen), **result.figures)
    assert set(load.seen) == {"201", "503"}, load.bodies
    assert result.faults == []


def test_harness_finds_an_answer_before_the_commit(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    with disks.serving(tmp_path, disk.env, fault="early") as service:
        # The first try is rolled back, and so needs no sync.
        with Load(service.server) as load, disk.failing(errno.EIO, "s"):
            load.more(10)
        service.server.stop()
        result = found(service.database, load.acknowledged, load.tried)

    assert result.lost or result.halves  # an id that was answered and not stored can be given again


def test_start_in_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    data = tmp_path / "data"
    env = servers.environment(data / "calendar.sqlite3")
    servers.prepared(env)
    with disks.mounted(data, "--bind", str(data)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(data)], check=True)
        result = servers.run(*servers.serve(servers.free_port())[3:], env=env)

    assert result.returncode == 1
    assert result.stderr.startswith("calendar-api: The database cannot be used: ")
    assert len(result.stderr.splitlines()) == 1
