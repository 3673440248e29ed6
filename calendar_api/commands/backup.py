"""Back up any database into one verified SQLite file, and restore it.

A file is used only after it was checked from end to end, and gets its name in one step.
"""

import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from calendar_api import database
from calendar_api.commands import copy
from calendar_api.database import migrate
from calendar_api.database.models import FailedAttempt, Table
from calendar_api.database.sqlite import file_copy
from calendar_api.database.sqlite.file_copy import SUFFIXES, UnfitFile
from calendar_api.database.urls import SqliteAddress, parse

#: Tables that had another name before the first release.
_OLD_TABLES = {"idempotent_response": "first_answer"}


class BackupError(Exception):
    """Why nothing was written, for the operator."""


@dataclass(frozen=True)
class Restored:
    """`aside`: the previous database under its new name, if any; `outdated`: migrate must be run."""

    aside: Path | None
    outdated: bool


def save(url: str, file: Path, *, force: bool) -> int:
    """Write the bound database into `file` with permissions 0600; return its size in bytes.

    Writers are not blocked; what they committed before is included. Raises BackupError, also for an existing
    file unless `force` replaces it.
    """
    file = file.absolute()
    source = _path(url)
    _require_free(file, source, force=force)
    with _beside(file) as new:
        try:
            if source is None:
                new.unlink()  # `copy` creates the file, with the settings of any of our databases
                copy.run(f"sqlite:///{quote(str(new))}")
            else:
                file_copy.snapshot(source, new, live=True)
            file_copy.make_single(new)
            _require_sound(new)
        except UnfitFile as error:
            raise BackupError(f"The backup could not be made: {error}") from error
        _put(new, file, force=force)
        return file.stat().st_size


def present(url: str) -> bool:
    """Return whether there is a SQLite database that restoring would rename."""
    path = _path(url)
    return path is not None and path.exists()


def restore(url: str, file: Path, now: datetime) -> Restored:
    """Replace the database at `url` by the backup in `file`.

    An existing SQLite database is renamed; a database on a server must be empty. Raises BackupError if the
    file is not a complete backup or the database is being written to, and CopyError if it is not empty.
    """
    target = _path(url)
    near = target or file
    if target is not None:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _beside(near.absolute()) as new:
        try:
            file_copy.snapshot(file, new, live=False)
            file_copy.make_single(new)
            if file_copy.fault(new) is None and migrate.UNRELEASED in file_copy.migrations(new):
                _rebuild(new)
        except UnfitFile as error:
            raise BackupError(f"{file} cannot be restored: {error}") from error
        outdated = _require_sound(new)
        if target is None:
            _into_server(new, url)
            return Restored(None, outdated=False)
        return Restored(_replace(target.absolute(), new, now), outdated)


def _path(url: str) -> Path | None:
    """Return the file of a SQLite URL; None for a server."""
    address = parse(url)
    return address.path if isinstance(address, SqliteAddress) else None


def _require_free(file: Path, source: Path | None, *, force: bool) -> None:
    if not file.parent.is_dir():
        raise BackupError(f"There is no directory {file.parent}.")
    if source is not None and file.exists() and file.samefile(source):
        raise BackupError(f"{file} is the database itself.")
    if file.exists() and not force:
        raise BackupError(f"{file} is there already; give another name, or --force to replace it.")
    beside = [suffix for suffix in SUFFIXES if Path(f"{file}{suffix}").exists()]
    if beside:
        raise BackupError(f"{file}{beside[0]} shows that {file} is in use as a database; give another name.")


@contextmanager
def _beside(file: Path) -> Iterator[Path]:
    """Create a file (0600) on the same disk, and delete it at the end with all files beside it."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{file.name[:100]}.", suffix=".new", dir=file.parent)
    except OSError as error:
        raise BackupError(f"Nothing can be written in {file.parent}: {error.strerror}.") from error
    os.close(handle)
    new = Path(name)
    try:
        yield new
    except OSError as error:
        raise BackupError(f"{file} could not be written: {error.strerror}.") from error
    finally:
        for left in file.parent.glob(f"{glob.escape(new.name)}*"):
            left.unlink(missing_ok=True)


def _require_sound(file: Path) -> bool:
    """Raise BackupError unless this is an undamaged database of ours; return whether it must be migrated."""
    fault = file_copy.fault(file)
    if fault is not None:
        raise BackupError(f"This is no backup that could be used: {fault}.")
    applied, known = file_copy.migrations(file), migrate.known_migrations()
    if not applied or set(applied) - set(known):
        raise BackupError("The file was made by a newer release than this one. Install that release again.")
    return set(applied) != set(known)


def _put(new: Path, file: Path, *, force: bool) -> None:
    """Sync the file and give it its name in one step; replace an existing file only with `force`."""
    file_copy.sync(new)
    if force:
        new.replace(file)
    else:
        try:
            os.link(new, file)
        except FileExistsError as error:
            raise BackupError(f"{file} is there already; give another name, or --force.") from error
        except OSError:  # a file system without hard links
            if file.exists():
                raise BackupError(f"{file} is there already; give another name, or --force.") from None
            new.replace(file)
    file_copy.sync(file.parent)


def _replace(target: Path, new: Path, now: datetime) -> Path | None:
    """Rename the old file, with all that was committed to it, and put the new one in its place."""
    aside = _unused(target, now)
    try:
        with file_copy.writers_waiting(target):
            # SQLite would apply a -wal file that is left behind to the new database.
            moved = [suffix for suffix in ("", *SUFFIXES) if Path(f"{target}{suffix}").exists()]
            owner = target.stat() if moved[:1] == [""] else target.parent.stat()
            if os.geteuid() == 0:  # the service runs as another user
                os.chown(new, owner.st_uid, owner.st_gid)
            file_copy.sync(new)
            for suffix in moved:
                Path(f"{target}{suffix}").rename(f"{aside}{suffix}")
            new.replace(target)
            file_copy.sync(target.parent)
    except UnfitFile as error:
        raise BackupError(f"Nothing was restored: {error}") from error
    return aside if moved else None


def _unused(target: Path, now: datetime) -> Path:
    stem = f"{target}.before-restore-{now:%Y%m%dT%H%M%SZ}"
    names = [stem, *(f"{stem}-{number}" for number in range(2, 100))]
    return next(Path(name) for name in names if not Path(name).exists())


def _into_server(file: Path, url: str) -> None:
    """Copy the rows into an empty database on a server; migrate the temporary file first."""
    with _opened(file):
        migrate.migrate()
        copy.run(url)


@contextmanager
def _opened(file: Path) -> Iterator[None]:
    """Bind a SQLite file for a while."""
    with database.using(database.engine(f"sqlite:///{quote(str(file))}")):
        try:
            yield
        finally:
            database.close_connection()


def _rebuild(file: Path) -> None:
    """Give a database that was made before the first release (by ten migrations) the schema of this one."""
    old = file.rename(f"{file}.old")
    models: tuple[type[Table], ...] = (*copy.COPIED, FailedAttempt)
    names = [model._meta.table_name for model in models]
    with _opened(file):
        migrate.migrate(target="0001_initial")
        database.open_connection()
        execute = database.db.execute_sql
        execute("ATTACH ? AS old", (str(old),))
        # A running service accepts a replaced file by this number.
        execute(f"PRAGMA user_version = {execute('PRAGMA old.user_version').fetchone()[0]}")
        with database.bulk_load():
            for table, columns in migrate.columns(names).items():
                listed = ", ".join(f'"{column}"' for column in sorted(columns))
                source = _OLD_TABLES.get(table, table)
                execute(f'INSERT INTO "{table}" ({listed}) SELECT {listed} FROM old."{source}"')  # noqa: S608 - names from the schema
        migrate.migrate()
    file_copy.make_single(file)
