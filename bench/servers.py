"""Servers of a scenario: gunicorn with the flags of `deploy/gunicorn.conf.py`, on a core of their own."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import places, processes

PATIENCE = 60.0
OURS = "bench.ours:application"
_EVERY_LIBRARY = {"PYTHONPATH": str(places.ROOT), "PYTHONDONTWRITEBYTECODE": ""}


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Server:
    """A running server and its log file."""

    name: str
    process: "subprocess.Popen[bytes]"
    port: int
    log: Path

    def get(self, target: str, headers: Mapping[str, str] | None = None) -> Answer:
        return self.send("GET", target, headers=headers)

    def send(
        self, method: str, target: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, target, body, dict(headers or {}))
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())

    def cpu_ns(self) -> int:
        return processes.cpu_ns(self.process.pid)

    def pss_mib(self) -> float:
        return processes.pss_mib(processes.tree(self.process.pid))


def ours(database_url: str, **settings: str) -> dict[str, str]:
    """The environment of the service; requests are not logged, as in the baselines."""
    return {
        "CALENDAR_DATABASE_URL": database_url, "CALENDAR_BASE_URL": places.BASE_URL, "CALENDAR_LOG": "off",
        **settings,
    }  # fmt: skip


@contextlib.contextmanager
def running(
    name: str,
    application: str = OURS,
    settings: Mapping[str, str] | None = None,
    *,
    workers: int = 1,
    core: str | None = "",
    replaced: bool = False,
    options: tuple[str, ...] = (),
    python: str = sys.executable,
) -> Iterator[Server]:
    """A running server. `core`: the CPU core, default that of servers; None for any.

    `replaced`: replace workers after many requests as in production; a new one costs as much as thousands of
    requests.
    """
    port = _free_port()
    stay = () if replaced else ("--max-requests", "0")
    pinned = [] if core is None else ["taskset", "-c", core or processes.cores()[0]]
    command = [
        *pinned, python, "-m", "gunicorn", "--config", str(places.ROOT / "deploy" / "gunicorn.conf.py"),
        "--bind", f"127.0.0.1:{port}", "--workers", str(workers), "--threads", "4", *stay, *options,
        application,
    ]  # fmt: skip
    with _started(name, command, port, settings or {}) as server:
        _wait_for(server)
        yield server


@contextlib.contextmanager
def _started(name: str, command: list[str], port: int, settings: Mapping[str, str]) -> Iterator[Server]:
    log = places.folder("logs") / f"{name}.log"
    env = {key: value for key, value in os.environ.items() if not key.startswith("CALENDAR_")}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env={**env, **_EVERY_LIBRARY, **settings}, cwd=places.ROOT, stdout=output, stderr=output,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield Server(name, process, port, log)
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=PATIENCE)


def _wait_for(server: Server) -> None:
    """Wait until the server answers; raise RuntimeError if it ends or PATIENCE is over."""
    deadline = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(OSError, http.client.HTTPException):
            server.get("/health")
            return
        if time.monotonic() > deadline or server.process.poll() is not None:
            raise RuntimeError(f"{server.name} does not answer: {server.log.read_text('utf-8', 'replace')}")
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.process.wait(timeout=0.05)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
