"""Servers to measure, the CPU time and the memory of their processes, and bare Falcon beside them."""

import base64
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.calendars import BUILD, LOGIN, ROOT, Calendar, environment, new_folder

PATIENCE = 60.0  # seconds
_LOOK = 0.025  # seconds between two looks at the CPU time
_IDLE_NS = 500_000  # an idle server needs less CPU time than this between two looks


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
    """A running server; `pinned` is whether it has a core for itself."""

    name: str
    process: "subprocess.Popen[bytes]"
    port: int
    log: Path
    pinned: bool

    def get(self, target: str, headers: Mapping[str, str] | None = None) -> Answer:
        return self.send("GET", target, headers=headers)

    def send(
        self, method: str, target: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            content = None if body is None else json.dumps(body)
            connection.request(method, target, content, dict(headers or {}))
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())

    def cpu_ns(self) -> int:
        """CPU time of all processes so far, waiting until they are idle."""
        last = _cpu_ns(self.process.pid)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            time.sleep(_LOOK)
            now = _cpu_ns(self.process.pid)
            if now - last < _IDLE_NS:
                return now
            last = now
        return last

    def pss_mib(self) -> float:
        """Memory of all processes; shared pages count once."""
        total = 0
        for pid in _tree(self.process.pid):
            with contextlib.suppress(OSError):
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
                total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return total / 1024


def _tree(pid: int) -> list[int]:
    """The process and all its descendants."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            number, rest = stat.read_text().split(" (", 1)
            parents.setdefault(int(rest.rpartition(") ")[2].split()[1]), []).append(int(number))
    found = [pid]
    for one in found:
        found.extend(parents.get(one, ()))
    return found


def _cpu_ns(root: int) -> int:
    """CPU time of every thread as the scheduler accounts it."""
    total = 0
    for pid in _tree(root):
        for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):
                total += int(path.read_text().split()[0])
    return total


def cores() -> tuple[str, str]:
    """The cores for servers and for clients; the same if there is only one."""
    mine = sorted(os.sched_getaffinity(0))
    return str(mine[0]), str(mine[-1])


def signed_in(calendar: Calendar) -> dict[str, str]:
    """Headers of JSON requests by the administrator."""
    signed = base64.b64encode(f"{LOGIN}:{calendar.password}".encode()).decode()
    return {"Authorization": f"Basic {signed}", "Content-Type": "application/json"}


def service(
    calendar: Calendar, workers: int = 1, **settings: str
) -> contextlib.AbstractContextManager[Server]:
    """The service under gunicorn; requests are not logged, because bare Falcon logs none."""
    return gunicorn(
        "service", "calendar_api.wsgi:application", environment(calendar.url, **settings), workers=workers
    )


def serving(calendar: Calendar, workers: int) -> contextlib.AbstractContextManager[Server]:
    """The service under `calendar-api serve`, as it comes."""
    port = _free_port()
    command = [
        sys.executable, "-m", "calendar_api", "serve", "--bind", f"127.0.0.1:{port}",
        "--workers", str(workers),
    ]  # fmt: skip
    return _running("serve", command, port, environment(calendar.url, CALENDAR_LOG="requests"))


def bare_falcon(
    service: Server, targets: Iterable[str], headers: Mapping[str, str] | None = None
) -> contextlib.AbstractContextManager[Server]:
    """B1: Falcon that answers with what the service answers to these targets, in turn.

    Raises RuntimeError if the service answers anything but 200.
    """
    folder = new_folder("bodies", str(_free_port()))
    for number, target in enumerate(targets):
        answer = service.get(target, headers)
        if answer.status != 200:
            raise RuntimeError(f"{target}: {answer.status} {answer.body[:300]!r}")
        (folder / f"{number:04d}").write_bytes(answer.body)
    return gunicorn("bare", "bench.bare_falcon:application", {**os.environ, "BENCH_BODIES": str(folder)})


def gunicorn(
    name: str, application: str, env: Mapping[str, str], *options: str, workers: int = 1,
    python: str = sys.executable,
) -> contextlib.AbstractContextManager[Server]:  # fmt: skip
    """gunicorn with its settings of the package; one worker has a core for itself, and is not replaced."""
    port = _free_port()
    pinned = ["taskset", "-c", cores()[0]] if workers == 1 else []
    command = [
        *pinned, python, "-m", "gunicorn", "--config", "python:calendar_api.commands.gunicorn_conf",
        "--bind", f"127.0.0.1:{port}", "--workers", str(workers), "--max-requests", "0", *options,
        application,
    ]  # fmt: skip
    return _running(name, command, port, {**env, "PYTHONPATH": str(ROOT)}, pinned=bool(pinned))


@contextlib.contextmanager
def _running(
    name: str, command: list[str], port: int, env: Mapping[str, str], *, pinned: bool = False
) -> Iterator[Server]:
    log = BUILD / "logs" / f"{name}-{port}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=env, cwd=ROOT, stdout=output, stderr=output, start_new_session=True
        )
    server = Server(name, process, port, log, pinned)
    try:
        _wait_for(server)
        yield server
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
        time.sleep(0.05)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
