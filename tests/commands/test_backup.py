"""`calendar-api backup`: whole, private, and all at once."""

import os
import stat
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine

from calendar_api import database
from calendar_api.database.sqlite import file_copy
from calendar_api.database.tables import EditingState
from calendar_api.store import sessions
from tests.backups import at, damage, everything
from tests.client import Client
from tests.command_line import Run
from tests.templates import path_of


def test_backup_holds_every_row_in_one_private_file(
    filled: Client, run: Run, file: Path, database_url: str
) -> None:
    umask = os.umask(0)
    try:
        status, out, err = run("backup", str(file))
    finally:
        os.umask(umask)

    assert (status, err) == (0, "")
    assert out == f"{file}: {file.stat().st_size} bytes, verified\n"
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file_copy.fault(file) is None
    content = file.read_bytes()
    assert everything(at(file)) == everything(database_url)
    assert content[18:20] == b"\x01\x01"  # needs no other file beside it


def _signing_key() -> str:
    return str(EditingState.get().key)


def test_backup_and_restored_database_have_other_signing_keys(
    filled: Client, run: Run, file: Path, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.write():
        key = sessions.state().key

    run("backup", str(file))
    restored = f"sqlite:///{tmp_path / 'restored.sqlite3'}"
    monkeypatch.setenv("CALENDAR_DATABASE_URL", restored)
    status, _, err = run("restore", str(file))

    assert (status, err) == (0, "")
    assert key.encode() not in file.read_bytes()
    database.bind(at(file))
    in_backup = database.run_read(_signing_key)
    database.bind(restored)
    keys = {key, in_backup, database.run_read(_signing_key)}
    assert len(keys) == 3
    assert {len(one) for one in keys} == {64}


def test_file_that_is_there_is_kept_unless_forced(filled: Client, run: Run, file: Path) -> None:
    file.write_text("mine")

    status, _, err = run("backup", str(file))

    assert (status, file.read_text()) == (1, "mine")
    assert "is there already" in err
    assert run("backup", str(file), "--force")[0] == 0
    assert file_copy.fault(file) is None
    assert len(list(file.parent.iterdir())) == 1


@pytest.mark.sqlite
@pytest.mark.parametrize("command", [("backup",), ("export", "--to")])
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_only_files_are_replaced(
    run: Run, tmp_path: Path, command: tuple[str, ...], make: Callable[[Path], None]
) -> None:
    target = tmp_path / "all.jsonl"
    make(target)
    kind = stat.S_IFMT(target.stat().st_mode)

    status, _, err = run(*command, str(target), "--force")

    assert (status, stat.S_IFMT(target.stat().st_mode)) == (1, kind)
    assert err.endswith("all.jsonl is not a file; give another name.\n")


@pytest.mark.sqlite
def test_place_where_no_backup_can_be_is_refused(run: Run, file: Path, database_url: str) -> None:
    link = file.with_name("link.sqlite3")
    link.symlink_to(path_of(database_url))
    file.with_name(file.name + "-wal").write_bytes(b"")
    refused = {
        path_of(database_url): "is the database itself",
        link: "is the database itself",
        Path(f"{path_of(database_url)}-wal"): "belongs to it",
        file: "is in use",
        file.parent / "none" / "b.sqlite3": "There is no directory",
    }

    for target, reason in refused.items():
        status, _, err = run("backup", str(target), "--force")
        assert (status, reason in err) == (1, True)


@pytest.mark.sqlite
def test_damaged_database_makes_no_backup(filled: Client, run: Run, file: Path, database_url: str) -> None:
    database.close_connection()
    damage(path_of(database_url))

    status, _, err = run("backup", str(file))

    assert status == 1, err
    assert list(file.parent.iterdir()) == []


def test_interrupted_backup_leaves_nothing(
    filled: Client, run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(file: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(file_copy, "make_single", interrupt)

    assert run("backup", str(file))[0] == 130
    assert list(file.parent.iterdir()) == []


@pytest.mark.sqlite
def test_rotation_keeps_seven_days_and_four_weeks(filled: Client, run: Run, file: Path) -> None:
    """The first backup of each week stays, also when several are made in a day."""
    (file.parent / "mine.sqlite3").write_text("mine")
    start = datetime(2030, 12, 23, 3, tzinfo=UTC)  # a Monday
    for days in (0, 7, 14, 21, 28, 30, *range(33, 40), 39):  # Mondays, then every day
        with time_machine.travel(start + timedelta(days=days), tick=False):
            status, out, err = run("backup", "--rotate", str(file.parent))
        assert (status, err) == (0, "")

    daily = [f"daily-{start + timedelta(days=days):%Y-%m-%d}.sqlite3" for days in range(33, 40)]
    weekly = [f"weekly-2031-W{week:02}.sqlite3" for week in range(2, 6)]
    kept = sorted(path.name for path in file.parent.iterdir())
    assert out.startswith(f"{file.parent / daily[-1]}: ")
    assert kept == [*daily, "mine.sqlite3", *weekly]
    assert {stat.S_IMODE((file.parent / name).stat().st_mode) for name in [*daily, *weekly]} == {0o600}
    assert file_copy.fault(file.parent / weekly[0]) is None


def test_failed_rotation_deletes_nothing(filled: Client, run: Run, file: Path) -> None:
    old = [file.parent / f"daily-2020-01-{day:02}.sqlite3" for day in range(1, 10)]
    for path in old:
        path.write_text("old")
    (file.parent / f"daily-{datetime.now(UTC):%Y-%m-%d}.sqlite3-wal").write_bytes(b"")

    status, _, err = run("backup", "--rotate", str(file.parent))

    assert (status, "is in use" in err) == (1, True)
    assert all(path.exists() for path in old)


@pytest.mark.sqlite
def test_copies_that_killed_backups_left_are_removed(filled: Client, run: Run, file: Path) -> None:
    """Those that are not written to any more, of any date in the name, and nothing else."""
    folder, old = file.parent, time.time() - 86_400
    left = [".back-2031-01-31.sqlite3.abc12_x9.new", ".back-2031-01-31.sqlite3.abc12_x9.new-journal"]
    others = [".back-2031-01-31.sqlite3.new", ".other.sqlite3.abc12_x9.new", "back-2031-01-30.sqlite3"]
    for name in [*left, *others, ".back-2031-01-31.sqlite3.fresh_x9.new"]:
        (folder / name).touch()
        if "fresh" not in name:
            os.utime(folder / name, (old, old))

    assert run("backup", str(folder / "back-2031-02-01.sqlite3"))[0] == 0

    kept = [*others, ".back-2031-01-31.sqlite3.fresh_x9.new", "back-2031-02-01.sqlite3"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(kept)
