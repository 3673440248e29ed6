"""Start commands and servers for the system tests, and send them requests."""

import atexit
import base64
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

CHECKOUT = Path(__file__).parents[2]
CALENDAR = [sys.executable, "-m", "calendar_api"]
ROOT = "/calendar/events/v1"
#: The application password that the first start with demo events prints.
SECRET = re.compile(r"application password ((?:[A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}) ")
PATIENCE = 180.0  # seconds to wait for an expected event: long, for machines that are busy


def environment(database: Path, **settings: str) -> dict[str, str]:
    """The environment of this process, with only the given settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CALENDAR_", "COV_"))}
    return {**kept, "CALENDAR_DATABASE_URL": f"sqlite:///{database}", **settings}


def run(
    *arguments: str, env: dict[str, str], command: list[str] | None = None, **more: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command; `command` defaults to `calendar-api` of the checkout."""
    return subprocess.run(
        [*(command or CALENDAR), *arguments],
        env=env, capture_output=True, text=True, timeout=300, check=False, **{"cwd": CHECKOUT, **more},
    )  # fmt: skip


def done(*arguments: str, env: dict[str, str], **more: Any) -> str:
    """Run a command that must succeed; return its output."""
    result = run(*arguments, env=env, **more)
    assert result.returncode == 0, result.stderr
    return result.stdout


def checkout(target: Path, *names: str) -> Path:
    """Copy these files and folders of the checkout to a new folder."""
    target.mkdir()
    for name in names:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target / name)
    return target


def administrator(env: dict[str, str]) -> str:
    """Create the database and the user `admin`; return the secret."""
    done("migrate", env=env)
    return done("user", "add", "admin", "--role", "administrator", env=env).splitlines()[1].strip()


def prepared(env: dict[str, str]) -> str:
    """Copy a database that `administrator` has made, once in this process; return the secret."""
    folder, secret = _template()
    target = Path(env["CALENDAR_DATABASE_URL"].removeprefix("sqlite:///")).parent
    shutil.copytree(folder, target, dirs_exist_ok=True)
    return secret


@cache
def _template() -> tuple[Path, str]:
    """The folder of the database, and the secret of `admin`."""
    folder = Path(tempfile.mkdtemp(prefix="calendar-template-"))
    atexit.register(shutil.rmtree, folder)
    return folder / "data", administrator(environment(folder / "data" / "calendar.sqlite3"))


def basic(login: str, secret: str) -> str:
    """An Authorization header."""
    return "Basic " + base64.b64encode(f"{login}:{secret}".encode()).decode()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str:
        """The value of a header in any spelling; "" without it."""
        return next((value for key, value in self.headers.items() if key.lower() == name.lower()), "")


def exchange(
    connection: http.client.HTTPConnection, method: str, target: str, body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> Answer:  # fmt: skip
    """Send one request and close the connection."""
    with contextlib.closing(connection):
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse()
        return Answer(answer.status, dict(answer.getheaders()), answer.read())


@dataclass
class Server:
    """A running server; `secret` is the password of `admin`, `env` its environment."""

    process: "subprocess.Popen[bytes]"
    port: int
    log: Path
    secret: str = field(default="", kw_only=True)
    env: dict[str, str] = field(default_factory=dict, kw_only=True)

    @property
    def output(self) -> str:
        return self.log.read_text("utf-8")

    def get(self, path: str, **parameters: Any) -> Answer:
        """GET a path below the namespace, or a URL that the server returned."""
        whole = path if path.startswith("http") else ROOT + path
        parts = urlsplit(whole)
        query = "&".join(text for text in (parts.query, urlencode(parameters, doseq=True)) if text)
        return self.send("GET", f"{parts.path}?{query}" if query else parts.path)

    @property
    def signed(self) -> str:
        """The Authorization header of `admin`."""
        return basic("admin", self.secret)

    def ask(self, method: str, path: str, fields: Any = None, **headers: str) -> Answer:
        """Send a request of `admin` with a JSON body; `If_Match="x"` becomes a header."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        body = None if fields is None else json.dumps(fields).encode()
        sent = {"Authorization": self.signed, "Content-Type": "application/json", **named}
        return self.send(method, ROOT + path, body, sent)

    def post(self, path: str, fields: Any) -> Answer:
        return self.ask("POST", path, fields)

    @property
    def database(self) -> Path:
        return Path(self.env["CALENDAR_DATABASE_URL"].removeprefix("sqlite:///"))

    def send(
        self, method: str, target: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        return exchange(connection, method, target, body, headers)

    def raw(self, request: bytes) -> bytes:
        """Send these bytes, and return all that comes back."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    def listens(self) -> bool:
        try:
            self.send("GET", ROOT)
        except OSError:
            return False
        return True

    def workers(self) -> list[int]:
        """The ids of the child processes."""
        return [pid for pid, parent in _parents() if parent == self.process.pid]

    def stop(self) -> int:
        """Send SIGTERM and wait; return the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)


def alive(pids: Iterable[int]) -> list[int]:
    """Those of the processes that run; not those that have ended and wait for their parent to notice."""
    return sorted(set(pids) & {pid for pid, _ in _parents()})


def _parents() -> Iterator[tuple[int, int]]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, rest = stat.read_text().split(" (", 1)
            state, parent = rest.rpartition(") ")[2].split()[:2]
            if state != "Z":
                yield int(pid), int(parent)


@contextlib.contextmanager
def started(
    command: list[str], port: int, env: dict[str, str], log: Path, *, cwd: Path = CHECKOUT, secret: str = "",
    kind: Callable[..., Server] = Server, **more: Any,
) -> Iterator[Server]:  # fmt: skip
    """Start a server and wait until it answers on `port`; kill it and its children at the end.

    `kind` makes the server from process, port and log, for those that are spoken to in a way of their own;
    `more` goes to Popen.
    """
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=env, cwd=cwd, stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **more
        )
    server = kind(process, port, log, secret=secret, env=env)
    try:
        until(server.listens, process, lambda: server.output)
        yield server
    finally:
        if process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.stop()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=PATIENCE)


def until(
    happened: Callable[[], bool], process: "subprocess.Popen[bytes]", said: Callable[[], str] = str
) -> None:
    """Wait until `happened()`; fail when the process ends or after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert process.poll() is None, f"the server has ended: {said()}"
        assert time.monotonic() < deadline, f"waited for {PATIENCE} seconds: {said()}"
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.02)


def gunicorn(port: int, *options: str, application: str = "") -> list[str]:
    """The gunicorn command of a deployment, run from the checkout."""
    return [
        sys.executable, "-m", "gunicorn", "--config", "python:calendar_api.commands.gunicorn_conf",
        *filter(None, [application]), "--bind", f"127.0.0.1:{port}", *options,
    ]  # fmt: skip


def serve(port: int, *options: str) -> list[str]:
    return [*CALENDAR, "serve", "--bind", f"127.0.0.1:{port}", *options]


def broken(port: int, *options: str) -> list[str]:
    """The gunicorn command of a service with the fault that CALENDAR_TEST_BREAK names."""
    return gunicorn(port, *options, application="tests.faults.broken_wsgi:application")


@contextlib.contextmanager
def running(
    folder: Path, *options: str, command: Callable[..., list[str]] = gunicorn, migrated: bool = True,
    workers: int = 0, more: dict[str, str] | None = None, kind: Callable[..., Server] = Server,
    **settings: str,
) -> Iterator[Server]:  # fmt: skip
    """Start the service on `folder/data/calendar.sqlite3`, a new database with the user `admin`.

    `options` go to the command; `more` into the environment of the server alone. Wait for so many `workers`.
    """
    env = environment(folder / "data" / "calendar.sqlite3", **settings)
    secret, port = prepared(env) if migrated else "", free_port()
    env |= more or {}
    with started(command(port, *options), port, env, folder / "log", secret=secret, kind=kind) as server:
        until(lambda: len(server.workers()) >= workers, server.process)
        yield server
