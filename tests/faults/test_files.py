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


def test_deleted_and_put_back(tmp_path: Path) -> None:
    with disks.serving(tmp_path) as service:
        before = [json.loads(service.write()[1])["id"] for _ in range(4)]
        copy = backup(service.database, tmp_path / "copy")
        service.database.unlink()
        gone = service.statuses()
        made = service.database.exists()
        put(copy, service.database)
        back = [service.read(id) for id in before]
        after = service.statuses()

    assert (gone, made) == (REFUSING, False)
    assert "no database file" in service.server.output
    assert (back, after) == ([200] * 4, WORKING)


def test_harness_finds_a_service_that_does_not_look(tmp_path: Path) -> None:
    """SQLite itself acknowledges what it writes into a deleted file."""
    with disks.serving(tmp_path, fault="nolook") as service:
        service.write()
        service.database.unlink()
        gone = {service.write()[0] for _ in range(6)}

    assert 201 in gone


def test_folder_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with disks.serving(tmp_path) as service:
        service.write()
        folder.rename(tmp_path / "elsewhere")
        gone = service.statuses()
        made = folder.exists()
        (tmp_path / "elsewhere").rename(folder)
        back = service.statuses()

    assert (gone, made, back) == (REFUSING, False, WORKING)


@pytest.mark.parametrize(
    "content", [None, b"", b"garbage!" * 2000], ids=["another calendar", "empty", "garbage"]
)
def test_replaced_by_something_else(content: bytes | None, tmp_path: Path) -> None:
    """Refused and left as it is, without a restart until the first file is back."""
    other = tmp_path / "other"
    if content is None:
        servers.administrator(servers.environment(other))
    else:
        other.write_bytes(content)
    with disks.serving(tmp_path) as service:
        first = service.statuses()  # each worker has to have met its own database before
        copy = backup(service.database, tmp_path / "copy")
        put(other, service.database)
        replaced = service.statuses()
        untouched = service.database.read_bytes() == other.read_bytes()
        put(copy, service.database)
        back = service.statuses()

    assert (first, replaced, untouched, back) == (WORKING, REFUSING, True, WORKING)


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
