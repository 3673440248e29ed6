"""Migrations: they make what the models say, once, and wholly or not at all."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import peewee
import pytest
from peewee import CharField

from calendar_api import database
from calendar_api.database import migrate
from calendar_api.database.models import Record, User, Venue
from calendar_api.database.tables import TABLES
from calendar_api.domain.errors import DatabaseUnavailable
from tests.command_line import Run
from tests.database.test_models import THEN, VENUE

GOOD = """
def up(migrator, db):
    db.execute_sql("CREATE TABLE first (id INTEGER PRIMARY KEY)")
"""
INTERRUPTED = """
def up(migrator, db):
    db.execute_sql("CREATE TABLE second (id INTEGER PRIMARY KEY)")
    db.execute_sql("DELETE FROM user")
    raise ZeroDivisionError
"""
REBUILT = """
def up(migrator, db):
    db.execute_sql("CREATE TABLE user_new AS SELECT * FROM user")
    db.execute_sql("DROP TABLE user")
    columns = "login, role, created_utc, password, last_active_utc, session_epoch"
    db.execute_sql(f"CREATE TABLE user (id INTEGER NOT NULL PRIMARY KEY, {columns})")
    db.execute_sql("INSERT INTO user SELECT * FROM user_new")
    db.execute_sql("DROP TABLE user_new")
"""


def schema() -> list[tuple[str, str, list[str]]]:
    """Tables with their columns and constraints, and indexes; the order of columns does not matter."""
    with database.read():
        rows = database.db.execute_sql(
            "SELECT type, name, coalesce(sql, '') FROM sqlite_master WHERE tbl_name NOT LIKE 'sqlite_%' "
            "AND tbl_name <> 'schema_migration' ORDER BY type, name"
        )
        return [(kind, name, sorted(parts(sql)) if kind == "table" else [sql]) for kind, name, sql in rows]


def parts(sql: str) -> list[str]:
    """The parts of a CREATE TABLE in any order, without the defaults that only old rows need.

    A column that is added to a table stands behind its constraints.
    """
    inside = sql[sql.index("(") + 1 : sql.rindex(")")]
    return sorted(re.sub(r" DEFAULT '[^']*'", "", part).strip() for part in inside.split(","))


def names() -> list[str]:
    return sorted(path.stem for path in migrate.MIGRATIONS.glob("[0-9]*.py"))


def content(new_database_url: str) -> list[str]:
    """Everything in the file: what its tables and indexes were made by, and the rows."""
    with database.read():
        run = database.db.execute_sql
        made = run("SELECT name, sql, type FROM sqlite_master ORDER BY name").fetchall()
        tables = [name for name, _, kind in made if kind == "table"]
        rows = [(name, *row) for name in tables for row in run(f'SELECT * FROM "{name}"').fetchall()]
        return [repr(row) for row in (*made, *rows)]


@pytest.mark.sqlite
def test_migrated_schema_equals_the_models(new_database_url: str, tmp_path: Path) -> None:
    migrate.migrate()
    migrated = schema()
    database.close_connection()
    other = f"sqlite:///{tmp_path}/models.sqlite3"
    database.bind(other)
    database.create()
    with database.schema_change():
        database.db.create_tables(TABLES)

    made = schema()
    database.close_connection()

    assert len(migrated) > 40
    assert migrated == made


@pytest.mark.sqlite
def test_long_columns_of_events_come_last(database_url: str) -> None:
    with database.read():
        columns = [row[1] for row in database.db.execute_sql("PRAGMA table_info(event)").fetchall()]

    assert columns[-5:] == ["document", "description", "excerpt", "json_ld", "calendar_lines"]


@pytest.mark.sqlite
def test_migrate_twice_is_no_change(new_database_url: str) -> None:
    first = migrate.migrate()
    before = content(new_database_url)

    second = migrate.migrate()

    assert (first, second) == (names(), [])
    assert content(new_database_url) == before
    database.close_connection()


def test_database_is_available_once_it_is_migrated(new_database_url: str, backend: str) -> None:
    before = migrate.unavailable_reason()
    database.create()
    empty = migrate.unavailable_reason()
    migrate.migrate()

    after = migrate.unavailable_reason()
    database.close_connection()

    assert before is not None
    assert empty is not None
    assert before.code == "not_initialised"
    # An empty file is somebody's file; on a server, an empty database is as good as none.
    assert empty.code == ("rest_schema_outdated" if backend == "sqlite" else "not_initialised")
    assert (before.headers, empty.headers) == ({"Retry-After": "60"}, {"Retry-After": "60"})
    assert "calendar-api migrate" in before.message
    assert "calendar-api migrate" in empty.message
    assert after is None


@pytest.mark.sqlite
def test_interrupted_migration_leaves_the_file_as_before(database_url: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(migrate.MIGRATIONS, tmp_path / "migrations"))
    (folder / "0098_good.py").write_text(GOOD)
    (folder / "0099_interrupted.py").write_text(INTERRUPTED)
    before = content(database_url)

    with pytest.raises(ZeroDivisionError):
        migrate.migrate(folder)

    assert any("'administrator'" in statement for statement in before)
    assert content(database_url) == before


@pytest.mark.sqlite
def test_rebuilt_table_keeps_rows_that_refer_to_it(database_url: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(migrate.MIGRATIONS, tmp_path / "migrations"))
    (folder / "0098_rebuilt.py").write_text(REBUILT)
    with database.read():
        count = "SELECT count(*) FROM application_password"
        before = database.db.execute_sql(count).fetchone()[0]

    migrate.migrate(folder)

    with database.read():
        assert database.db.execute_sql(count).fetchone()[0] == before == User.select().count()
        assert database.db.pragma("foreign_keys") == 1


def unreleased() -> None:
    """Make a database like one that six migrations made before the first release, with a user."""
    migrate.migrate()
    with database.write():
        User.create(id=1, login="admin", role="administrator", created_utc=THEN)
        database.db.execute_sql("DELETE FROM schema_migration")
        for name in ("0001_initial", "0006_documents_apart"):
            row = (name, THEN)
            marks = ", ".join([database.db.param] * len(row))
            database.db.execute_sql(f"INSERT INTO schema_migration (name, applied) VALUES ({marks})", row)


def test_database_of_before_the_first_release_that_has_all_columns_is_used(new_database_url: str) -> None:
    unreleased()
    before = migrate.unavailable_reason()

    applied = migrate.migrate()

    assert before is not None
    assert before.code == "rest_schema_outdated"
    assert applied == names()
    assert migrate.unavailable_reason() is None
    with database.read():
        assert [one.login for one in User.select()] == ["admin"]
        assert migrate.missing_columns() == migrate.missing_indexes() == []
    database.close_connection()


def test_older_database_is_refused_with_the_way_to_move_it(new_database_url: str) -> None:
    unreleased()
    with database.schema_change():
        database.db.execute_sql("ALTER TABLE event DROP COLUMN calendar_lines")

    for ask in (migrate.unavailable_reason, migrate.migrate):
        try:
            found = ask()
        except DatabaseUnavailable as error:
            found = error
        assert isinstance(found, DatabaseUnavailable)
        assert "`calendar-api restore FILE`" in database.describe(found)
    with database.read():
        assert "0001_tables" not in [one.name for one in migrate.status() if one.applied]
    database.close_connection()


# -- writing a migration


@pytest.fixture
def changed(new_database_url: str, tmp_path: Path) -> Iterator[Path]:
    """A copy of the migrations and a database with a venue; then the models get one more column."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrate.MIGRATIONS, folder)
    migrate.migrate(folder)
    with database.write():
        User.create(id=1, login="admin", role="administrator", created_utc=THEN)
        Venue.insert(id=Record.create(kind="venue").id, **VENUE).execute()
        Venue.update(author=1).execute()
    Venue._meta.add_field("accessibility", CharField(default="", index=True))
    yield folder
    Venue._meta.remove_field("accessibility")
    database.close_connection()


WRITTEN = '''"""Venue accessibility."""

from peewee import CharField, Database
from playhouse.migrate import SchemaMigrator


def up(migrator: SchemaMigrator, db: Database) -> None:
    migrator.migrate(migrator.add_column("venue", "accessibility", CharField(index=True, default="")))
'''


def test_written_migration_adds_what_the_models_have_more(changed: Path) -> None:
    made = migrate.write_migration("venue_accessibility", changed)

    assert made == changed / "0003_venue_accessibility.py"
    assert made.read_text() == WRITTEN
    assert migrate.write_migration("again", changed) is None
    assert migrate.migrate(changed) == ["0003_venue_accessibility"]
    with database.read():
        assert list(Venue.select(Venue.venue, Venue.accessibility).tuples()) == [("Venue", "")]
        assert migrate.missing_columns() == migrate.missing_indexes() == []
    with pytest.raises(peewee.IntegrityError), database.write():
        Venue.update(accessibility=None).execute()


@pytest.mark.sqlite
def test_nothing_is_written_without_a_difference(run: Run) -> None:
    assert run("migrate", "--make", "nothing") == (
        0, "nothing to do: the migrations make what the models say\n", ""
    )  # fmt: skip


def test_installed_package_is_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setattr(migrate, "MIGRATIONS", tmp_path / "site" / "a" / "b" / "migrations")

    with pytest.raises(migrate.MigrationError, match="checkout of the source"):
        migrate.write_migration("field", tmp_path / "not_there")
