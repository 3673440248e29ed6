"""Whether the database is there and as new as the code; and how to make it so."""

from importlib import import_module
from pathlib import Path
from typing import Any

import falcon

from calendar_api import database
from calendar_api.errors import DatabaseUnavailable
from calendar_api.messages import message
from calendar_api.models import TABLES

COMMAND = "calendar-api migrate"
MIGRATIONS = Path(__file__).parent / "migrations"


def _runner(folder: Path = MIGRATIONS) -> Any:
    # Needed by commands, and never by a server.
    return import_module("playhouse.migrations").Runner(database.db.obj, str(folder))


def status() -> list[Any]:
    """Every migration, known or applied, in order; needs a connection."""
    return list(_runner().status())


def known() -> list[str]:
    """The names of the migrations of this release."""
    return sorted(path.stem for path in MIGRATIONS.glob("[0-9]*.py"))


def trouble() -> DatabaseUnavailable | None:
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
    applied, fault = database.reading(_inspected)
    if fault is not None:
        unfit = DatabaseUnavailable(
            message("The database cannot be used just now; its operator finds the reason in the log."),
            retry_after=60,
        )
        unfit.__cause__ = Unfit(fault)
        return unfit
    here = set(known())
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
    return None


def _inspected() -> tuple[set[str], str | None]:
    return _applied(), database.fault([model._meta.table_name for model in TABLES])


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
    with database.rebuilding():
        return list(_runner(folder).up())


class Unfit(Exception):
    """How the database is set up wrongly; for its operator alone."""


class Gate:
    """Answers 503 with the command to run until the database can be served; never makes or changes one.

    Another file in the place of the database, as after a restore, is looked at like the first one.
    """

    def __init__(self) -> None:
        self.served: object = None

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        place = database.place()
        if self.served is not None and place in (self.served, None):
            return
        found = trouble()
        if found is not None:
            raise found
        self.served = place
