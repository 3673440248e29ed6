"""The disk is full, fails, or can only be read: writes say so, reads go on, nothing acknowledged is lost."""

import errno
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.faults import disks, figures
from tests.faults.disks import Disk
from tests.faults.load import Load, found
from tests.system import servers

pytestmark = pytest.mark.system


def test_full_disk(tmp_path: Path) -> None:
    """507 while there is no room, and 201 as soon as there is, without a restart."""
    with disks.small(tmp_path / "small", "2m") as folder, disks.serving(folder, tmp_path) as service:
        load = Load(service.server.port, service.server.secret, tmp_path / "acknowledged")
        try:
            servers.until(lambda: load.seen["507"] >= 20, service.server.process)
            reads = {service.read() for _ in range(5)}
            one = service.read(next(iter(load.acknowledged.values())))
            disks.grow(folder, "32m")
            load.more(20)
        finally:
            load.end()
        service.server.stop()
        result = found(service.database, load.acknowledged, load.tried)

    figures.keep("full-disk", answers=dict(load.seen), **result.figures)
    assert (reads, one) == ({200}, 200)
    assert json.loads(load.bodies["507"])["code"] == "rest_storage_full"
    assert set(load.seen) == {"201", "507"}, load.bodies
    assert result.faults == []


@pytest.mark.parametrize(
    ("name", "calls"),
    [("write", "w"), ("sync", "s"), ("truncate", "t"), ("all", "wst")],
)
def test_every_call_fails_and_then_none(name: str, calls: str, tmp_path: Path) -> None:
    """503 with Retry-After while the disk fails, reads go on, and the next write afterwards is stored."""
    data, other = tmp_path / "data", tmp_path / "other"
    other.mkdir()
    disk = Disk(data, other)
    with disks.serving(data, tmp_path, disk.env) as service:
        status, body = service.write()
        id = json.loads(body)["id"]
        with disk.failing(errno.EIO, calls):
            refused = [service.write() for _ in range(6)]
            reads = [service.read(), service.read(id)]
        after = [service.write()[0] for _ in range(6)]
        acknowledged = {f"{1:032x}": id}
        service.server.stop()
        result = found_without_keys(service.database, acknowledged)

    assert status == 201
    if name != "truncate":  # which is asked for when a log is begun anew, not with each write
        assert {answer[0] for answer in refused} == {503}, refused
        assert {json.loads(answer[1])["code"] for answer in refused} == {"rest_database_unavailable"}
    assert reads == [200, 200]
    assert after == [201] * 6
    assert result == []


def found_without_keys(database: Path, acknowledged: dict[str, int]) -> list[str]:
    """What is wrong, but for the remembered answers that were not asked for."""
    return [fault for fault in found(database, acknowledged).faults if "remembered" not in fault]


@pytest.mark.parametrize(
    ("calls", "every"),
    [("w", 400), ("s", 8), ("r", 100), ("wsrt", 400)],
    ids=["write", "sync", "read", "any"],
)
def test_now_and_then_a_call_fails(calls: str, every: int, tmp_path: Path) -> None:
    """Under load: whatever was acknowledged is stored, whatever failed can be sent again."""
    data, other = tmp_path / "data", tmp_path / "other"
    other.mkdir()
    disk = Disk(data, other)
    enough = 600 if figures.LONG else 60
    with disks.serving(data, tmp_path, disk.env) as service:
        load = Load(service.server.port, service.server.secret, tmp_path / "acknowledged")
        try:
            load.more(5)
            with disk.failing(errno.EIO, calls, every):
                load.more(enough, seconds=600)
            load.more(5)
        finally:
            load.end()
        service.server.stop()
        result = found(service.database, load.acknowledged, load.tried)

    figures.keep(f"io-errors-{calls}", one_in=every, answers=dict(load.seen), **result.figures)
    assert set(load.seen) == {"201", "503"}, load.bodies
    assert result.faults == []


def test_harness_finds_an_answer_before_the_commit(tmp_path: Path) -> None:
    data, other = tmp_path / "data", tmp_path / "other"
    other.mkdir()
    disk = Disk(data, other)
    with disks.serving(data, tmp_path, disk.env, broken="early") as service:
        load = Load(service.server.port, service.server.secret, tmp_path / "acknowledged")
        try:
            with disk.failing(errno.EIO, "s"):  # the first try is rolled back, and so needs no sync
                load.more(10)
        finally:
            load.end()
        service.server.stop()
        result = found(service.database, load.acknowledged, load.tried)

    assert result.lost or result.halves  # an id that was answered and not stored can be given again


def test_file_system_becomes_read_only(tmp_path: Path) -> None:
    data, other = tmp_path / "data", tmp_path / "other"
    other.mkdir()
    disk = Disk(data, other)
    with disks.serving(data, tmp_path, disk.env) as service:
        id = json.loads(service.write()[1])["id"]
        with disk.read_only():
            refused = [service.write()[0] for _ in range(6)]
            reads = [service.read(), service.read(id)]
            again = service.write()[0]
            health = service.server.send("GET", "/health")
        after = [service.write()[0] for _ in range(6)]

    assert {*refused, again} == {503}
    assert (health.status, health.json["reason"]) == (503, "read_only")
    assert reads == [200, 200]
    assert after == [201] * 6


@pytest.mark.skipif(os.geteuid() != 0, reason="needs the right to mount a file system")
def test_start_in_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    data = tmp_path / "data"
    env = servers.environment(data / "calendar.sqlite3")
    servers.administrator(env)
    port = servers.free_port()
    subprocess.run(["mount", "--bind", data, data], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", data], check=True)
        result = servers.run(*servers.serve(port)[3:], env=env)
    finally:
        subprocess.run(["umount", "-l", data], check=True)

    assert result.returncode == 1
    assert result.stderr.startswith("calendar-api: The database cannot be used just now")
    assert len(result.stderr.splitlines()) == 1


def test_nothing_waits_for_a_disk_that_failed(tmp_path: Path) -> None:
    """A failed write releases the write lock: the disk refuses the next one, not a timeout."""
    data, other = tmp_path / "data", tmp_path / "other"
    other.mkdir()
    disk = Disk(data, other)
    with disks.serving(data, tmp_path, disk.env) as service:
        service.write()
        with disk.failing(errno.EIO, "w"):
            began = time.monotonic()
            refused = {service.write()[0] for _ in range(10)}
            took = time.monotonic() - began

    assert refused == {503}
    assert took < 10 * 4  # a timeout would take five seconds for each
