"""Database files that are deleted, replaced or damaged while they are used."""

from pathlib import Path

import pytest

from calendar_api import database
from calendar_api.database import migrate
from calendar_api.database.models import Event, User
from calendar_api.database.sqlite.driver import sqlite3
from calendar_api.domain.errors import ApiError, DatabaseUnavailable, StorageFull
from tests.client import ROOT, Client
from tests.templates import opened, path_of

pytestmark = pytest.mark.sqlite

BORN = "2026-01-01 00:00:00"


def add(login: str) -> None:
    with database.write():
        User.create(login=login, role="author", created_utc=BORN)


def count() -> int:
    with database.read():
        return int(User.select().count())


def backup(path: Path, target: Path) -> Path:
    """As the command does it: by SQLite itself, which keeps the numbers of the file."""
    source = opened(path)
    source.execute("VACUUM INTO ?", (str(target),))
    source.close()
    return target


def test_deleted_file_is_noticed_and_not_made_anew(database_url: str) -> None:
    path = path_of(database_url)
    add("before")
    path.unlink()

    for use in (count, lambda: add("never"), count):
        with pytest.raises(DatabaseUnavailable) as caught:
            use()
        assert "no database file" in str(caught.value.__cause__)

    assert not path.exists()


def test_write_into_a_file_that_is_replaced_meanwhile_is_not_acknowledged(database_url: str) -> None:
    path = path_of(database_url)
    copy = backup(path, path.with_name("copy"))

    def work() -> None:
        User.create(login="lost", role="author", created_utc=BORN)
        copy.replace(path)

    with pytest.raises(DatabaseUnavailable) as caught:
        database.run_write(work)

    assert "replaced" in str(caught.value.__cause__)


def test_database_of_another_calendar_is_refused_until_a_restart(database_url: str, tmp_path: Path) -> None:
    path = path_of(database_url)
    known = count()
    other = tmp_path / "other" / "calendar.sqlite3"
    with database.using(database.engine(f"sqlite:///{other}")):
        migrate.migrate()
        database.close_connection()
    other.replace(path)

    for _ in range(2):
        with pytest.raises(DatabaseUnavailable) as caught:
            count()
        assert "another calendar" in str(caught.value.__cause__)
    database.bind(database_url)

    assert count() == 0 != known


def test_empty_file_is_no_database_yet_and_can_be_made_one(tmp_path: Path) -> None:
    path = tmp_path / "calendar.sqlite3"
    path.touch()
    database.bind(f"sqlite:///{path}")

    trouble = migrate.unavailable_reason()
    migrate.migrate()

    assert trouble is not None
    assert trouble.code == "not_initialised"
    assert migrate.unavailable_reason() is None
    database.close_connection()


def test_path_with_characters_of_an_address_is_taken_literally(tmp_path: Path) -> None:
    database.bind(f"sqlite:///{tmp_path}/a%2520b%3Fmode=ro%23 ü.sqlite3")

    migrate.migrate()
    database.close_connection()

    assert (tmp_path / "a%20b?mode=ro# ü.sqlite3").is_file()


def test_replaced_file_of_an_older_release_is_not_served(client: Client, database_url: str) -> None:
    path = path_of(database_url)
    assert client.get("/events").status_code == 200
    copy = backup(path, path.with_name("copy"))
    older = opened(copy)
    with older:
        older.execute("DELETE FROM schema_migration WHERE rowid = (SELECT max(rowid) FROM schema_migration)")
    older.close()
    database.close_connection()
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    copy.replace(path)

    answer = client.app.get(f"{ROOT}/events", expect_errors=True)

    assert answer.status_int == 503
    assert answer.json["code"] == "rest_schema_outdated"


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("SQLITE_IOERR_WRITE", DatabaseUnavailable),
        ("SQLITE_IOERR_FSYNC", DatabaseUnavailable),
        ("SQLITE_READONLY", DatabaseUnavailable),
        ("SQLITE_CORRUPT_INDEX", DatabaseUnavailable),
        ("SQLITE_FULL", StorageFull),
        ("SQLITE_BUSY_RECOVERY", DatabaseUnavailable),
        ("SQLITE_CONSTRAINT_UNIQUE", type(None)),
    ],
)
def test_error_is_translated(name: str, meaning: type[ApiError], database_url: str) -> None:
    error = sqlite3.OperationalError("it happened")
    error.sqlite_errorname = name

    assert type(database.bound().translate_error(error)) is meaning


def test_connection_that_failed_is_opened_anew(database_url: str) -> None:
    count()
    first = database.db.connection()
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = "SQLITE_IOERR_READ"

    database.translate(error)
    known = count()

    assert database.db.connection() is not first
    assert known > 0


def test_damaged_text_is_a_damaged_database(database_url: str) -> None:
    with pytest.raises(DatabaseUnavailable), database.read():
        database.db.execute_sql("SELECT CAST(x'c3' AS TEXT)").fetchone()


@pytest.mark.parametrize("name", ["title", "event"])
def test_name_in_the_description_of_the_tables_that_changed_is_damage(name: str, database_url: str) -> None:
    """Such a file can be opened, and looks like one of a sound database to SQLite."""
    path = path_of(database_url)
    count()
    database.close_connection()
    connection = opened(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    quoted = f'"{name}"'.encode()
    assert quoted in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(quoted, quoted.replace(b"t", b"#")))

    with pytest.raises(DatabaseUnavailable), database.read():
        list(Event.select(Event.title))


def test_path_that_cannot_be_looked_at_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    database.bind(f"sqlite:///{tmp_path}/loop")

    with pytest.raises(DatabaseUnavailable) as caught:
        migrate.unavailable_reason()

    assert "cannot be looked at" in str(caught.value.__cause__)
