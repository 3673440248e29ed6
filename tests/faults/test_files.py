"""The database file is deleted, replaced, damaged under a running server: 503, then on without a restart."""

import json
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from tests.faults import disks, figures
from tests.faults.disks import Service
from tests.system import servers

pytestmark = pytest.mark.system

PLACES = 600 if figures.LONG else 25


def backup(database: Path, target: Path) -> Path:
    source = sqlite3.connect(database)
    source.execute("VACUUM INTO ?", (str(target),))
    source.close()
    return target


def put(copy: Path, database: Path) -> None:
    """As an operator does it by hand: the log of the old file away, the copy in its place."""
    for suffix in ("-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)
    new = database.with_name("new")
    shutil.copy(copy, new)
    new.replace(database)


def statuses(service: Service, times: int = 6) -> tuple[set[int], set[int]]:
    """Of several writes and of several reads."""
    return {service.write()[0] for _ in range(times)}, {service.read() for _ in range(2)}


def test_deleted_and_put_back(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with disks.serving(folder, tmp_path) as service:
        before = [json.loads(service.write()[1])["id"] for _ in range(4)]
        copy = backup(service.database, tmp_path / "copy")
        service.database.unlink()
        gone = statuses(service)
        made = service.database.exists()
        put(copy, service.database)
        back = [service.read(id) for id in before]
        after = statuses(service)

    assert gone == ({503}, {503})
    assert not made
    assert "no database file" in service.server.output
    assert (back, after) == ([200] * 4, ({201}, {200}))


def test_harness_finds_a_service_that_does_not_look(tmp_path: Path) -> None:
    """SQLite itself acknowledges what it writes into a deleted file."""
    with disks.serving(tmp_path / "data", tmp_path, broken="nolook") as service:
        service.write()
        service.database.unlink()
        gone = {service.write()[0] for _ in range(6)}

    assert 201 in gone


def test_folder_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with disks.serving(folder, tmp_path) as service:
        service.write()
        folder.rename(tmp_path / "elsewhere")
        gone = statuses(service)
        made = folder.exists()
        (tmp_path / "elsewhere").rename(folder)
        back = statuses(service)

    assert (gone, made, back) == (({503}, {503}), False, ({201}, {200}))


def test_replaced_by_another_calendar(tmp_path: Path) -> None:
    """Refused, and left as it is, until the server is restarted."""
    servers.administrator(servers.environment(tmp_path / "other"))
    other = (tmp_path / "other").read_bytes()
    with disks.serving(tmp_path / "data", tmp_path) as service:
        assert service.write()[0] == 201
        first = backup(service.database, tmp_path / "copy")
        # Each worker has to have met its own database before.
        assert statuses(service) == ({201}, {200})
        put(tmp_path / "other", service.database)
        replaced = statuses(service)
        untouched = service.database.read_bytes() == other
        put(first, service.database)
        back = statuses(service)

    assert (replaced, untouched, back) == (({503}, {503}), True, ({201}, {200}))


@pytest.mark.parametrize("content", [b"", b"garbage!" * 2000], ids=["empty", "garbage"])
def test_replaced_by_something_else(content: bytes, tmp_path: Path) -> None:
    with disks.serving(tmp_path / "data", tmp_path) as service:
        service.write()
        copy = backup(service.database, tmp_path / "copy")
        (tmp_path / "bad").write_bytes(content)
        put(tmp_path / "bad", service.database)
        bad = statuses(service)
        untouched = service.database.read_bytes() == content
        put(copy, service.database)
        back = statuses(service)

    assert (bad, untouched, back) == (({503}, {503}), True, ({201}, {200}))


def test_damaged_at_many_places(tmp_path: Path) -> None:
    """Whatever 64 bytes are overwritten: served if they do not matter, else 503; never 500, never a hang."""
    chance, seed = figures.chance()
    seen: Counter[str] = Counter()
    odd = []
    with disks.serving(tmp_path / "data", tmp_path) as service:
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
        back = statuses(service)

    figures.keep("damage", seed=seed, places=PLACES, answers=dict(seen), odd=odd)
    assert odd == [], service.server.output[-3000:]
    assert back == ({201}, {200})
