"""`calendar-api restore`: only a whole backup of ours is taken, and nothing is lost silently."""

import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.commands import CommandError, backup
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.sqlite import file_copy
from tests import factories
from tests.backups import at, damage, everything
from tests.client import Client
from tests.command_line import Run
from tests.mariadb import MariaDb
from tests.templates import opened, path_of

ROOT = Path(__file__).parents[2]


def aside(path: Path) -> Path:
    """The one database that a restore has renamed."""
    (found,) = path.parent.glob("*.before-restore-*Z")  # without its -wal and -shm
    return found


@pytest.mark.sqlite
def test_restored_database_is_the_one_of_then_and_the_present_one_is_kept(
    filled: Client, run: Run, file: Path, database_url: str
) -> None:
    run("backup", str(file))
    then = everything(database_url)
    factories.event(filled, title="Later")
    present = everything(database_url)
    before = file.read_bytes()
    refused, _, reason = run("restore", str(file))
    assert (refused, "--yes" in reason, everything(database_url)) == (1, True, present)
    database.close_connection()

    status, out, err = run("restore", str(file), "--yes")

    path = path_of(database_url)
    assert (status, err) == (0, "")
    assert str(aside(path)) in out
    assert everything(database_url) == then
    assert everything(at(aside(path))) == present
    assert file.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = Client(create_app(Config(database_url=database_url)), filled.secrets, filled.ids)
    factories.event(again)


@pytest.mark.sqlite
def test_commits_that_stand_beside_the_file_go_aside_with_it(
    filled: Client, run: Run, file: Path, database_url: str
) -> None:
    """A log that stays behind would be played into the restored file."""
    run("backup", str(file))
    then = everything(database_url)
    path = path_of(database_url)
    reader = opened(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM event").fetchone()
    factories.event(filled, title="In the log only")
    present = everything(database_url)
    assert Path(f"{path}-wal").stat().st_size > 0
    database.close_connection()

    assert run("restore", str(file), "--yes")[0] == 0
    reader.close()

    assert everything(database_url) == then
    assert everything(at(aside(path))) == present


@pytest.mark.sqlite
def test_missing_and_damaged_databases_are_restored(
    filled: Client, file: Path, tmp_path: Path, run: Run, database_url: str
) -> None:
    run("backup", str(file))
    database.close_connection()
    missing, damaged = tmp_path / "new" / "calendar.sqlite3", path_of(database_url)
    damaged.write_bytes(b"no database at all" * 1000)

    assert backup.restore(at(missing), file, now()) == (None, False)
    assert run("restore", str(file), "--yes")[0] == 0
    assert stat.S_IMODE(missing.parent.stat().st_mode) == 0o700
    assert everything(at(missing)) == everything(database_url) == everything(at(file))


@pytest.mark.sqlite
def test_writer_that_does_not_pause_stops_the_restore(
    filled: Client, run: Run, file: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_copy, "BUSY_TIMEOUT", 0.1)
    run("backup", str(file))
    present = everything(database_url)
    writer = opened(path_of(database_url))
    writer.execute("BEGIN IMMEDIATE")

    status, _, err = run("restore", str(file), "--yes")
    writer.close()

    assert (status, "stop the server" in err) == (1, True)
    assert everything(database_url) == present
    assert list(path_of(database_url).parent.glob("*before-restore*")) == []


KILLED_AT_RENAME = """
import os, signal, sys
from calendar_api.commands import main

before = [int(sys.argv[1])]

def count(event, arguments):
    if event == "os.rename":
        before[0] -= 1
        if before[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
main.main(sys.argv[2:])
"""


@pytest.mark.sqlite
@pytest.mark.parametrize("renames", range(5))
def test_restore_that_was_killed_leaves_no_empty_calendar(
    renames: int, filled: Client, run: Run, file: Path, database_url: str
) -> None:
    run("backup", str(file))
    then = everything(database_url)
    factories.event(filled, title="Later")
    present, path = everything(database_url), path_of(database_url)
    database.close_connection()
    command = [sys.executable, "-c", KILLED_AT_RENAME, str(renames), "restore", "--yes", str(file)]
    killed = subprocess.run(command, env={"CALENDAR_DATABASE_URL": database_url}, cwd=ROOT, check=False)

    status, _, err = run("migrate")

    if status:
        added = aside(path).name.removeprefix(path.name)
        assert (path.exists(), f"remove {added} from the names" in err) == (False, True)
        for moved in path.parent.glob(f"*{added}*"):
            moved.rename(path.with_name(moved.name.replace(added, "")))
    assert killed.returncode == (0 if renames == 4 else -signal.SIGKILL)
    assert everything(database_url) == (then if renames == 4 else present)
    database.close_connection()
    assert run("restore", "--yes", str(file))[0] == 0
    assert everything(database_url) == then


def now() -> datetime:
    return datetime.now(UTC)


def execute(path: Path, statement: str) -> None:
    with closing(opened(path)) as connection:
        connection.execute(statement)


SPOILT = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("not a database " * 500),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "damaged": damage,
    "foreign": lambda path: (path.unlink(), execute(path, "CREATE TABLE event (id)")),
    "newer": lambda path: execute(
        path, "INSERT INTO schema_migration (name, applied) VALUES ('9_later', '2030')"
    ),
    "dangling": lambda path: execute(path, "DELETE FROM venue"),
}


@pytest.mark.sqlite
@pytest.mark.parametrize("how", SPOILT)
def test_file_that_is_no_whole_backup_is_refused(
    how: str, filled: Client, run: Run, file: Path, database_url: str
) -> None:
    run("backup", str(file))
    SPOILT[how](file)
    present = everything(database_url)
    database.close_connection()

    status, _, err = run("restore", str(file), "--yes")

    assert (status, err.startswith("calendar-api: ")) == (1, True)
    assert "Traceback" not in err
    assert everything(database_url) == present
    assert [found.name for found in path_of(database_url).parent.glob("*.new*")] == []
    assert list(path_of(database_url).parent.glob("*before-restore*")) == []


@pytest.mark.sqlite
def test_backup_of_an_older_release_is_restored_and_asks_for_migrate(
    filled: Client, run: Run, file: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("backup", str(file))
    database.close_connection()
    known = migrate.known_migrations()
    monkeypatch.setattr(migrate, "known_migrations", lambda: [*known, "9999_next"])

    status, out, _ = run("restore", str(file), "--yes")

    assert (status, "calendar-api migrate" in out) == (0, True)


@pytest.mark.sqlite
def test_backup_is_read_completely_once(
    filled: Client, run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("backup", str(file))
    database.close_connection()
    checked, fault = [], file_copy.fault
    monkeypatch.setattr(file_copy, "fault", lambda path: checked.append(path) or fault(path))

    assert run("restore", str(file), "--yes")[0] == 0
    assert len(checked) == 1


# -- from one kind of database to the other


@pytest.fixture
def empty_server(mariadb_server: MariaDb) -> Iterator[str]:
    name = "restored here"
    yield mariadb_server.url(quote(name))
    mariadb_server.root(f"DROP DATABASE IF EXISTS `{name}`")


def test_backup_goes_into_an_empty_server_and_only_there(
    filled: Client, run: Run, file: Path, database_url: str, empty_server: str
) -> None:
    run("backup", str(file))

    restored = backup.restore(empty_server, file, now())

    assert restored == (None, False)
    assert everything(empty_server) == everything(database_url)
    with pytest.raises(CommandError, match="not empty"):
        backup.restore(empty_server, file, now())
    assert [path.name for path in file.parent.iterdir()] == [file.name]
