"""Whether a SQLite file lies where it should, belongs to its operator alone, and is whole."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from calendar_api.database import diagnostics
from calendar_api.database.diagnostics import Deviation, Hindrance
from calendar_api.database.sqlite import disk, file_copy, full_text_index, library

_WEB_ROOTS = {"public_html", "htdocs", "www", "wwwroot", "webroot", "httpdocs"}
_NETWORK = {
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "smb2", "ncpfs", "afs", "ceph", "glusterfs", "9p", "lustre",
    "gfs2", "ocfs2", "beegfs", "davfs", "coda",
}  # fmt: skip
INDEXES = """
    SELECT m.tbl_name, group_concat(i.name) FROM sqlite_master m JOIN pragma_index_info(m.name) i
    WHERE m.type = 'index' GROUP BY m.name
"""
_MOUNTS = Path("/proc/self/mountinfo")


def hindrance(path: Path, lock: Path) -> Hindrance | None:
    """Why writes to this file cannot work just now, without writing; `lock` is the file of the writers."""
    if not path.is_file():
        return Hindrance("missing", total=True)
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) and _can_be_opened(lock)):
        return Hindrance("read_only", total=True)
    return diagnostics.room(path.parent)


def _can_be_opened(lock: Path) -> bool:
    """Whether this file can be opened for writing, which a read-only file system refuses."""
    try:
        os.close(os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW))
    except FileNotFoundError:
        return True  # the first writer makes it
    except OSError:
        return False
    return True


def read_edges(connection: Any) -> None:
    """Read the first and the last row of each table, and an entry of each index; damage raises an error.

    That takes a few pages of each, however many rows there are. The index of the search may be damaged: it
    can be made again.
    """
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search_index%' "
        "AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    for (table,) in tables:
        for order in ("ASC", "DESC"):
            connection.execute(f'SELECT * FROM "{table}" ORDER BY rowid {order} LIMIT 1').fetchall()  # noqa: S608 - a name of the file
    indexes = connection.execute(
        "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' AND tbl_name NOT LIKE 'search_index%' "
        "AND coalesce(sql, '') NOT LIKE '% WHERE %'"
    ).fetchall()
    for table, index in indexes:
        connection.execute(f'SELECT rowid FROM "{table}" INDEXED BY "{index}" LIMIT 1').fetchall()  # noqa: S608


def deviations(path: Path, connection: Any) -> Iterator[Deviation]:
    """Everything that is not as it should be; `connection` is one as the service opens it."""
    path = path.absolute()
    yield from _version(library.VERSION)
    yield from _modes(path)
    yield from _place(path, _MOUNTS.read_text("utf-8", "replace") if _MOUNTS.exists() else "")
    yield from _settings(connection)
    damage = file_copy.damage(connection, whole=True)
    if damage is not None:
        yield Deviation(
            f"The database cannot be trusted: {damage}.", "Restore a backup: calendar-api restore FILE", True
        )
    yield from full_text_index.deviations(connection)
    yield from no_room(path.parent)
    yield from _reserve(path)


def no_room(folder: Path) -> Iterator[Deviation]:
    lack = diagnostics.room(folder)
    if lack is not None:
        yield Deviation(
            f"The disk of {folder} is nearly full.", "Make room: writes fail when it is.", lack.total
        )


def _reserve(path: Path) -> Iterator[Deviation]:
    kept, lack = disk.reserve_of(path).exists(), diagnostics.room(path.parent)
    if kept and lack is not None and lack.total:
        yield Deviation(
            "A megabyte is kept for deletions when the disk is full.",
            "calendar-api check --make-room, then delete and purge; calendar-api migrate keeps another.",
        )
    if not kept and not (lack and lack.total):
        yield Deviation(
            "No room is kept for deletions when the disk is full.", "calendar-api migrate keeps a megabyte."
        )


def _version(version: tuple[int, ...]) -> Iterator[Deviation]:
    if not library.sound(version):
        yield Deviation(
            f"SQLite {'.'.join(map(str, version))} is older than 3.51.3, in which a rare fault that can "
            "damage a database with several writers was mended.",
            "pip install 'calendar-api[sqlite]' brings a newer one; make backups until then.",
        )


def _modes(path: Path) -> Iterator[Deviation]:
    for file in (path, *(Path(f"{path}{suffix}") for suffix in file_copy.SUFFIXES)):
        if file.exists() and file.stat().st_mode & 0o077:
            yield Deviation(f"Other accounts of this machine can read {file}.", f"chmod 600 {file}", True)
    mode = path.parent.stat().st_mode
    if mode & 0o077:
        yield Deviation(
            f"Other accounts of this machine can {'write' if mode & 0o022 else 'look'} into {path.parent}.",
            f"chmod 700 {path.parent}",
            bool(mode & 0o022),
        )


def _place(path: Path, mounts: str) -> Iterator[Deviation]:
    resolved = path.resolve()
    root = next((part for part in resolved.parts if part.lower() in _WEB_ROOTS), None)
    if root is not None:
        yield Deviation(
            f"The database lies below a folder {root}, which web servers show to everybody.",
            "Move it elsewhere and set CALENDAR_DATABASE_URL.",
            True,
        )
    kind = _file_system(resolved, mounts)
    if kind in _NETWORK or kind.startswith("fuse"):
        yield Deviation(
            f"The database lies on a network drive ({kind}), whose locks cannot be trusted.",
            "Move it to a disk of this machine, or use MariaDB.",
            True,
        )


def _file_system(path: Path, mounts: str) -> str:
    """The type of the file system that holds the path, by the longest mount point above it."""
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


def _settings(connection: Any) -> Iterator[Deviation]:
    wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
    for name, value in wanted.items():
        found = connection.execute(f"PRAGMA {name}").fetchone()[0]
        if found != value:
            yield Deviation(
                f"SQLite works with {name} = {found} instead of {value}.",
                "Move the database to an ordinary disk of this machine.",
                True,
            )
