"""Checks of a SQLite database: is the file in a safe place, private, writable and undamaged."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from calendar_api.database.diagnostics import Finding
from calendar_api.database.sqlite import driver, file_copy, full_text_index
from calendar_api.database.sqlite.driver import Connection

_WEB_ROOTS = {"public_html", "htdocs", "www", "wwwroot", "webroot", "httpdocs"}
_NETWORK = {
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "smb2", "ncpfs", "afs", "ceph", "glusterfs", "9p", "lustre",
    "gfs2", "ocfs2", "beegfs", "davfs", "coda",
}  # fmt: skip
FULL, LOW = 16 * 2**20, 256 * 2**20  # bytes that are free
_MOUNTS = Path("/proc/self/mountinfo")


def setup(connection: Connection) -> Iterator[Finding]:
    """Check version and features of the SQLite library."""
    if not driver.is_sound(driver.VERSION):
        yield Finding(
            f"SQLite {driver.TEXT} has a rare bug, fixed in 3.51.3, that can damage a database to which "
            "several processes write.",
            "`pip install pysqlite3` brings a newer SQLite; make backups until then.",
        )
    yield from full_text_index.missing(connection)


def health(path: Path, lock: Path) -> list[Finding]:
    """Check without writing whether writes to this file can work; `lock` is the file of the write lock."""
    if not path.is_file():
        return [
            Finding(f"There is no file {path}.", "Put it back, or restore a backup.", "critical", "missing")
        ]
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) and _can_be_opened(lock)):
        text = f"{path} or its folder cannot be written by this account."
        return [Finding(text, "Check the file system and the permissions.", "critical", "read_only")]
    return _disk_space(path.parent)


def _can_be_opened(lock: Path) -> bool:
    """Return whether this file can be opened for writing, which a read-only file system refuses."""
    try:
        os.close(os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW))
    except OSError as error:
        return isinstance(error, FileNotFoundError)  # then the first writer creates it
    return True


def _disk_space(folder: Path) -> list[Finding]:
    free = shutil.disk_usage(folder).free
    if free < FULL:
        text = f"The disk of {folder} is full."
        return [Finding(text, "Free space: writes fail.", "critical", "disk_full")]
    if free < LOW:
        text = f"The disk of {folder} is nearly full."
        return [Finding(text, "Free space: writes fail when it is full.", reason="disk_low")]
    return []


def read_edges(connection: Connection) -> None:
    """Read the first and the last row of each table, and an entry of each index; raise if they are damaged.

    This reads a few pages of each, however many rows there are. The search index is left out: `reindex`
    rebuilds it.
    """
    tables = connection.execute(
        "SELECT name, sql LIKE '% WITHOUT ROWID' FROM sqlite_master WHERE type = 'table' "
        "AND name NOT LIKE 'search_index%' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    for table, is_clustered in tables:
        key = "1" if is_clustered else "rowid"  # the first column is that of the primary key
        for order in ("ASC", "DESC"):
            connection.execute(f'SELECT * FROM "{table}" ORDER BY {key} {order} LIMIT 1').fetchall()  # noqa: S608 - a name of the file
    indexes = connection.execute(
        "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' AND tbl_name NOT LIKE 'search_index%' "
        "AND coalesce(sql, '') NOT LIKE '% WHERE %'"
    ).fetchall()
    for table, index in indexes:
        connection.execute(f'SELECT 1 FROM "{table}" INDEXED BY "{index}" LIMIT 1').fetchall()  # noqa: S608 - as above


def everything(path: Path, lock: Path, connection: Connection) -> Iterator[Finding]:
    """Check all; `connection` is one as the service opens it. Reads the whole file."""
    path = path.absolute()
    yield from setup(connection)
    yield from health(path, lock)
    yield from _permissions(path)
    yield from _location(path, _MOUNTS.read_text("utf-8", "replace") if _MOUNTS.exists() else "")
    yield from _settings(connection)
    damage = file_copy.damage(connection)
    if damage is not None:
        text = f"The database is unreliable: {damage}."
        yield Finding(text, "Restore a backup: calendar-api restore FILE", "critical", "damaged")
    yield from full_text_index.check(connection)


def _permissions(path: Path) -> Iterator[Finding]:
    for file in (path, *(Path(f"{path}{suffix}") for suffix in file_copy.SUFFIXES)):
        if file.exists() and file.stat().st_mode & 0o077:
            yield Finding(f"Other accounts of this machine can read {file}.", f"chmod 600 {file}", "critical")
    mode = path.parent.stat().st_mode
    if mode & 0o077:
        writable = bool(mode & 0o022)
        yield Finding(
            f"Other accounts of this machine can {'write to' if writable else 'list'} {path.parent}.",
            f"chmod 700 {path.parent}",
            "critical" if writable else "advisory",
        )


def _location(path: Path, mounts: str) -> Iterator[Finding]:
    resolved = path.resolve()
    root = next((part for part in resolved.parts if part.lower() in _WEB_ROOTS), None)
    if root is not None:
        yield Finding(
            f"The database is below a folder {root}, which web servers publish.",
            "Move it elsewhere and set CALENDAR_DATABASE_URL.",
            "critical",
        )
    kind = _file_system(resolved, mounts)
    if kind in _NETWORK or kind.startswith("fuse"):
        yield Finding(
            f"The database is on a network drive ({kind}), whose locks are unreliable.",
            "Move it to a disk of this machine, or use MariaDB.",
            "critical",
        )


def _file_system(path: Path, mounts: str) -> str:
    """Return the type of the file system of this path, by the longest mount point above it."""
    best, kind = -1, ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = Path(fields[4].replace("\\040", " "))
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), after.split(" ")[0]
    return kind


def _settings(connection: Connection) -> Iterator[Finding]:
    for name, value in (("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)):
        found = connection.execute(f"PRAGMA {name}").fetchone()[0]
        if found != value:
            yield Finding(
                f"SQLite works with {name} = {found} instead of {value}.",
                "Move the database to an ordinary disk of this machine.",
                "critical",
            )
