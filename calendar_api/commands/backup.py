"""Back up any database into one verified SQLite file, and restore it.

A file is used only after it was checked from end to end, and gets its name in one step.
"""

import argparse
import glob
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import quote

from calendar_api import database
from calendar_api.commands import CommandError, copy, unreleased
from calendar_api.commands.terminal import Progress
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.sqlite import file_copy, write_lock
from calendar_api.database.sqlite.database_file import BEFORE_RESTORE
from calendar_api.database.sqlite.file_copy import SUFFIXES, UnfitFile
from calendar_api.database.urls import SqliteAddress, parse
from calendar_api.middleware import access_log
from calendar_api.store import document_upkeep

_ABANDONED = 12 * 3600  # seconds without a write to a temporary file
#: How many backups `--rotate` keeps.
DAYS, WEEKS = 7, 4


def backup_database(arguments: argparse.Namespace, config: Config) -> None:
    today = datetime.now(UTC)
    file = arguments.file / f"daily-{today:%Y-%m-%d}.sqlite3" if arguments.rotate else arguments.file
    size = save(config.database_url, file, force=arguments.force or arguments.rotate)
    print(f"{file}: {size} bytes, verified")
    if arguments.rotate:
        rotate(file, today)


def restore_database(arguments: argparse.Namespace, config: Config) -> None:
    """Raises CommandError if nothing was restored."""
    target = _path(config.database_url)
    replaces = target is not None and target.exists()
    if replaces and not arguments.yes and not _confirmed(arguments.file):
        raise CommandError("Nothing was restored. Use --yes to restore without confirmation.")
    aside, outdated = restore(config.database_url, arguments.file, datetime.now(UTC))
    access_log.audit_command(config.log, "database_restored", file=arguments.file.name)
    print(f"restored from {arguments.file}")
    if aside is not None:
        print(f"the previous database is now {aside}")
    if outdated:
        print("the backup is of an older release: run `calendar-api migrate`")
    else:
        with Progress("rendering documents") as progress:
            document_upkeep.rewrite(config.site, partial(progress, progress.label))


def _confirmed(file: Path) -> bool:
    if not sys.stdin.isatty():
        return False
    print("The current database will be renamed and no longer used.")
    return input(f"Restore {file}? Type yes: ").strip() == "yes"


def save(url: str, file: Path, *, force: bool) -> int:
    """Write the bound database into `file` with permissions 0600; return its size in bytes.

    Writers are not blocked; what they committed before is included. Raises CommandError, also for an existing
    file unless `force` replaces it.
    """
    file = file.absolute()
    source = _path(url)
    require_not_database(file, url)
    _require_unused(file)
    require_free(file, force=force)
    with temporary_file(file) as new, Progress("copying") as progress:
        try:
            if source is None:
                new.unlink()  # `copy` creates the file, with the settings of any of our databases
                copy.run(f"sqlite:///{quote(str(new))}", progress)
            else:
                file_copy.snapshot(source, new, live=True)
            progress("verifying")
            file_copy.make_single(new)
            _require_intact(new)
            file_copy.replace_signing_key(new)
        except UnfitFile as error:
            raise CommandError(f"The backup could not be made: {error}") from error
        move_to(new, file, force=force)
        return file.stat().st_size


def restore(url: str, file: Path, now: datetime) -> tuple[Path | None, bool]:
    """Replace the database at `url` by the backup in `file`.

    Return the new name of the previous SQLite database, if any, and whether `migrate` must be run. A database
    on a server must be empty. Raises CommandError if it is not, if the file is not a complete backup, and if
    the database is being written to.
    """
    target = _path(url)
    if target is not None:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with temporary_file((target or file).absolute()) as new, Progress("reading the backup") as progress:
        try:
            file_copy.snapshot(file, new, live=False)
            file_copy.make_single(new)
            progress("verifying")
            _require_intact(new)
            if migrate.UNRELEASED in file_copy.migrations(new):
                unreleased.rebuild(new)
                _require_intact(new)
        except UnfitFile as error:
            raise CommandError(f"{file} cannot be restored: {error}") from error
        outdated = _is_outdated(new)
        file_copy.replace_signing_key(new)
        if target is None:
            with opened(new):
                migrate.migrate()
                copy.run(url, progress)
            return None, False
        file_copy.use_wal(new)
        return _replace(target.absolute(), new, now), outdated


def rotate(daily: Path, today: datetime) -> None:
    """Keep the first backup of each week (ISO 8601) beside the daily ones, and delete the oldest of both.

    Raises CommandError.
    """
    weekly = daily.with_name(f"weekly-{today:%G-W%V}.sqlite3")
    try:
        if not weekly.exists():
            with temporary_file(weekly) as new:
                shutil.copyfile(daily, new)
                move_to(new, weekly, force=True)
        for pattern, count in (("daily-*.sqlite3", DAYS), ("weekly-*.sqlite3", WEEKS)):
            for old in sorted(daily.parent.glob(pattern))[:-count]:
                old.unlink()
    except OSError as error:
        raise CommandError(f"{daily.parent} could not be changed: {error.strerror}.") from error


def _path(url: str) -> Path | None:
    """Return the file of a SQLite URL; None for a server."""
    address = parse(url)
    return address.path if isinstance(address, SqliteAddress) else None


def require_free(file: Path, *, force: bool) -> None:
    """Raise CommandError if the name is taken; `force` replaces files, but no device or folder."""
    if file.exists() and not file.is_file():
        raise CommandError(f"{file} is not a file; give another name.")
    if file.exists() and not force:
        raise CommandError(f"{file} is there already; give another name, or --force to replace it.")


def require_not_database(file: Path, url: str) -> None:
    """Raise CommandError if the file is the SQLite database at `url`, or a file that belongs to it."""
    source = _path(url)
    if source is not None and file.resolve() in [
        Path(f"{source.resolve()}{suffix}") for suffix in ("", *SUFFIXES, write_lock.SUFFIX)
    ]:
        raise CommandError(f"{file} is the database itself, or belongs to it; give another name.")


def _require_unused(file: Path) -> None:
    if not file.parent.is_dir():
        raise CommandError(f"There is no directory {file.parent}.")
    if beside := [suffix for suffix in SUFFIXES if Path(f"{file}{suffix}").exists()]:
        raise CommandError(f"{file}{beside[0]} shows that {file} is in use as a database; give another name.")


@contextmanager
def temporary_file(file: Path) -> Iterator[Path]:
    """Create a file (0600) on the same disk, and delete it at the end with all files beside it.

    Files that killed commands have left are deleted, too. Raises CommandError if that is impossible.
    """
    prefix = f".{file.name[:100]}."
    try:
        for left in file.parent.glob(f"{re.sub('[0-9]+', '*', glob.escape(prefix))}????????.new*"):
            with suppress(OSError):  # it is gone, or belongs to another user
                if left.stat().st_mtime < time.time() - _ABANDONED:
                    left.unlink()
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=".new", dir=file.parent)
    except OSError as error:
        raise CommandError(f"Nothing can be written in {file.parent}: {error.strerror}.") from error
    os.close(handle)
    new = Path(name)
    try:
        yield new
    except OSError as error:
        raise CommandError(f"{file} could not be written: {error.strerror}.") from error
    finally:
        for left in file.parent.glob(f"{glob.escape(new.name)}*"):
            left.unlink(missing_ok=True)


def _require_intact(file: Path) -> None:
    """Raise CommandError unless this is an undamaged database of ours; reads all of it."""
    if (fault := file_copy.fault(file)) is not None:
        raise CommandError(f"This is no backup that could be used: {fault}.")


def _is_outdated(file: Path) -> bool:
    """Return whether a database must be migrated; raises CommandError if it is of a newer release."""
    applied, known = file_copy.migrations(file), migrate.known_migrations()
    if not applied or (set(applied) - set(known) and migrate.UNRELEASED not in applied):
        raise CommandError("The file was made by a newer release than this one. Install that release again.")
    return bool(set(known) - set(applied))


def move_to(new: Path, file: Path, *, force: bool) -> None:
    """Sync the file and give it its name in one step; replace an existing file only with `force`.

    Raises CommandError for an existing file.
    """
    file_copy.sync(new)
    if force:
        new.replace(file)
    else:
        try:
            os.link(new, file)  # unlike `replace`, this fails if the name is taken
        except OSError as error:
            if os.path.lexists(file):
                raise CommandError(f"{file} is there already; give another name, or --force.") from error
            new.replace(file)  # on a file system without hard links
    file_copy.sync(file.parent)


def _replace(target: Path, new: Path, now: datetime) -> Path | None:
    """Rename the old file, with all that was committed to it, and put the new one in its place."""
    aside = _free_name(target, now)
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
        raise CommandError(f"Nothing was restored: {error}") from error
    return aside if moved else None


def _free_name(target: Path, now: datetime) -> Path:
    stem = f"{target}{BEFORE_RESTORE}{now:%Y%m%dT%H%M%SZ}"
    names = [stem, *(f"{stem}-{number}" for number in range(2, 100))]
    return next(Path(name) for name in names if not Path(name).exists())


@contextmanager
def opened(file: Path) -> Iterator[None]:
    """Bind a SQLite file for a while."""
    with database.using(database.engine(f"sqlite:///{quote(str(file))}")):
        try:
            yield
        finally:
            database.close_connection()
