"""Servers started by `calendar-api serve` and by gunicorn; a killed worker."""

import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.system import servers
from tests.system.servers import Server

pytestmark = pytest.mark.system

SECRET = re.compile(r"^    ((?:[A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4})$", re.MULTILINE)
AHEAD = {"start_date": "2031-05-01 10:00:00", "end_date": "2031-05-01 12:00:00"}


@pytest.mark.parametrize(
    "name", ["X-Forwarded-Proto", "X-Forwarded-Ssl", "X-Forwarded-Protocol", "Script-Name"]
)
def test_gunicorn_trusts_no_forwarded_header(tmp_path: Path, name: str) -> None:
    env = servers.environment(tmp_path / "calendar.sqlite3")
    servers.administrator(env)
    port = servers.free_port()
    value = {"X-Forwarded-Ssl": "on", "X-Forwarded-Protocol": "ssl", "Script-Name": "/evil"}.get(
        name, "https"
    )

    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log") as server:
        answer = server.send(
            "GET", f"{servers.ROOT}/events", headers={name: value, name.replace("-", "_"): value}
        )

    assert answer.status == 200
    assert answer.json["rest_url"].startswith(f"http://127.0.0.1:{port}/calendar/events/v1/events/?")


def test_gunicorn_serves_an_initialised_database(tmp_path: Path) -> None:
    env = servers.environment(tmp_path / "calendar.sqlite3")
    secret = servers.administrator(env)
    port = servers.free_port()

    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log", secret=secret) as server:
        made = server.post("/events", {"title": "Kept", **AHEAD})
        found = server.get("/events", start_date="2031-01-01", end_date="2032-01-01")
        servers.until(lambda: len(server.workers()) == 2, server.process)

    assert made.status == 201, made.body
    assert [event["title"] for event in found.json["events"]] == ["Kept"]


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        (b"my secret\r\n\r\n", 400, "rest_bad_request"),
        (b"GET /secret?%s HTTP/1.1\r\n\r\n" % (b"x" * 5000), 414, "rest_uri_too_long"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nExpect: secret\r\n\r\n", 417, "rest_expectation_failed"),
        (b"GET / HTTP/1.1\r\nX-Secret: %s\r\n\r\n" % (b"x" * 9000), 431, "rest_headers_too_large"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: secret\r\n\r\n", 501, "rest_transfer_coding_unknown"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_errors_of_gunicorn_are_json(serving: Server, request_: bytes, status: int, code: str) -> None:
    with socket.create_connection(("127.0.0.1", serving.port), timeout=servers.PATIENCE) as connection:
        connection.sendall(request_)
        said = connection.makefile("rb").read()

    head, _, body = said.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
    error, name = json.loads(body), headers["X-Request-Id"]
    line = next(json.loads(line) for line in serving.output.splitlines() if name in line)
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert headers["Content-Type"] == "application/json; charset=UTF-8"
    assert int(headers["Content-Length"]) == len(body)
    assert (error["code"], error["data"]["status"]) == (code, status)
    assert error["data"].get("request_id") == (name if status >= 500 else None)
    assert {key: line[key] for key in ("status", "error", "address")} == {
        "status": status, "error": code, "address": "127.0.0.1",
    }  # fmt: skip
    assert "secret" not in (said.decode() + serving.output.partition(name)[2]).lower()


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder, port = tmp_path_factory.mktemp("serving"), servers.free_port()
    env = servers.environment(folder / "calendar.sqlite3")
    with servers.started(servers.serve(port), port, env, folder / "log") as running:
        yield running


def test_gunicorn_without_a_database_names_the_command_and_creates_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    env = servers.environment(folder / "calendar.sqlite3")
    port = servers.free_port()

    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log") as server:
        answer = server.get("/events")

    assert (answer.status, answer.json["code"]) == (503, "not_initialised")
    assert "calendar-api migrate" in answer.json["message"]
    assert list(folder.iterdir()) == []


def test_gunicorn_serves_after_migrate(tmp_path: Path) -> None:
    env = servers.environment(tmp_path / "calendar.sqlite3")
    port = servers.free_port()

    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log") as server:
        before = server.get("/events").status
        servers.done("migrate", env=env)
        after = server.get("/events").status

    assert (before, after) == (503, 200)


def test_demo_records_survive_a_restart(tmp_path: Path) -> None:
    env = servers.environment(tmp_path / "new" / "calendar.sqlite3")
    port = servers.free_port()
    command = servers.serve(port, "--demo")

    with servers.started(command, port, env, tmp_path / "first") as first:
        secrets = SECRET.findall(first.output)
        address = f"http://127.0.0.1:{port}/calendar/events/v1/events"
        said = address in first.output
        first.secret = secrets[0]
        id = first.post("/events", {"title": "Kept over the restart", **AHEAD}).json["id"]
        made = first.get(f"/events/{id}").json
        demo = first.get("/events").json["total"]
        status = first.stop()
    with servers.started(command, port, env, tmp_path / "second") as second:
        again = second.get(f"/events/{id}").json
        demo_again = second.get("/events").json["total"]
        second.secret = secrets[0]
        signed_in = second.post("/tags", {"name": "still admin"}).status

    assert (len(secrets), said, status) == (1, True, 0)
    assert again == made
    assert demo_again == demo > 10
    assert signed_in == 201
    assert "secret" not in second.output
    assert SECRET.findall(second.output) == []
    assert address in second.output


def test_serve_without_demo_asks_for_a_user(tmp_path: Path) -> None:
    env = servers.environment(tmp_path / "new" / "calendar.sqlite3")
    port = servers.free_port()

    with servers.started(servers.serve(port), port, env, tmp_path / "log") as server:
        answer = server.get("/events")

    assert (answer.status, answer.json["total"]) == (200, 0)
    assert "calendar-api user add NAME --role administrator" in server.output
    assert SECRET.findall(server.output) == []


def test_stopped_server_leaves_no_process(tmp_path: Path) -> None:
    env = servers.environment(tmp_path / "calendar.sqlite3")
    port = servers.free_port()

    with servers.started(servers.serve(port), port, env, tmp_path / "log") as server:
        servers.until(lambda: len(server.workers()) == 2, server.process)
        workers = server.workers()
        status = server.stop()

    assert status == 0
    assert servers.running(workers) == []
    assert not server.listens()


def test_killed_worker_loses_no_acknowledged_event(tmp_path: Path) -> None:
    env = servers.environment(tmp_path / "calendar.sqlite3")
    secret = servers.administrator(env)
    port = servers.free_port()

    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log", secret=secret) as server:
        posting = Posting(server)
        for _ in range(3):
            posting.goes_on()
            os.kill(server.workers()[0], signal.SIGKILL)
        posting.goes_on()
        posting.end()
        lost = [id for id in posting.acknowledged if server.get(f"/events/{id}").status != 200]
        health = server.post("/events", {"title": "Afterwards", **AHEAD}).status

    assert len(posting.acknowledged) >= 40
    assert lost == []
    assert health == 201


class Posting:
    """Four clients that post events and record the acknowledged ones."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.acknowledged: list[int] = []
        self.deadline = time.monotonic() + servers.PATIENCE
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.post, args=(number,)) for number in range(4)]
        for thread in self.threads:
            thread.start()

    def post(self, number: int) -> None:
        while not self.over.is_set() and time.monotonic() < self.deadline:
            try:
                answer = self.server.post("/events", {"title": f"Of client {number}", **AHEAD})
            except (OSError, HTTPException):
                continue
            if answer.status == 201:
                self.acknowledged.append(answer.json["id"])

    def goes_on(self) -> None:
        """Wait until ten more events were acknowledged."""
        enough = len(self.acknowledged) + 10
        servers.until(lambda: len(self.acknowledged) >= enough, self.server.process)

    def end(self) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()
