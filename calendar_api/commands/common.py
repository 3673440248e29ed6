"""What the commands have in common: how they are declared, how they reach the database, how they refuse."""

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from calendar_api import database
from calendar_api.database import migrate
from calendar_api.domain import dates

Result = TypeVar("Result")


def refused(message: str) -> int:
    print(f"calendar-api: {message}", file=sys.stderr)
    return 1


def command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Callable[..., int],
    text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run)
    return parser


def writing(work: Callable[[str], Result]) -> Result:
    """What `work` returns for the time (UTC), in a write transaction on a database that can be served."""
    require_database()
    return database.run_write(lambda: work(dates.text(datetime.now(UTC))))


def reading(work: Callable[[], Result]) -> Result:
    require_database()
    return database.run_read(work)


def require_database() -> None:
    found = migrate.unavailable_reason()
    if found is not None:
        raise found
