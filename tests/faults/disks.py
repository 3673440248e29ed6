"""A running service whose disk can be made to fail, or to be full."""

import contextlib
import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import compiling
from tests.faults.load import Line, event
from tests.system import servers
from tests.system.servers import Server


class Disk:
    """Says when the disk below a folder fails, see `diskfault.c`."""

    def __init__(self, folder: Path, library: Path) -> None:
        self.order = library / "order"
        self.env = {
            "LD_PRELOAD": compiling.shared_object("diskfault", library),
            "DISKFAULT_FOLDER": str(folder),
            "DISKFAULT_ORDER": str(self.order),
        }

    @contextlib.contextmanager
    def failing(self, number: int, calls: str, every: int = 1) -> Iterator[None]:
        new = self.order.with_suffix(".new")
        new.write_text(f"{every} {number} {calls}")
        new.replace(self.order)
        try:
            yield
        finally:
            self.order.unlink()

    def read_only(self) -> "contextlib.AbstractContextManager[None]":
        """As the kernel makes a file system with a fault."""
        return self.failing(errno.EROFS, "wto")


class Service:
    """A server on one database, seen by one client that signs in and one that does not."""

    def __init__(self, server: Server, database: Path) -> None:
        self.server, self.database = server, database
        self.numbers = 0

    def write(self, key: str = "") -> tuple[int, str]:
        """Status and code of one more event."""
        self.numbers += 1
        line = Line(self.server.port, self.server.secret)
        try:
            status, _, body = line.send("POST", "/events", event(key or f"{self.numbers:032x}"))
        finally:
            line.close()
        return status, body.decode()

    def read(self, id: int = 0) -> int:
        """Status of a list, or of one event; each is asked of every worker, as far as chance goes."""
        path = f"/events/{id}" if id else "/events"
        parameters = {} if id else {"starts_after": "2031-01-01", "per_page": 50}
        seen = {self.server.get(path, **parameters).status for _ in range(6)}
        assert len(seen) == 1, seen
        return seen.pop()


@contextlib.contextmanager
def serving(
    folder: Path, logs: Path, more: dict[str, str] | None = None, broken: str = ""
) -> Iterator[Service]:
    """The service on a database in `folder`; `more` goes into its environment alone."""
    database = folder / "calendar.sqlite3"
    env = servers.environment(database)
    secret, port = servers.administrator(env), servers.free_port()
    application = "tests.faults.broken_wsgi:application" if broken else "wsgi:application"
    command = [application if part == "wsgi:application" else part for part in servers.gunicorn(port)]
    env |= {**(more or {}), "CALENDAR_TEST_BREAK": broken}
    with servers.started(command, port, env, logs / "log", secret=secret) as server:
        servers.until(lambda: len(server.workers()) == 2, server.process)
        yield Service(server, database)


@contextlib.contextmanager
def small(folder: Path, size: str) -> Iterator[Path]:
    """A file system of that size; the test is left out where nobody may mount one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def grow(folder: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(folder)], check=True)
