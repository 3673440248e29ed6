"""A running service whose disk can be made to fail, or to be full."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system import servers
from tests.system.load import event
from tests.system.servers import Server


def shared_object(name: str, folder: Path) -> str:
    """Compile `NAME.c` to a library for LD_PRELOAD; skip without a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    target, source = folder / f"{name}.so", Path(__file__).with_name(f"{name}.c")
    command = [compiler, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", target, source, "-ldl"]
    subprocess.run(command, check=True, timeout=60)
    return str(target)


class Disk:
    """Makes calls for files below a folder fail, see `diskfault.c`."""

    def __init__(self, folder: Path) -> None:
        library = folder / "library"
        library.mkdir()
        self.order = library / "order"
        self.env = {
            "LD_PRELOAD": shared_object("diskfault", library), "DISKFAULT_FOLDER": str(folder / "data"),
            "DISKFAULT_ORDER": str(self.order),
        }  # fmt: skip

    @contextlib.contextmanager
    def failing(self, number: int, calls: str, every: int = 1) -> Iterator[None]:
        """Let one of `every` calls of these kinds fail with this error number."""
        new = self.order.with_suffix(".new")
        new.write_text(f"{every} {number} {calls}")
        new.replace(self.order)
        try:
            yield
        finally:
            self.order.unlink()


class Service:
    """A server on one database, seen by one client that signs in and one that does not."""

    def __init__(self, server: Server) -> None:
        self.server, self.database = server, server.database
        self.numbers = 0

    def write(self) -> tuple[int, str]:
        """Status and body of the response to one more event."""
        self.numbers += 1
        answer = self.server.ask("POST", "/events", event(f"{self.numbers:032x}"))
        return answer.status, answer.body.decode()

    def read(self, id: int = 0) -> int:
        """Status of a list, or of one event; requested six times, so that most workers are asked."""
        path = f"/events/{id}" if id else "/events"
        parameters = {} if id else {"starts_after": "2031-01-01", "per_page": 50}
        seen = {self.server.get(path, **parameters).status for _ in range(6)}
        assert len(seen) == 1, seen
        return seen.pop()

    def meet_all_workers(self) -> None:
        """Send requests until each worker has opened the database: chance decides which one answers."""
        for _ in range(500):
            self.read()
            if all(self._has_open(pid) for pid in self.server.workers()):
                return
        raise AssertionError("a worker got none of 3,000 requests")

    def _has_open(self, pid: int) -> bool:
        return any(link.readlink() == self.database for link in Path(f"/proc/{pid}/fd").iterdir())

    def statuses(self) -> tuple[set[int], set[int]]:
        """Of several writes and of several reads."""
        return {self.write()[0] for _ in range(6)}, {self.read() for _ in range(2)}


@contextlib.contextmanager
def serving(folder: Path, more: dict[str, str] | None = None, fault: str = "") -> Iterator[Service]:
    """The service on a database in `folder/data`; `more` goes into the environment of the server alone."""
    command, more = servers.gunicorn, dict(more or {})
    if fault:
        command, more["CALENDAR_TEST_BREAK"] = servers.broken, fault
    with servers.running(folder, command=command, workers=2, more=more) as server:
        yield Service(server)


@contextlib.contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """Mount something on a folder; skip where that is not allowed."""
    folder.mkdir(exist_ok=True)
    command = ["mount", *options, str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)
