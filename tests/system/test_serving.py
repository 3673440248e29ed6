"""Servers started by `calendar-api serve` and by gunicorn."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system import servers
from tests.system.servers import ROOT, Server

pytestmark = pytest.mark.system

AHEAD = {"start_date": "2031-05-01 10:00:00", "end_date": "2031-05-01 12:00:00"}


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with servers.running(tmp_path_factory.mktemp("serving")) as running:
        yield running


SECRET = b"c4n4ry-7be2d1"
#: By status and code what gunicorn refuses by itself, each with a secret for %, and many for %%.
REFUSED = {
    (400, "rest_bad_request"): (
        b"%", b"GET /?password=% HTTP/9.9", b"GET ?password=% \0 HTTP/1.1", b"G\1T /?password=% HTTP/1.1",
        b"GET / HTTP/1.1\r\nAuthorization Bearer %", b"GET / HTTP/1.1\r\nAuthorization : Bearer %",
        b"GET / HTTP/1.1\r\nAuthorization: Bearer %\r\n %", b"GET / HTTP/1.1\r\nAuthorization: Bearer \0%",
        b"GET / HTTP/1.1\r\nX-%(): x", b"GET / HTTP/1.1\r\nContent-Length: %",
    ),
    (414, "rest_uri_too_long"): (b"GET /?password=%% HTTP/1.1",),
    (417, "rest_expectation_failed"): (b"GET / HTTP/1.1\r\nExpect: %",),
    (431, "rest_headers_too_large"): (b"GET / HTTP/1.1\r\nAuthorization: Bearer %%",),
    (501, "rest_transfer_coding_unknown"): (b"POST / HTTP/1.1\r\nTransfer-Encoding: %",),
}  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "line"), [(key, line) for key, lines in REFUSED.items() for line in lines]
)
def test_errors_of_gunicorn_are_json_without_secrets(
    serving: Server, answer: tuple[int, str], line: bytes
) -> None:
    request = line.replace(b"%%", SECRET * 2000).replace(b"%", SECRET)
    said = serving.raw(request + b"\r\nHost: localhost\r\n\r\n")

    status, code = answer
    head, _, body = said.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
    error, name = json.loads(body), headers["X-Request-Id"]
    logged = next(json.loads(line) for line in serving.output.splitlines() if name in line)
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert headers["Content-Type"] == "application/json; charset=UTF-8"
    assert int(headers["Content-Length"]) == len(body)
    assert (error["data"]["status"], error["code"]) == answer
    assert error["data"].get("request_id") == (name if status >= 500 else None)
    assert (logged["status"], logged["error"], logged["address"]) == (status, code, "127.0.0.1")
    assert SECRET.decode() not in said.decode() + serving.output


def test_letters_in_an_address_must_be_encoded(serving: Server) -> None:
    for target in ("events?search=café", "events?search=a b"):
        said = serving.raw(f"GET {ROOT}/{target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        error = json.loads(said.partition(b"\r\n\r\n")[2])
        assert error["code"] == "rest_bad_request"
        assert "%C3%A9" in error["message"]


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
        (f"{ROOT}/tags", ["Host: localhost", "Script-Name: /evil"]),
        (f"{ROOT}/tags", ["Host: localhost", "HTTP_HOST: evil.example", "HTTP-HOST: evil.example"]),
        (f"{ROOT}/tags", ["Host: localhost", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https"]),
        (f"{ROOT}/tags", ["Host: localhost", "X-Forwarded-Ssl: on", "X_Forwarded_Ssl: on"]),
        (f"{ROOT}/tags", ["Host: localhost", "X-Forwarded-Protocol: ssl", "X_Forwarded_Protocol: ssl"]),
        (f"//evil.example{ROOT}/tags", ["Host: localhost"]),
        (f"{ROOT}/tags", ["Host: localhost", "X-Forwarded-Prefix: /evil", "X-Original-URL: /evil"]),
    ],
)
def test_forged_headers_change_no_url(serving: Server, line: str, headers: list[str]) -> None:
    request = "\r\n".join([f"GET {line} HTTP/1.1", *headers, "Connection: close", "", ""])
    answer = serving.raw(request.encode("latin-1"))

    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split()[1])
    assert status in (200, 400, 404), answer
    if status == 200:
        assert json.loads(body)["rest_url"] == f"http://localhost{ROOT}/tags/"
    assert b"evil" not in answer.replace(b"HTTP_HOST", b"").replace(b"HTTP-HOST", b"")


@pytest.mark.parametrize("options", [(), ("--preload",)], ids=["", "preloaded"])
def test_gunicorn_serves_when_there_is_a_database(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Without one it names the command that makes it; health says so, too, and when it goes away again."""
    with servers.running(tmp_path, *options, migrated=False) as server:
        healths = [server.send("GET", "/health")]
        answer = server.get("/events")
        made = server.database.parent.exists()
        servers.done("migrate", env=server.env)
        after = server.get("/events").status
        healths += [
            server.send(method, "/health", headers={"Host": "x.example"}) for method in ("GET", "HEAD")
        ]
        server.database.rename(tmp_path / "away")
        healths.append(server.send("GET", "/health"))

    assert (answer.status, answer.json["code"]) == (503, "not_initialised")
    assert "calendar-api migrate" in answer.json["message"]
    assert (made, after) == (False, 200)
    before, there, head, gone = healths
    assert (before.status, before.json["reason"]) == (503, "not_initialised")
    assert (there.status, head.status, head.body) == (200, 200, b"")
    assert there.json["status"] in ("ok", "degraded")
    assert (gone.status, gone.json["status"]) == (503, "down")
    assert not server.database.exists()


def test_demo_records_survive_a_restart(tmp_path: Path) -> None:
    with servers.running(tmp_path, "--demo", command=servers.serve, migrated=False, workers=2) as first:
        secrets = servers.SECRET.findall(first.output)
        address = f"Page:      http://127.0.0.1:{first.port}/events/\n"
        said = address in first.output
        first.secret = secrets[0]
        id = first.post("/events", {"title": "Kept over the restart", **AHEAD}).json["id"]
        made = first.get(f"/events/{id}").json
        demo = first.get("/events").json["total"]
        workers = first.workers()
        status = first.stop()
        left = (servers.alive(workers), first.listens())
    command = servers.serve(first.port, "--demo")
    with servers.started(command, first.port, first.env, tmp_path / "log2", secret=secrets[0]) as second:
        again = second.get(f"/events/{id}").json
        demo_again = second.get("/events").json["total"]
        signed_in = second.post("/tags", {"name": "still admin"}).status

    assert (len(secrets), said, status, left) == (1, True, 0, ([], False))
    assert again == made
    assert demo_again == demo > 10
    assert signed_in == 201
    assert "secret" not in second.output
    assert servers.SECRET.findall(second.output) == []
    assert address in second.output
    assert "token=" not in second.output
    assert f"Sign in:   http://127.0.0.1:{first.port}/edit/ as user admin; `" in second.output
    assert "password add admin` makes one for programs\n" in second.output


def test_serve_without_demo_prints_a_link(tmp_path: Path) -> None:
    with servers.running(tmp_path, command=servers.serve, migrated=False) as server:
        answer = server.get("/events")
        (link,) = re.findall(rf"Sign in:   http://127.0.0.1:{server.port}(/edit/.*) \(once", server.output)
        page = server.send("GET", link)
    with servers.started(servers.serve(server.port), server.port, server.env, tmp_path / "log2") as second:
        old, again = second.send("GET", link).status, "/edit/invitation/?token=" in second.output

    assert (answer.status, answer.json["total"]) == (200, 0)
    assert (page.status, b"you sign in as admin" in page.body) == (200, True)
    assert (old, again) == (410, True)
    assert servers.SECRET.findall(server.output) == []


def test_preloaded_workers_serve_and_the_master_has_no_connection(tmp_path: Path) -> None:
    with servers.running(tmp_path, "--preload", "--workers", "3", workers=3) as server:
        dates = {"start_date": "tomorrow", "end_date": "tomorrow"}
        made = [server.post("/events", {"title": f"Number {number}", **dates}) for number in range(12)]
        shown = [server.get("/events", per_page=50).json["total"] for _ in range(12)]
        held = [str(handle.readlink()) for handle in Path(f"/proc/{server.process.pid}/fd").iterdir()]

    assert {answer.status for answer in made} == {201}
    assert shown == [12] * 12
    assert not [name for name in held if "calendar.sqlite3" in name]
    assert "/events" not in server.output.partition("Booting worker")[0]  # the warm-up request is not logged
