"""Whether the database is there and as new as the code; and how to make it so."""

from importlib import import_module
from pathlib import Path
from typing import Any

from calendar_api import database
from calendar_api.database.models import TABLES
from calendar_api.domain.errors import DatabaseUnavailable
from calendar_api.domain.translation import message

COMMAND = "calendar-api migrate"
MIGRATIONS = Path(__file__).parent / "migrations"


def _runner(folder: Path = MIGRATIONS) -> Any:
    # Needed by commands, and never by a server.
    return import_module("playhouse.migrations").Runner(database.db.obj, str(folder))


def status() -> list[Any]:
    """Every migration, known or applied, in order; needs a connection."""
    return list(_runner().status())


def known_migrations() -> list[str]:
    """The names of the migrations of this release."""
    return sorted(path.stem for path in MIGRATIONS.glob("[0-9]*.py"))


def unavailable_reason() -> DatabaseUnavailable | None:
    """Why this database cannot be served, with the command to run; None when all is well."""
    if not database.exists():
        return DatabaseUnavailable(
            message(
                "There is no database yet. Run `{migrate}` to make one, then `{add}`.",
                migrate=COMMAND,
                add="calendar-api user add NAME --role administrator",
            ),
            code="not_initialised",
            retry_after=60,
        )
    applied, fault, missing = database.run_read(_inspected)
    if fault is not None:
        return _unusable(Misconfigured(fault))
    here = set(known_migrations())
    if applied - here:
        return DatabaseUnavailable(
            message("The database was made by a newer release than this one. Install that release again."),
            code="rest_schema_unknown",
            retry_after=60,
        )
    if here - applied:
        return DatabaseUnavailable(
            message("The database is older than this release. Run `{migrate}`.", migrate=COMMAND),
            code="rest_schema_outdated",
            retry_after=60,
        )
    return _unusable(SchemaDamaged(missing)) if missing else None


def _unusable(reason: "Misconfigured") -> DatabaseUnavailable:
    """The operator reads the reason in the log; nobody else does."""
    unfit = DatabaseUnavailable(
        message("The database cannot be used just now; its operator finds the reason in the log."),
        retry_after=60,
    )
    unfit.__cause__ = reason
    return unfit


def _inspected() -> tuple[set[str], str | None, list[str]]:
    tables = [model._meta.table_name for model in TABLES]
    found = [one.text for one in database.diagnose("setup", tables) if one.code == "misconfigured"]
    return _applied(), found[0] if found else None, [] if found else missing_columns()


def missing_columns() -> list[str]:
    """The tables and columns of the models that the database lacks; needs a connection."""
    found = database.columns([model._meta.table_name for model in TABLES])
    missing = []
    for model in TABLES:
        table = model._meta.table_name
        if table not in found:
            missing.append(f"the table {table}")
            continue
        names = [field.column_name for field in model._meta.sorted_fields]
        missing += [f"the column {table}.{name}" for name in names if name not in found[table]]
    return missing


def missing_indexes() -> list[str]:
    """The indexes of the models that the database lacks, by their columns; needs a connection."""
    found = database.indexes()
    missing = []
    for model in TABLES:
        table = model._meta.table_name
        for index in model._meta.fields_to_index():
            names = [getattr(field, "column_name", "") for field in index._expressions]
            if not all(names):
                continue  # on an expression, which MySQL does not have
            columns = ",".join(names)
            if (table, columns) not in found:
                missing.append(f"an index of {table} on {columns}")
    return missing


def _applied() -> set[str]:
    """The names of the migrations that the database has had."""
    if not database.db.table_exists("schema_migration"):
        return set()
    return {name for (name,) in database.db.execute_sql("SELECT name FROM schema_migration").fetchall()}


def migrate(folder: Path = MIGRATIONS) -> list[str]:
    """Make the database if there is none, and bring its schema up to date.

    On SQLite it is all or nothing; on MySQL an interrupted one goes on where it stopped.

    Returns the names of the migrations that were applied.
    """
    if not database.exists():
        database.create()
    with database.schema_change():
        return list(_runner(folder).up())


class Misconfigured(Exception):
    """How the database is set up wrongly; for its operator alone."""

    word = "unfit"


class SchemaDamaged(Misconfigured):
    """What the schema lacks."""

    word = "schema_damaged"

    def __init__(self, missing: list[str]) -> None:
        super().__init__(
            f"the schema lacks {', '.join(missing)}: restore a backup (`calendar-api restore FILE`)"
        )
