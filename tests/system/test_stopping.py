"""Ctrl-C: a terminal sends SIGINT to the server and its workers at once."""

import http.client
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.system import servers
from tests.system.servers import ROOT, Server

pytestmark = pytest.mark.system

GET = f"GET {ROOT}/events HTTP/1.1\r\nHost: localhost\r\n".encode()
BODY = b'{"name": "begun before"}'
CLIENTS = 24  # of each kind: enough to start every thread
SOON = 20  # seconds; gunicorn kills workers after 30


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with servers.running(tmp_path, command=servers.serve, workers=2) as running:
        yield running


def connected(server: Server, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=servers.PATIENCE)
    connection.sendall(sent)
    return connection


def head(server: Server) -> bytes:
    """The head of a POST request with BODY."""
    return (
        f"POST {ROOT}/tags HTTP/1.1\r\nHost: localhost\r\nAuthorization: {server.signed}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
    ).encode()


def crowd(server: Server, stack: ExitStack) -> None:
    """Clients that keep their connection, drop it, complete it, or have sent nothing or half a head."""
    for _ in range(CLIENTS):
        kept = http.client.HTTPConnection("127.0.0.1", server.port, timeout=servers.PATIENCE)
        kept.request("GET", f"{ROOT}/events")
        assert kept.getresponse().read()
        stack.callback(kept.close)
        connected(server, GET + b"\r\n").close()
        assert server.get("/events").status == 200
    stack.enter_context(connected(server))
    stack.enter_context(connected(server, GET))


def interrupt(server: Server, patience: float) -> int:
    """Press Ctrl-C; return the exit status."""
    os.killpg(server.process.pid, signal.SIGINT)
    return server.process.wait(timeout=patience)


def test_workers_ignore_what_the_terminal_sends(server: Server) -> None:
    before = server.workers()
    for worker in before:
        os.kill(worker, signal.SIGINT)
    statuses = {server.get("/events").status for _ in range(CLIENTS)}

    assert (statuses, server.workers()) == ({200}, before)


def test_ctrl_c_answers_open_requests(server: Server) -> None:
    with ExitStack() as stack:
        crowd(server, stack)
        begun = stack.enter_context(connected(server, head(server) + BODY[:5]))
        assert server.get("/events").status == 200  # by now a thread reads the body
        os.killpg(server.process.pid, signal.SIGINT)
        begun.sendall(BODY[5:])
        answer = begun.makefile("rb").read()
        status = server.process.wait(timeout=SOON)

    assert answer.startswith(b"HTTP/1.1 201 ")
    assert status == 0
    assert servers.alive(server.workers()) == []


def test_ctrl_c_does_not_wait_for_bodies_that_never_arrive(server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(CLIENTS):
            stack.enter_context(connected(server, head(server)))
        status = interrupt(server, SOON)

    assert (status, "out of memory" in server.output) == (0, False)


def test_a_stop_answers_connections_that_no_worker_has_accepted(server: Server) -> None:
    workers = server.workers()
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    with ExitStack() as stack:
        request = GET + b"Connection: close\r\n\r\n"
        waiting = [stack.enter_context(connected(server, request)) for _ in range(CLIENTS)]
        server.process.send_signal(signal.SIGTERM)
        servers.until(lambda: all(is_pending(worker, signal.SIGTERM) for worker in workers), server.process)
        for worker in workers:
            os.kill(worker, signal.SIGCONT)
        answers = [one.makefile("rb").readline() for one in waiting]

    assert answers == [b"HTTP/1.1 200 OK\r\n"] * CLIENTS


def is_pending(process: int, number: signal.Signals) -> bool:
    """Whether a process that is stopped has not handled a signal yet."""
    status = Path(f"/proc/{process}/status").read_text()
    pending = next(line for line in status.splitlines() if line.startswith("ShdPnd:"))
    return bool(int(pending.split()[1], 16) >> (number - 1) & 1)


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> float:
    """Seconds that Ctrl-C takes without any client."""
    with servers.running(tmp_path_factory.mktemp("idle"), command=servers.serve, workers=2) as server:
        began = time.monotonic()
        interrupt(server, SOON)
        return time.monotonic() - began


@pytest.mark.long
@pytest.mark.parametrize("turn", range(20))
def test_every_ctrl_c_ends_soon(server: Server, idle: float, turn: int) -> None:
    with ExitStack() as stack:
        crowd(server, stack)
        began = time.monotonic()
        status = interrupt(server, SOON)

    assert (status, time.monotonic() - began < max(3, 5 * idle)) == (0, True)
