"""Backups from before the first release: of ten migrations, with the demo records, and later ones."""

import gzip
import sqlite3
from contextlib import closing
from itertools import compress
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.commands import copy, unreleased
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.models import Event, FormerSlug, Table, User
from calendar_api.database.tables import EditingState, ImportItem, ImportSource, Review, Submission
from calendar_api.store import document_upkeep
from tests.backups import everything
from tests.client import Client
from tests.command_line import Run

FIXTURE = Path(__file__).parents[1] / "data" / "backup-before-0001.sqlite3.gz"
SECRETS = {"admin": "uvNwHhsYyyXwuBGdvPq7W7XJ", "jane": "Ag7aXktdpu4KigLjFmZpDNGS"}
EVER = {"start_date": "1001-01-01", "end_date": "9999-01-01", "per_page": 50}


#: Columns and tables of later migrations.
NEW = {f"event.{name}" for name in ("uid", "sequence", "event_status", "event_status_reason")}
NEW |= {"user.password", "user.last_active_utc", "user.session_epoch"}
NEW |= {"event.json_ld", "event.calendar_lines", "venue.json_ld", "organizer.json_ld"}
NEW_MODELS = (FormerSlug, ImportSource, ImportItem, EditingState, Submission, Review)
OLD_MODELS = [model for model in copy.COPIED if model not in NEW_MODELS]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kept here? yes #1.sqlite3"
    path.write_bytes(gzip.decompress(FIXTURE.read_bytes()))
    return path


def rows(file: Path) -> dict[str, list[Any]]:
    """Every row of the tables that are copied, in the order of the models' columns."""
    connection = sqlite3.connect(file)
    found = {}
    for model in OLD_MODELS:
        table = model._meta.table_name
        fields = [field.column_name for field in model._meta.sorted_fields if is_old(field)]
        names = [unreleased._OLD_COLUMNS.get(name, name) for name in fields]
        columns = ", ".join("NULL" if name == "document" else f'"{name}"' for name in names)
        source = unreleased._OLD_TABLES.get(table, table)
        found[table] = sorted(connection.execute(f'SELECT {columns} FROM "{source}"'), key=repr)
    connection.close()
    return found


def test_every_row_is_restored_and_served(
    file: Path, new_database_url: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALENDAR_DATABASE_URL", new_database_url)
    status, out, err = run("restore", str(file), "--yes")

    assert (status, out, err) == (0, f"restored from {file}\n", "")
    then, now = rows(file), everything(new_database_url)
    assert {model._meta.table_name: old_values(model, now) for model in OLD_MODELS} == then
    assert now["former_slug"] == []
    assert all(then[name] for name in ("event", "venue", "organizer", "term", "search_text", "user"))
    database.bind(new_database_url)
    assert migrate.unavailable_reason() is None
    with database.read():
        assert document_upkeep.problems(Config().site, 100) == (0, [])
        uids = [UUID(event.uid) for event in Event.select()]
    assert {uid.version for uid in uids} == {4}
    assert len(set(uids)) == len(then["event"])

    client = Client(create_app(Config(database_url=new_database_url)), SECRETS, {"admin": 1, "jane": 2})
    listed = client.get("/events", EVER, as_="jane", status=200).json
    assert listed["total"] == 58
    for noun in ("venues", "organizers", "categories", "tags"):
        record = client.get(f"/{noun}", as_="admin", status=200).json[noun][0]
        assert client.get(f"/{noun}/{record['id']}", status=200).json["id"] == record["id"]
    event = listed["events"][0]
    assert client.get("/events", EVER | {"search": event["title"]}, status=200).json["total"] >= 1
    client.patch(f"/events/{event['id']}", {"title": "Changed"}, as_="admin", status=200)
    client.post("/venues", {"venue": "New"}, as_="jane", status=201)
    database.close_connection()

    assert run("check")[0] == 0


def old_values(model: type[Table], now: dict[str, list[Any]]) -> list[Any]:
    """Every row of a table without the columns that the old file lacks."""
    kept = [is_old(field) for field in model._meta.sorted_fields]
    found = (tuple(map(plain, compress(row, kept))) for row in now[model._meta.table_name])
    return sorted(found, key=repr)


def is_old(field: Any) -> bool:
    return f"{field.model._meta.table_name}.{field.column_name}" not in NEW


def plain(value: Any) -> Any:
    """As the old file has it, which has no documents."""
    if isinstance(value, bytes):
        return None
    return int(value) if isinstance(value, bool) else value


@pytest.mark.sqlite
def test_later_backup_keeps_the_rows_of_imports_and_editing(
    filled: Client, run: Run, tmp_path: Path, database_url: str
) -> None:
    with database.write():
        user, event = User.get(), Event.get()
        source = ImportSource.create(
            kind="ics", address="a", address_digest="0" * 64, etag="", last_modified=""
        )
        item = {
            "noun": "event",
            "foreign_id": "x",
            "key_digest": "1" * 64,
            "digest": "2" * 64,
            "fields": "{}",
        }
        ImportItem.create(source=source, record=event.id, seen=1, **item)
        EditingState.create(id=1, key="3" * 64, submitter=user.id)
        Review.create(event=event.id, user=user.id, text="Why?", created_utc=event.modified_utc)
        FormerSlug.insert(kind="event", slug="before", record=event.id).execute()
    old = tmp_path / "old.sqlite3"
    run("backup", str(old))
    then = everything(database_url)
    assert all(then[model._meta.table_name] for model in NEW_MODELS if model is not Submission)
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("DELETE FROM schema_migration")
        connection.execute("INSERT INTO schema_migration (name, applied) VALUES ('0001_initial', '')")
        connection.execute("ALTER TABLE event DROP COLUMN calendar_lines")
        connection.commit()

    assert run("restore", str(old), "--yes")[0] == 0

    now = everything(database_url)
    for found in (then, now):  # each backup gets a key of its own
        found["editing_state"] = [(id, user) for id, _, user in found["editing_state"]]
    assert now == then


@pytest.mark.sqlite
def test_database_itself_is_refused_with_the_commands_to_run(file: Path, run: Run) -> None:
    database.bind(f"sqlite:///{file.rename(file.with_name('old.sqlite3'))}")
    found = migrate.unavailable_reason()
    database.close_connection()

    assert found is not None
    assert "`calendar-api restore FILE` with this one" in str(found.__cause__)
    with pytest.raises(type(found)):
        migrate.migrate()
    database.close_connection()
