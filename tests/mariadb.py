"""A private MariaDB server for the tests: started on a free port in a folder of its own, and ended."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql
import pytest

from tests import memory
from tests.system.servers import PATIENCE, free_port, until

USER, PASSWORD = "calendar", "se/cret@:%"
QUOTED = "se%2Fcret%40%3A%25"


def missing() -> str:
    """Why no server can be started here; "" when one can."""
    return "" if shutil.which("mariadbd") else "mariadbd is not installed (Debian: mariadb-server)"


def require() -> None:
    """In CI a missing server is a failure; elsewhere its tests are left out, and say so."""
    if missing() and os.environ.get("CI"):
        pytest.fail(missing())
    if missing():
        pytest.skip(missing())


@dataclass
class MariaDb:
    """A running server. `root` runs a statement as its administrator."""

    folder: Path
    port: int
    process: "subprocess.Popen[bytes]"
    options: tuple[str, ...] = ()

    def url(self, name: str = "calendar", host: str = "127.0.0.1", port: int = 0) -> str:
        return f"mysql://{USER}:{QUOTED}@{host}:{port or self.port}/{name}"

    def connect(self, **more: Any) -> Any:
        """A connection of the administrator, through the socket."""
        more = {"autocommit": True, **more}
        return pymysql.connect(
            unix_socket=str(self.folder / "socket"), user="root", charset="utf8mb4", **more
        )

    def root(self, *statements: str) -> Any:
        """The rows of the last of these statements."""
        with contextlib.closing(self.connect()) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall()

    def make(self, name: str) -> str:
        """An empty database, and its address."""
        self.root(f"CREATE OR REPLACE DATABASE `{name}` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        return self.url(name)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=PATIENCE)

    def start_again(self) -> None:
        self.process = _run(self.folder, self.port, self.options)
        _wait(self)


@contextlib.contextmanager
def started(*options: str) -> Iterator[MariaDb]:
    """A new server with an account for the service; everything of it is gone afterwards."""
    with memory.folder("mariadb") as folder:
        subprocess.run(
            ["mariadb-install-db", "--no-defaults", *_as_root(), f"--datadir={folder / 'data'}",
             f"--tmpdir={_temporary(folder)}", "--auth-root-authentication-method=normal", "--skip-test-db"],
            check=True, capture_output=True, timeout=PATIENCE,
        )  # fmt: skip
        port = free_port()
        server = MariaDb(folder, port, _run(folder, port, options), options)
        try:
            _wait(server)
            server.root(
                f"CREATE USER {USER}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'",
                f"GRANT ALL ON *.* TO {USER}@'127.0.0.1'",
            )
            yield server
        finally:
            server.process.kill()
            server.process.wait(timeout=PATIENCE)


def _temporary(folder: Path) -> Path:
    """The server's own folder for temporary files: two servers must not meet in one."""
    path = folder / "tmp"
    path.mkdir(exist_ok=True)
    return path


def _as_root() -> list[str]:
    return ["--user=root"] if os.geteuid() == 0 else []


def _run(folder: Path, port: int, options: tuple[str, ...]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [
            "mariadbd", "--no-defaults", *_as_root(), f"--datadir={folder / 'data'}", f"--port={port}",
            f"--socket={folder / 'socket'}", f"--pid-file={folder / 'pid'}", f"--log-error={folder / 'log'}",
            f"--tmpdir={_temporary(folder)}",
            "--bind-address=127.0.0.1", "--skip-name-resolve", "--character-set-server=utf8mb4",
            "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=24M", "--innodb-doublewrite=0",
            "--performance-schema=off", "--skip-log-bin", "--max-connections=100", *options,
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def _wait(server: MariaDb) -> None:
    until(lambda: _answers(server), server.process, (server.folder / "log").read_text)


def _answers(server: MariaDb) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as line:  # which pymysql would not close
            line.connect(str(server.folder / "socket"))
        server.root("SELECT 1")
    except (OSError, pymysql.err.OperationalError):
        return False
    return True
