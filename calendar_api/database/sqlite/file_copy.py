"""Copy, verify and sync whole SQLite files, also while they are in use. Only through SQLite itself.

For commands, each with a connection of its own. Files may come from anywhere: trust nothing in them.
"""

import contextlib
import os
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from calendar_api.database.sqlite import driver
from calendar_api.database.sqlite.database_file import APPLICATION_ID, DatabaseFile, FileProblem
from calendar_api.database.sqlite.driver import Connection, sqlite3

BUSY_TIMEOUT = 5.0

#: What SQLite puts next to a database.
SUFFIXES = ("-wal", "-shm", "-journal")


class UnfitFile(Exception):
    """Why a file cannot be read or written, as a sentence."""


def snapshot(source: Path, target: Path, *, live: bool) -> None:
    """Copy a database in one step: what was committed until then, whole, while writers go on.

    One that is `live` may have to be recovered first, after a crash; another one is left as it is.
    """
    if live:
        _require_wal(source)
    with _opened(source, "rw" if live else "ro") as old, _opened(target, "rw") as new:
        new.execute("PRAGMA synchronous = OFF")  # the whole file is synced when it is done
        old.backup(new)


def make_single(file: Path) -> None:
    """Make the file complete without a -wal beside it, so that it can be moved."""
    with _opened(file, "rw") as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


def use_wal(file: Path) -> None:
    """Set the journal mode of the service; of processes that do so at the same moment, some would fail."""
    with _opened(file, "rw") as connection:
        connection.execute("PRAGMA journal_mode = WAL")


def replace_signing_key(file: Path) -> None:
    """Give the file a key of its own for sessions: that of a backup is then of no use."""
    with _opened(file, "rw") as connection:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'editing_state'").fetchone():
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("UPDATE editing_state SET key = ?", [secrets.token_hex(32)])


def fault(file: Path) -> str | None:
    """Return what is wrong with a file that should be our database, None if nothing; reads all of it."""
    try:
        with _opened(file, "ro") as connection:
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                return "it is not a database of this service"
            return damage(connection)
    except UnfitFile as error:
        return str(error)


def damage(connection: Connection) -> str | None:
    """Return what SQLite finds broken, as a sentence; compares every index with its table."""
    try:
        lines = _problems(connection, "PRAGMA integrity_check")
    except sqlite3.DatabaseError as error:
        if not _is_search_index(str(error)):
            raise
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search_index%'"
        ).fetchall()
        checks = [f'PRAGMA integrity_check("{table}")' for (table,) in tables]
        lines = [line for check in checks for line in _problems(connection, check)]
    if lines:
        return f"it is damaged ({' '.join(lines[0].split())[:200]})"
    dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
    return f"rows of {dangling[0]} refer to rows that are missing" if dangling else None


def _problems(connection: Connection, check: str) -> list[str]:
    lines = [str(line) for (line,) in connection.execute(check)]
    return [line for line in lines if line != "ok" and not _is_search_index(line)]


def _is_search_index(text: str) -> bool:
    """Return whether newer versions of SQLite say this of the search index, which `reindex` rebuilds."""
    return "fts5" in text.lower()


def migrations(file: Path) -> list[str]:
    """Return the names of the applied migrations."""
    with _opened(file, "ro") as connection, contextlib.suppress(sqlite3.OperationalError):
        rows = connection.execute("SELECT name FROM schema_migration WHERE applied IS NOT NULL ORDER BY name")
        return [str(name) for (name,) in rows]
    return []


@contextmanager
def writers_waiting(file: Path) -> Iterator[None]:
    """Block commits to this database meanwhile; one that cannot be read at all has no writers.

    Raises UnfitFile for a database that is in use, or not in WAL mode.
    """
    if not file.exists():
        yield
        return
    _require_wal(file)
    with contextlib.ExitStack() as stack:
        try:
            connection = stack.enter_context(closing(driver.connect(driver.uri(file, "rw"), BUSY_TIMEOUT)))
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            stack.close()
            if driver.error_name(error).startswith("SQLITE_BUSY"):
                raise UnfitFile("the database is being written to; stop the server first.") from error
        yield


def sync(path: Path) -> None:
    """Let a file, or the names in a directory, survive a power cut. Never for a database in use."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _require_wal(file: Path) -> None:
    try:
        DatabaseFile(file).require_wal()
    except (FileProblem, sqlite3.Error) as error:
        raise UnfitFile(f"{error}.") from error


@contextmanager
def _opened(file: Path, mode: str) -> Iterator[Connection]:
    try:
        with closing(driver.connect(driver.uri(file, mode), BUSY_TIMEOUT)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise UnfitFile(f"SQLite says: {error}") from error
