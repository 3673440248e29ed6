"""The database file is deleted, replaced, damaged under a running server: 503, then on without a restart."""

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tests import figures
from tests.faults import disks
from tests.system import servers

pytestmark = pytest.mark.system

PLACES = 600 if figures.LONG else 25
WORKING, REFUSING = ({201}, {200}), ({503}, {503})


def backup(database: Path, target: Path) -> Path:
    with closing(sqlite3.connect(database)) as source:
        source.execute("VACUUM INTO ?", (str(target),))
    return target


def put(copy: Path, database: Path) -> None:
    """As an operator does it by hand: the log of the old file away, the copy in its place."""
    for suffix in ("-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)
    new = database.with_name("new")
    shutil.copy(copy, new)
    new.replace(database)


def test_what_is_no_longer_its_database_is_refused_until_that_is_back(tmp_path: Path) -> None:
    """Deleted, replaced or without its folder: left as it is, and served again without a restart."""
    other = tmp_path / "other"
    servers.administrator(servers.environment(other))
    others = {"another calendar": other.read_bytes(), "empty": b"", "garbage": b"garbage!" * 2000}
    with disks.serving(tmp_path) as service:
        ids = [json.loads(service.write()[1])["id"] for _ in range(4)]
        copy = backup(service.database, tmp_path / "copy")
        assert service.statuses() == WORKING
        service.meet_all_workers()  # one that has opened no database yet would take any
        for name, content in others.items():
            other.write_bytes(content)
            put(other, service.database)
            assert service.statuses() == REFUSING, name
            assert service.database.read_bytes() == content, name
            put(copy, service.database)
            assert ([service.read(id) for id in ids], service.statuses()) == ([200] * 4, WORKING), name
        service.database.unlink()
        assert (service.statuses(), service.database.exists()) == (REFUSING, False)
        put(copy, service.database)
        assert ([service.read(id) for id in ids], service.statuses()) == ([200] * 4, WORKING)
        (tmp_path / "data").rename(tmp_path / "elsewhere")
        assert (service.statuses(), (tmp_path / "data").exists()) == (REFUSING, False)
        (tmp_path / "elsewhere").rename(tmp_path / "data")
        assert service.statuses() == WORKING

    assert "no database file" in service.server.output


def test_harness_finds_a_service_that_does_not_look(tmp_path: Path) -> None:
    """SQLite itself acknowledges what it writes into a deleted file."""
    with disks.serving(tmp_path, fault="nolook") as service:
        assert service.statuses() == WORKING
        service.meet_all_workers()
        service.database.unlink()
        gone = {service.write()[0] for _ in range(6)}

    assert 201 in gone


def test_damaged_at_many_places(tmp_path: Path) -> None:
    """Whatever 64 bytes are overwritten: served if they do not matter, else 503; never 500, never a hang."""
    chance, seed = figures.chance()
    seen: Counter[str] = Counter()
    odd = []
    with disks.serving(tmp_path) as service:
        ids = [json.loads(service.write()[1])["id"] for _ in range(4)]
        copy = backup(service.database, tmp_path / "copy")
        good = copy.read_bytes()
        for _ in range(PLACES):
            place = chance.randrange(len(good) - 64)
            damaged = tmp_path / "damaged"
            damaged.write_bytes(good[:place] + chance.randbytes(64) + good[place + 64 :])
            put(damaged, service.database)
            found = {
                "list": service.server.get("/events", starts_after="2031-01-01").status,
                "event": service.server.get(f"/events/{chance.choice(ids)}").status,
                "write": service.write()[0],
            }
            seen.update(f"{name} {status}" for name, status in found.items())
            odd += [(place, found)] if not set(found.values()) <= {200, 201, 401, 404, 410, 503} else []
        put(copy, service.database)
        back = service.statuses()

    figures.keep("damage", seed=seed, places=PLACES, answers=dict(seen), odd=odd)
    assert odd == [], service.server.output[-3000:]
    assert back == WORKING
