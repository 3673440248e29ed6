"""Concurrent requests to two processes: one record per key, one successful write per ETag."""

import base64
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from tests.system import servers
from tests.system.servers import ROOT, Answer, Server

pytestmark = pytest.mark.system

CLIENTS = 20
EVENT = {
    "title": "Once",
    "start_date": "2031-05-01 10:00",
    "end_date": "2031-05-01 11:00",
    "venue": {"venue": "Hall"},
    "organizer": [{"organizer": "Ann"}],
    "tags": ["new"],
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("idempotency")
    env = servers.environment(folder / "calendar.sqlite3")
    secret, port = servers.administrator(env), servers.free_port()
    with servers.started(servers.serve(port), port, env, folder / "log", secret=secret) as running:
        servers.until(lambda: len(running.workers()) == 2, running.process)
        yield running


def at_once(server: Server, method: str, path: str, bodies: list[Any], **headers: str) -> list[Answer]:
    """Send all bodies at the same time, each from its own client."""
    start = Barrier(len(bodies))
    credentials = base64.b64encode(f"admin:{server.secret}".encode()).decode()
    sent = {
        "Authorization": f"Basic {credentials}",
        "Content-Type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }

    def send(body: Any) -> Answer:
        start.wait()
        return server.send(method, ROOT + path, json.dumps(body).encode(), sent)

    with ThreadPoolExecutor(len(bodies)) as pool:
        return list(pool.map(send, bodies))


def header(answer: Answer, name: str) -> str:
    return {key.lower(): value for key, value in answer.headers.items()}[name.lower()]


def total(server: Server, path: str, **parameters: Any) -> int:
    found: int = server.get(path, **parameters).json["total"]
    return found


def test_one_key_creates_one_record(server: Server) -> None:
    answers = at_once(server, "POST", "/events", [EVENT] * CLIENTS, Idempotency_Key="one")

    assert [answer.status for answer in answers] == [201] * CLIENTS, answers[0].body
    assert len({answer.body for answer in answers}) == 1
    assert len({(header(answer, "Location"), header(answer, "ETag")) for answer in answers}) == 1
    assert total(server, "/events", search="once", starts_after="2031-01-01") == 1
    assert [total(server, path) for path in ("/venues", "/organizers", "/tags")] == [1, 1, 1]


def test_one_key_with_different_bodies_creates_one_record(server: Server) -> None:
    bodies = [{"name": f"Category {number}"} for number in range(CLIENTS)]

    answers = at_once(server, "POST", "/categories", bodies, Idempotency_Key="two")

    assert sorted(answer.status for answer in answers) == [201, *[422] * (CLIENTS - 1)]
    assert total(server, "/categories", hide_empty=0) == 1


def test_without_a_key_each_request_creates_a_record(server: Server) -> None:
    answers = at_once(server, "POST", "/events", [{**EVENT, "title": "Often"}] * CLIENTS)

    assert [answer.status for answer in answers] == [201] * CLIENTS
    assert total(server, "/events", search="often", starts_after="2031-01-01") == CLIENTS


def test_one_etag_allows_one_write(server: Server) -> None:
    made = server.post("/venues", {"venue": "Contested"})
    path = f"/venues/{made.json['id']}"
    bodies = [{"city": f"City {number}"} for number in range(CLIENTS)]

    answers = at_once(server, "PUT", path, bodies, If_Match=header(made, "ETag"))

    assert sorted(answer.status for answer in answers) == [200, *[412] * (CLIENTS - 1)]
    won = next(answer for answer in answers if answer.status == 200)
    read = server.get(path)
    assert (read.json["city"], header(read, "ETag")) == (won.json["city"], header(won, "ETag"))


@pytest.mark.parametrize(
    ("line", "headers"),
    [
        (f"http://evil.example{ROOT}/tags", ["Host: localhost"]),
        (f"http://evil.example@localhost{ROOT}/tags", ["Host: localhost"]),
        (f"{ROOT}/tags", ["Host: localhost", "Host: evil.example"]),
        (f"{ROOT}/tags", ["Host: evil.example", "Host: localhost"]),
        (f"{ROOT}/tags", ["Host: localhost", " evil.example"]),
        (f"{ROOT}/tags", ["Host: evil.example"]),
        (f"{ROOT}/tags", ["Host: localhost\x0bevil.example"]),
        (f"{ROOT}/tags", ["Host : evil.example"]),
        (f"{ROOT}/tags", []),
        (f"{ROOT}/tags", ["Host: localhost", "X_Forwarded_Host: evil.example", "SCRIPT_NAME: /evil"]),
        (f"{ROOT}/tags", ["Host: localhost", "HTTP_HOST: evil.example", "HTTP-HOST: evil.example"]),
        (f"{ROOT}/tags", ["Host: localhost", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https"]),
        (f"//evil.example{ROOT}/tags", ["Host: localhost"]),
        (f"{ROOT}/tags", ["Host: localhost", "X-Forwarded-Prefix: /evil", "X-Original-URL: /evil"]),
    ],
)
def test_forged_headers_change_no_url(server: Server, line: str, headers: list[str]) -> None:
    request = "\r\n".join([f"GET {line} HTTP/1.1", *headers, "Connection: close", "", ""])
    with socket.create_connection(("127.0.0.1", server.port), timeout=servers.PATIENCE) as connection:
        connection.sendall(request.encode("latin-1"))
        answer = b"".join(iter(lambda: connection.recv(65536), b""))

    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split()[1])
    assert status in (200, 400, 404), answer
    if status == 200:
        assert json.loads(body)["rest_url"] == f"http://localhost{ROOT}/tags/"
    assert b"evil" not in answer.replace(b"HTTP_HOST", b"").replace(b"HTTP-HOST", b"")
