"""The log: one line for each request, audit lines, and messages of gunicorn and the service."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from calendar_api import config
from calendar_api.commands import main
from calendar_api.middleware import access_log
from tests import factories
from tests.client import Client, ClientWith, basic

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
        "request": answer.headers["X-Request-Id"], "method": "GET", "status": 200, "user": "editor",
        "route": "/calendar/events/v1/events/{id}", "bytes": len(answer.body),
    }  # fmt: skip


def test_an_error_has_its_code_and_a_path_is_never_quoted(client: Client, lines: Lines) -> None:
    client.get("/events/by-slug/a-hidden-title", status=404)
    client.get("/nowhere/at-all", status=404)
    assert [(line.get("route"), line["error"]) for line in lines()] == [
        ("/calendar/events/v1/events/by-slug/{slug}", "rest-event-not-found"), (None, "rest_no_route")
    ]  # fmt: skip


def test_only_harmless_parameters_are_shown(client: Client, lines: Lines) -> None:
    client.get("/events?page=1&per_page=5&search=word&password=pass&status=publish&_fields=id&page=1")
    client.get("/tags", {"orderby": "name; or something longer", "order": "asc"})
    shown = [line["query"] for line in lines()]
    assert shown == [{"page": "1", "per_page": "5", "status": "publish"}, {"order": "asc"}]


@pytest.mark.settings(trusted_proxies=("10.0.0.1",))
def test_address_is_that_of_the_client_behind_a_trusted_proxy(client: Client, lines: Lines) -> None:
    for peer in ("10.0.0.1", "10.0.0.2"):
        client.app.extra_environ["REMOTE_ADDR"] = peer
        client.get("/tags", headers={"X-Forwarded-For": "192.0.2.1, 192.0.2.2"})
    assert [line["address"] for line in lines()] == ["192.0.2.2", "10.0.0.2"]


def test_level_decides_what_is_written(client_with: ClientWith, lines: Lines) -> None:
    told = {}
    for level in config.LOG_LEVELS:
        client = client_with(log=level)
        client.get("/tags", status=200)
        client.get("/tags", headers={"Authorization": "Bearer wrong"}, status=401)
        told[level] = [line.get("audit", "request") for line in lines()]
    assert told == {"requests": ["request", "login_failed", "request"], "audit": ["login_failed"], "off": []}


# -- what gunicorn and the service log


def failed() -> logging.LogRecord:
    """The record of an error, with a long traceback and control characters."""
    try:
        raise ValueError("\x1b[2J é" + "x" * 5000)
    except ValueError:
        made = logging.LogRecord("x", logging.ERROR, "x", 1, "request %s failed", ("a1",), sys.exc_info())
    return made


def test_messages_are_lines_of_the_log(lines: Lines) -> None:
    access_log.LogHandler().handle(failed())
    (line,) = lines()
    assert (line["level"], line["message"]) == ("error", "request a1 failed")
    assert line["traceback"].endswith("x" * 1000)


def test_line_for_a_terminal_has_no_control_characters() -> None:
    now = datetime(2031, 5, 1, tzinfo=UTC)
    fields = {"request": "a1", "ms": 1.5, "route": "/pages/events", "status": 200, "method": "GET"}
    trace = logging.Formatter().formatException(failed().exc_info)  # type: ignore[arg-type]
    assert access_log.readable(now, fields) == f"{now.astimezone():%H:%M:%S} 200 GET /events 1.5 ms"
    assert access_log.readable(now, {"route": "/pages"}).endswith(" /")
    shown = access_log.readable(now, {"level": "error", "message": "a\nb", "traceback": trace})
    assert shown.splitlines()[0].endswith(" error a?b")
    assert "ValueError: ?[2J éxxx" in shown


# -- audit


def audits(lines: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    names = ("audit", "user", "method", "status")
    return [tuple(map(line.get, names)) for line in lines if "audit" in line]


def test_failed_logins_and_denied_writes_are_audited(client: Client, lines: Lines) -> None:
    id = factories.event(client, password="sesame")["id"]
    lines()

    for login in ("editor", "my-secret-as-login"):
        client.get("/tags", headers={"Authorization": basic(login, "wrong")}, status=401)
    client.post("/tags", {"name": "x"}, status=401)
    client.post("/tags", {"name": "x"}, as_="subscriber", status=403)
    client.delete(f"/events/{id}", as_="author", status=403)
    client.get(f"/events/{id}", status=403)
    client.get(f"/events/{id}", {"password": "wrong"}, status=403)
    client.get("/events?status=draft", status=400)

    found = lines()
    assert audits(found) == [
        ("login_failed", "editor", "GET", 401), ("login_failed", None, "GET", 401),
        ("denied", None, "POST", 401), ("denied", "subscriber", "POST", 403),
        ("denied", "author", "DELETE", 403), ("event_password_failed", None, "GET", 403),
    ]  # fmt: skip
    assert "my-secret-as-login" not in json.dumps(found)


def test_throttled_guesses_are_audited(client: Client, lines: Lines) -> None:
    for _ in range(11):
        client.get("/tags", headers={"Authorization": "Bearer wrong"})
    assert [what for what, *_ in audits(lines())] == ["login_failed"] * 10 + ["throttled"]


def test_commands_that_change_users_are_audited(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CALENDAR_DATABASE_URL", database_url)
    refused = "user role nobody editor"
    done = ("user add eve --role author", "user role eve editor", "password add eve", "user remove eve")
    for command in (*done, refused):
        main.main(command.split())
    monkeypatch.setenv("CALENDAR_LOG", "off")
    main.main(["user", "role", "author", "editor"])

    said = capfd.readouterr()
    found = [json.loads(line) for line in said.err.splitlines() if line.startswith("{")]
    assert [(line["audit"], line["user"]) for line in found] == [
        ("user_added", "eve"), ("role_changed", "eve"), ("password_added", "eve"), ("user_removed", "eve"),
    ]  # fmt: skip
    assert {line["account"] for line in found} == {subprocess.check_output(["id", "-un"], text=True).strip()}
    assert found[1]["role"] == "editor"
