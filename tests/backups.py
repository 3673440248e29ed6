"""What the tests of backup and restore share: the content of a database, and ways to spoil a file."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from calendar_api import database
from calendar_api.commands import copy
from tests.templates import opened


def everything(url: str) -> dict[str, list[tuple[Any, ...]]]:
    with database.using(database.engine(url)):
        with database.read():
            found = {
                model._meta.table_name: sorted(model.select().tuples(), key=repr) for model in copy.COPIED
            }
        database.close_connection()
    return found


def at(path: Path) -> str:
    return f"sqlite:///{quote(str(path))}"


def damage(path: Path) -> None:
    """Other bytes in the middle of every page but the first."""
    connection = opened(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(path.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 64] = b"\xa5" * 64
    path.write_bytes(bytes(content))
