"""Create and change the schema by migrations, write new ones, and check that it fits this release."""

import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from calendar_api import database
from calendar_api.database.errors import unusable
from calendar_api.database.tables import TABLES
from calendar_api.domain.errors import DatabaseUnavailable
from calendar_api.domain.translation import message

if TYPE_CHECKING:
    from playhouse.migrations import Migration, Runner
    from playhouse.schema_diff import SchemaDiff

COMMAND = "calendar-api migrate"
MIGRATIONS = Path(__file__).parent / "migrations"

#: A migration of the versions before the first release. `restore` gives their databases today's tables.
UNRELEASED = "0001_initial"
_REBUILD = (
    "the database was made before the first release: run `calendar-api backup FILE` with the version that "
    "made it, then `calendar-api restore FILE` with this one"
)


class MigrationError(Exception):
    """Why no migration was written, for the developer."""


class Misconfigured(Exception):
    """How the database is set up wrongly, for its operator only; `word` is what `/health` reports."""

    word = "unfit"


class SchemaDamaged(Misconfigured):
    """Tables or columns are missing."""

    word = "schema_damaged"


def _runner(folder: Path = MIGRATIONS) -> "Runner":
    # Imported when needed: commands need it, a server never does.
    return import_module("playhouse.migrations").Runner(database.bound(), str(folder))


# -- migrating


def known_migrations(folder: Path = MIGRATIONS) -> list[str]:
    """Return the names of the migrations of this release, in order."""
    return sorted(path.stem for path in folder.glob("[0-9]*.py"))


def status() -> "list[Migration]":
    """Return Peewee's `Migration` tuples, known or applied, in order; needs a connection."""
    return list(_runner().status())


def migrate(folder: Path = MIGRATIONS, target: str | None = None) -> list[str]:
    """Create the database if there is none, apply all migrations up to `target`, and return their names.

    On SQLite all are applied or none; on MySQL an interrupted run is continued by the next one. Raises
    DatabaseUnavailable before it changes a database that was made by another release, or that is on a server
    that could not serve it.
    """
    if not database.exists():
        database.create()
    with database.schema_change():
        if (reason := _misconfigured() or _other_release(folder)) is not None:
            raise reason
        return list(_runner(folder).up(target))


def write_migration(name: str, folder: Path = MIGRATIONS) -> Path | None:
    """Write the next migration: what the models have and the migrations in `folder` do not make.

    Returns its path, or None if there is no difference. Finds added tables, and added and dropped columns and
    indexes; not changed types and constraints. Raises MigrationError.
    """
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise MigrationError(f"{folder} is not writable: run the command in a checkout of the source.")
    if folder == MIGRATIONS and not (MIGRATIONS.parents[2] / "pyproject.toml").exists():
        raise MigrationError("This is an installed package: run the command in a checkout of the source.")
    with tempfile.TemporaryDirectory() as empty:
        new = database.engine(f"sqlite:///{quote(empty)}/calendar.sqlite3")
        with database.using(new), closing(new):
            migrate(folder)
            with database.read():
                diff = import_module("playhouse.schema_diff").diff_models(new, TABLES)
    if not diff:
        return None
    return Path(_runner(folder).create(name, _source(name, diff)))


def _source(name: str, diff: "SchemaDiff") -> str:
    """Return Peewee's source of a migration, with types, without `down`: schemas are not downgraded."""
    source: str = import_module("playhouse.migrations").template(diff)
    body = source[source.index("import *") + len("import *") : source.index("\n\ndef down(")].rstrip()
    body = body.replace("def up(migrator, db):", "def up(migrator: SchemaMigrator, db: Database) -> None:")
    if '"' not in body:
        body = body.replace("'", '"')
    names = {*re.findall(r"\b[A-Z]\w+\b", body)} & set(dir(import_module("peewee")))
    todo = [
        f"\n# Add by hand the constraints of {field.model._meta.table_name}.{field.column_name}"
        for field in diff.add_columns
        if field.constraints
    ]
    return (
        f'"""{name.replace("_", " ").capitalize()}."""\n\nfrom peewee import {", ".join(sorted(names))}\n'
        f"from playhouse.migrate import SchemaMigrator\n{''.join(todo)}{body}\n"
    )


# -- checking


def unavailable_reason() -> DatabaseUnavailable | None:
    """Return why this database cannot be served, with the command to run; None if it can."""
    if database.exists():
        return database.run_read(_schema_problem)
    text = message(
        "There is no database yet. Run `{migrate}` to make one, then `{add}`.",
        migrate=COMMAND,
        add="calendar-api user invite NAME --role administrator",
    )
    return DatabaseUnavailable(text, code="not_initialised", retry_after=60)


def _schema_problem() -> DatabaseUnavailable | None:
    """The same for a database that exists; needs a connection."""
    if (unfit := _misconfigured([model._meta.table_name for model in TABLES])) is not None:
        return unfit
    if (other := _other_release(MIGRATIONS)) is not None:
        return other
    if set(known_migrations()) - _applied():
        text = message("The database is older than this release. Run `{migrate}`.", migrate=COMMAND)
        return DatabaseUnavailable(text, code="rest_schema_outdated", retry_after=60)
    if not (missing := missing_columns()):
        return None
    lacks = f"the schema lacks {', '.join(missing)}: restore a backup (`calendar-api restore FILE`)"
    return _unusable(SchemaDamaged(lacks))


def _misconfigured(tables: Sequence[str] = ()) -> DatabaseUnavailable | None:
    """Return what is wrong with the server or these tables; needs a connection."""
    found = [one.text for one in database.diagnose("setup", tables) if one.reason == "misconfigured"]
    return _unusable(Misconfigured(found[0])) if found else None


def _other_release(folder: Path) -> DatabaseUnavailable | None:
    """Return an error if migrations were applied that `folder` lacks; needs a connection."""
    applied = _applied()
    if UNRELEASED in applied:
        return _unusable(Misconfigured(_REBUILD)) if missing_columns() else None
    if applied <= set(known_migrations(folder)):
        return None
    text = message("The database was made by a newer release than this one. Install that release again.")
    return DatabaseUnavailable(text, code="rest_schema_unknown", retry_after=60)


def _unusable(reason: Misconfigured) -> DatabaseUnavailable:
    error = unusable(retry_after=60)
    error.__cause__ = reason
    return error


def _applied() -> set[str]:
    """Return the names of the applied migrations; needs a connection."""
    if not database.bound().table_exists("schema_migration"):
        return set()
    return {name for (name,) in database.bound().execute_sql("SELECT name FROM schema_migration").fetchall()}


def columns(tables: Iterable[str]) -> dict[str, set[str]]:
    """Return the columns of those of the tables that exist; needs a connection."""
    db, found = database.bound(), {}
    existing = db.get_tables()
    for table in [table for table in tables if table in existing]:
        cursor = db.execute_sql(f"SELECT * FROM {table.join(db.quote)} LIMIT 0")  # noqa: S608 - a name of ours
        found[table] = {str(column[0]) for column in cursor.description}
    return found


def missing_columns() -> list[str]:
    """Return the tables and columns of the models that the database lacks; needs a connection."""
    missing = []
    found = columns(model._meta.table_name for model in TABLES)
    for model in TABLES:
        table = model._meta.table_name
        if table not in found:
            missing.append(f"the table {table}")
            continue
        names = [field.column_name for field in model._meta.sorted_fields]
        missing += [f"the column {table}.{name}" for name in names if name not in found[table]]
    return missing


def missing_indexes() -> list[str]:
    """Return the indexes of the models that the database lacks, by their columns; needs a connection."""
    missing = []
    for model in TABLES:
        table = model._meta.table_name
        found = {tuple(index.columns) for index in database.bound().get_indexes(table)}
        for index in model._meta.fields_to_index():
            columns = tuple(field.column_name for field in index._expressions)
            if columns not in found:
                missing.append(f"an index of {table} on {','.join(columns)}")
    return missing
