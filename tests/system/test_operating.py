"""The log and the rate limits of a real server."""

import json
from pathlib import Path

import pytest

from tests.system import servers
from tests.system.servers import ROOT, basic

pytestmark = pytest.mark.system

CANARY = "c4n4ry-7be2d1"


def test_log_is_json_without_secrets(tmp_path: Path) -> None:
    with servers.running(tmp_path) as server:
        secret = server.secret
        made = server.post("/events", {"title": CANARY, "password": CANARY, "start_date": "2031-05-01",
                                       "end_date": "2031-05-01"})  # fmt: skip
        id = made.json["id"]
        for authorization in (f"Bearer {CANARY}", basic("admin", CANARY), basic(CANARY, secret), CANARY):
            server.send("GET", f"{ROOT}/events/{id}", headers={"Authorization": authorization})
        for query in (f"password={CANARY}", f"search={CANARY}&page=1", f"token={CANARY}"):
            server.send("GET", f"{ROOT}/events?{query}")
            server.send("GET", f"{ROOT}/events/{id}?{query}")
        server.raw(f"GET / HTTP/1.1\r\nAuthorization: Bearer {CANARY}".encode())
        server.send("GET", "/health")
        output = server.output
    lines = [json.loads(line) for line in output.splitlines() if line.startswith('{"time"')]
    routes = [line.get("route") for line in lines if "ms" in line]

    assert made.status == 201
    assert CANARY not in output
    assert secret not in output
    assert basic("admin", secret).split()[1] not in output
    assert routes.count(f"{ROOT}/events") >= 4
    assert "/health" in routes
    assert {line["address"] for line in lines if "request" in line} == {"127.0.0.1"}
    assert [line["audit"] for line in lines if "audit" in line].count("login_failed") == 3


def test_rate_limit_holds_in_all_workers(tmp_path: Path) -> None:
    with servers.running(tmp_path, workers=2) as server:
        servers.done("user", "add", "ann", "--role", "editor", env=server.env)

        def status(login: str, password: str) -> int:
            return server.ask("GET", "/tags", Authorization=basic(login, password)).status

        guesses = [status("admin", "wrong") for _ in range(10)]
        rightful = [status("admin", server.secret) for _ in range(10)]
        others = status("ann", "wrong")
        anonymous = server.get("/tags").status

    assert guesses == [401] * 10
    assert rightful == [429] * 10
    assert (others, anonymous) == (401, 200)
