"""No secret shows in the log, whatever is sent, and a log that breaks stops nothing."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from calendar_api.middleware import access_log
from tests import factories
from tests.client import ROOT, Client, basic

CANARY = "c4n4ry-4f9a1b"


def requests(client: Client) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Secrets in every place where somebody may put them."""
    authorizations = [
        f"Bearer {CANARY}", basic("editor", CANARY), basic(CANARY, CANARY), f"Digest {CANARY}", CANARY,
        f"Basic {CANARY}", f"bearer  {CANARY} ",
    ]  # fmt: skip
    names = ("", "events", "events/1", "events/by-slug/x", "tags", "venues", "doc", "docs", "nothing")
    paths = [f"/{name}" for name in names]
    for authorization in authorizations:
        for path in paths:
            for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
                yield method, path, {"headers": {"Authorization": authorization}}
    for path in paths:
        query = f"?password={CANARY}&search={CANARY}&page={CANARY}&status={CANARY} &token={CANARY}"
        yield "GET", path + query, {}
        yield "GET", f"{path}/{CANARY}", {}
        yield "POST", path, {"body": {"title": CANARY, "password": CANARY, "name": CANARY}, "as_": "admin"}
        broken = {"raw": f"{{{CANARY}".encode(), "content_type": "application/json", "as_": "admin"}
        yield "POST", path, broken
        yield "POST", path, {"form": {"password": CANARY, "status": CANARY}, "as_": "admin"}
        for name in ("Cookie", "Idempotency-Key", "User-Agent", "X-Forwarded-For", "Host"):
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
        assert client.basic(login).removeprefix("Basic ") not in everything


def test_harness_finds_a_log_of_query_strings(client: Client, capfd: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(access_log, "logged_parameters", lambda query: {"all": query})
    client.get("/events", {"password": CANARY})
    assert CANARY in capfd.readouterr().err


def test_gunicorn_quotes_no_request() -> None:
    for said in (
        f"Invalid request from ip=127.0.0.1: Invalid HTTP Header: 'AUTHORIZATION {CANARY}'",
        f"Invalid request from ip=::1: Invalid HTTP request line: 'GET /?password={CANARY}'",
        f"Error handling request /events?password={CANARY}",
    ):
        record = logging.LogRecord("gunicorn.error", logging.WARNING, "", 1, "%s", (said,), None)
        assert access_log.HideRequest().filter(record)
        assert CANARY not in record.getMessage()
        assert len(record.getMessage()) > 20


def test_control_characters_cannot_make_a_line_of_their_own(capfd: pytest.CaptureFixture[str]) -> None:
    access_log.write(user='a\n{"status":200}\r\x1b[2J\u2028\ud800', other="x" * 10_000, number=None)
    (line,) = capfd.readouterr().err.splitlines()
    assert json.loads(line)["user"].startswith("a\n{")
    assert len(line) < 1000
    assert line.isascii()
    assert line.isprintable()


BROKEN = {"closed": "2>&-", "full": "2>/dev/full", "read only": "2</dev/null", "nobody reads": ""}
CODE = """
from calendar_api.middleware import access_log
for number in range(5000):
    access_log.write(number=number, text="x" * 200)
print("went on")
"""


@pytest.mark.parametrize("how", BROKEN)
def test_log_that_cannot_be_written_stops_nothing(how: str) -> None:
    root = Path(__file__).parents[2]
    reading, writing = os.pipe()
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -c '{CODE}' {BROKEN[how]}"],
        cwd=root, env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE, stderr=writing, text=True, timeout=60, check=False,
    )  # fmt: skip
    os.close(reading)
    os.close(writing)

    assert (done.returncode, done.stdout) == (0, "went on\n")
