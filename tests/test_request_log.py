"""The log: one JSON line a request, audit lines, and never a secret, whatever is sent and whatever breaks."""

import base64
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from calendar_api import cli, journal, request_log
from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.peers import Proxies, network
from tests import factories
from tests.client import ROOT, Client

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines(capfd: pytest.CaptureFixture[str]) -> Lines:
    """The lines of the log since the last call."""

    def read() -> list[dict[str, Any]]:
        return [json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")]

    return read


def test_a_request_is_one_line(client: Client, lines: Lines) -> None:
    event = factories.event(client)
    lines()

    answer = client.get(f"/events/{event['id']}", as_="editor", headers={"User-Agent": "x"}, status=200)
    (line,) = lines()

    assert datetime.fromisoformat(line.pop("time")).tzinfo is not None
    assert line.pop("ms") >= 0
    assert line == {
        "request": answer.headers["X-Request-Id"],
        "method": "GET",
        "route": "/calendar/events/v1/events/{id}",
        "status": 200,
        "user": "editor",
        "bytes": len(answer.body),
    }


def test_an_error_has_its_code_and_a_path_is_never_quoted(client: Client, lines: Lines) -> None:
    client.get("/events/by-slug/a-hidden-title", status=404)
    client.get("/nowhere/at-all", status=404)

    one, other = lines()
    assert (one["route"], one["error"]) == (
        "/calendar/events/v1/events/by-slug/{slug}", "rest-event-not-found",
    )  # fmt: skip
    assert (other.get("route"), other["error"]) == (None, "rest_no_route")


def test_only_harmless_parameters_are_shown(client: Client, lines: Lines) -> None:
    client.get("/events?page=1&per_page=5&search=word&password=pass&status=publish&_fields=id&page=1")
    client.get("/tags", {"orderby": "name; or something longer", "order": "asc"})

    assert [line["query"] for line in lines()] == [
        {"page": "1", "per_page": "5", "status": "publish"},
        {"order": "asc"},
    ]


def test_address_is_that_of_the_client_behind_a_trusted_proxy(
    client: Client, database_url: str, lines: Lines
) -> None:
    config = Config(database_url=database_url, trusted_proxies=("10.0.0.1",))
    behind = Client(create_app(config), client.secrets, client.ids)
    for peer in ("10.0.0.1", "10.0.0.2"):
        behind.app.extra_environ["REMOTE_ADDR"] = peer
        behind.get("/tags", headers={"X-Forwarded-For": "192.0.2.1, 192.0.2.2"})

    assert [line["address"] for line in lines()] == ["192.0.2.2", "10.0.0.2"]


def test_level_decides_what_is_written(client: Client, database_url: str, lines: Lines) -> None:
    told = {}
    for level in journal.LEVELS:
        app = create_app(Config(database_url=database_url, log=level))
        other = Client(app, client.secrets, client.ids)
        other.get("/tags", status=200)
        other.get("/tags", headers={"Authorization": "Bearer wrong"}, status=401)
        told[level] = [line.get("audit", "request") for line in lines()]

    assert told == {"requests": ["request", "login_failed", "request"], "audit": ["login_failed"], "off": []}


# -- audit


def audits(lines: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        (line["audit"], line.get("user"), line["method"], line["status"]) for line in lines if "audit" in line
    ]


def test_failed_logins_and_denied_writes_are_audited(client: Client, lines: Lines) -> None:
    id = factories.event(client, password="sesame")["id"]
    lines()

    client.get("/tags", headers={"Authorization": "Basic " + b64("editor:wrong")}, status=401)
    client.get("/tags", headers={"Authorization": "Basic " + b64("my-secret-as-login:x")}, status=401)
    client.post("/tags", {"name": "x"}, status=401)
    client.post("/tags", {"name": "x"}, as_="subscriber", status=403)
    client.delete(f"/events/{id}", as_="author", status=403)
    client.get(f"/events/{id}", status=403)
    client.get(f"/events/{id}", {"password": "wrong"}, status=403)
    client.get("/events?status=draft", status=400)

    found = lines()
    assert audits(found) == [
        ("login_failed", "editor", "GET", 401),
        ("login_failed", None, "GET", 401),
        ("denied", None, "POST", 401),
        ("denied", "subscriber", "POST", 403),
        ("denied", "author", "DELETE", 403),
        ("event_password_failed", None, "GET", 403),
    ]
    assert "my-secret-as-login" not in json.dumps(found)


def test_throttled_guesses_are_audited(client: Client, lines: Lines) -> None:
    for _ in range(11):
        client.get("/tags", headers={"Authorization": "Bearer wrong"})

    assert [what for what, *_ in audits(lines())] == ["login_failed"] * 10 + ["throttled"]


def test_commands_that_change_users_are_audited(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CALENDAR_DATABASE_URL", database_url)
    for command in (
        "user add eve --role author", "user role eve editor", "password add eve", "user remove eve",
        "user role nobody editor",  # refused
    ):  # fmt: skip
        cli.main(command.split())
    monkeypatch.setenv("CALENDAR_LOG", "off")
    cli.main(["user", "role", "author", "editor"])

    said = capfd.readouterr()
    found = [json.loads(line) for line in said.err.splitlines() if line.startswith("{")]
    assert [(line["audit"], line["user"]) for line in found] == [
        ("user_added", "eve"), ("role_changed", "eve"), ("password_added", "eve"), ("user_removed", "eve"),
    ]  # fmt: skip
    assert {line["account"] for line in found} == {subprocess.check_output(["id", "-un"], text=True).strip()}
    assert found[1]["role"] == "editor"


# -- secrets


CANARY = "c4n4ry-4f9a1b"


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def requests(client: Client) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Secrets in every place where somebody may put them."""
    authorizations = [
        f"Bearer {CANARY}", f"Basic {b64(f'editor:{CANARY}')}", f"Basic {b64(f'{CANARY}:{CANARY}')}",
        f"Digest {CANARY}", CANARY, f"Basic {CANARY}", f"bearer  {CANARY} ",
    ]  # fmt: skip
    paths = [
        "/events",
        "/events/1",
        "/events/by-slug/x",
        "/tags",
        "/venues",
        "/doc",
        "/",
        "/docs",
        "/nothing",
    ]
    for authorization in authorizations:
        for path in paths:
            for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
                yield method, path, {"headers": {"Authorization": authorization}}
    for path in paths:
        query = f"?password={CANARY}&search={CANARY}&page={CANARY}&status={CANARY} &token={CANARY}"
        yield "GET", path + query, {}
        yield "GET", f"{path}/{CANARY}", {}
        yield "POST", path, {"body": {"title": CANARY, "password": CANARY, "name": CANARY}, "as_": "admin"}
        yield (
            "POST",
            path,
            {"raw": f"{{{CANARY}".encode(), "content_type": "application/json", "as_": "admin"},
        )
        yield "POST", path, {"form": {"password": CANARY, "status": CANARY}, "as_": "admin"}
        for name in (
            "Cookie",
            "X-Event-Password",
            "Idempotency-Key",
            "User-Agent",
            "X-Forwarded-For",
            "Host",
        ):
            yield "POST", path, {"headers": {name: CANARY}}


def test_no_secret_shows_in_the_log(
    client: Client, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    factories.event(client, password=CANARY)
    count = 0
    for method, path, more in requests(client):
        headers = dict(more.get("headers", {}))
        if "as_" in more:
            headers["Authorization"] = client.basic(more["as_"])
        body = more.get("raw") or json.dumps(more.get("body", more.get("form", {}))).encode()
        kind = more.get("content_type", "application/json")
        client.app.request(
            ROOT + path, method=method, body=b"" if method in ("GET", "HEAD") else body,
            headers={**headers, "Content-Type": kind}, expect_errors=True,
        )  # fmt: skip
        count += 1
    said = capfd.readouterr()
    everything = said.out + said.err + caplog.text

    assert count > 400
    assert said.err.count('"status":') >= count
    assert CANARY not in everything
    for login in ("admin", "editor"):
        assert client.secrets[login] not in everything
        assert b64(f"{login}:{client.secrets[login]}") not in everything


def test_control_a_log_of_addresses_would_be_found(
    client: Client, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_log, "shown", lambda query: {"all": query})

    client.get("/events", {"password": CANARY})

    assert CANARY in capfd.readouterr().err


@pytest.mark.parametrize(
    "said",
    [
        f"Invalid request from ip=127.0.0.1: Invalid HTTP Header: 'AUTHORIZATION {CANARY}'",
        f"Invalid request from ip=::1: Invalid HTTP request line: 'GET /?password={CANARY}'",
        f"Error handling request /events?password={CANARY}",
    ],
)
def test_gunicorn_quotes_no_request(said: str) -> None:
    record = logging.LogRecord("gunicorn.error", logging.WARNING, "", 1, "%s", (said,), None)

    assert request_log.WithoutRequest().filter(record)
    assert CANARY not in record.getMessage()
    assert len(record.getMessage()) > 20


def test_control_characters_cannot_make_a_line_of_their_own(capfd: pytest.CaptureFixture[str]) -> None:
    journal.write(user='a\n{"status":200}\r\x1b[2J\u2028\ud800', other="x" * 10_000, number=None)

    (line,) = capfd.readouterr().err.splitlines()
    assert json.loads(line)["user"].startswith("a\n{")
    assert len(line) < 1000
    assert line.isascii()
    assert line.isprintable()


# -- a log that cannot be written


BROKEN = {"closed": "2>&-", "full": "2>/dev/full", "read only": "2</dev/null", "nobody reads": ""}
CODE = """
from calendar_api import journal
for number in range(5000):
    journal.write(number=number, text="x" * 200)
print("went on")
"""


@pytest.mark.parametrize("how", BROKEN)
def test_log_that_cannot_be_written_stops_nothing(how: str) -> None:
    root = Path(__file__).parents[1]
    reading, writing = os.pipe()

    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -c '{CODE}' {BROKEN[how]}"],
        cwd=root, env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE, stderr=writing, text=True, timeout=60, check=False,
    )  # fmt: skip
    os.close(reading)
    os.close(writing)

    assert (done.returncode, done.stdout) == (0, "went on\n")


# -- addresses


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", "198.51.100.1", "192.0.2.1"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.9", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"),
        ("10.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1, garbage", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", ", ".join(["10.0.0.2"] * 1000), "10.0.0.2"),
        ("", "198.51.100.1", ""),
    ],
)
def test_client_of_a_chain_of_proxies(peer: str, forwarded: str | None, client: str) -> None:
    assert Proxies(("10.0.0.0/8",)).client(peer, forwarded) == client


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("192.0.2.1", "192.0.2.1/32"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1/32"),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_neighbourhood(address: str, found: str) -> None:
    assert network(address) == found
