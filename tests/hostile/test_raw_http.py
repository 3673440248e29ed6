"""Broken HTTP over sockets, straight and through nginx: at most one answer each, never a failure of ours."""

import re
import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests import figures
from tests.hostile.broken_http import HIDDEN, ROOT, requests
from tests.system import proxies, servers

_LENGTH = re.compile(rb"(?i)^content-length:\s*([0-9]+)\s*$", re.MULTILINE)

_ERROR = re.compile(
    rb'\{"code":"[a-z_-]+","message":".+","data":\{"status":[0-9]{3}|<!doctype html>.+</html>', re.DOTALL
)
_PROXY = """
daemon off; pid {folder}/pid; error_log {folder}/error.log crit; worker_processes 1;
events {{ worker_connections 200; }}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  keepalive_timeout 1s; client_header_timeout 1s; client_body_timeout 1s; lingering_close off;
  upstream application {{ server 127.0.0.1:{behind}; keepalive 4; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://application; proxy_http_version 1.1;
      proxy_set_header Host localhost; proxy_set_header Connection "";
    }}
  }}
}}
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Server]:
    with servers.running(tmp_path_factory.mktemp("raw")) as server:
        yield server


@pytest.fixture(scope="module")
def straight(running: servers.Server) -> int:
    return running.port


@pytest.fixture(scope="module")
def proxied(straight: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    program = proxies.require("nginx")
    folder, port = tmp_path_factory.mktemp("nginx"), servers.free_port()
    (folder / "nginx.conf").write_text(_PROXY.format(folder=folder, behind=straight, port=port), "utf-8")
    command = [program, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]
    with servers.started(command, port, {}, folder / "output"):
        yield port


def _said(port: int, request: bytes, *, ended: bool) -> bytes:
    """Everything that is answered until the server closes; `ended` tells it that nothing more will come.

    A proxy would take that for the end of the client, and waits for the rest only as long as it is told to.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=servers.PATIENCE) as connection:
        received = b""
        try:
            connection.sendall(request)
            if ended:
                connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65_536):
                received += part
        except (ConnectionError, BrokenPipeError):
            pass  # it has closed without reading all of it
        return received


def _answers(said: bytes) -> list[tuple[int, bytes]]:
    """Status and whole text of each answer, one after another."""
    found = []
    while said.startswith(b"HTTP/"):
        head, _, rest = said.partition(b"\r\n\r\n")
        status = int(head.split()[1])
        length = _LENGTH.search(head)
        size = int(length[1]) if length and status >= 200 else 0 if status < 200 else len(rest)
        if status >= 200:
            found.append((status, head + rest[:size]))
        said = rest[size:]
    return [*found, (0, said)] if said.strip() and not found else found


def _faults(said: bytes, *, straight: bool) -> list[str]:
    """What comes after an answer may only be a server that refuses the rest, and closes.

    Without a proxy every error has to be ours: JSON with a request id, and no failure of the server.
    """
    answers = _answers(said)
    refused = [text for status, text in answers[1:] if status == 400 and _refusal(text)]
    found = [f"{len(answers)} answers"] if len(answers) - len(refused) > 1 or len(refused) > 1 else []
    if b"rest-tag-not-found" in said:
        found.append("the hidden request was answered")
    for status, text in answers:
        ours = b"x-request-id:" in text.lower()
        if status >= 500 and status != 501 and (ours or straight):
            found.append(f"{status} from the application")
        if straight and status >= 400 and not (ours and _ERROR.search(text)):
            found.append(f"{status} is not an error of ours")
    return found


def _refusal(text: bytes) -> bool:
    """Whether a server, ours or a proxy, refuses what it cannot read."""
    return b'"rest_bad_request"' in text or b"x-request-id:" not in text.lower()


@pytest.mark.parametrize(
    ("way", "signed"),
    [
        ("straight", False), ("straight", True), ("proxied", True),
        pytest.param("proxied", False, marks=pytest.mark.long),
    ],
)  # fmt: skip
def test_broken_requests_get_one_answer_at_most(
    way: str, running: servers.Server, request: pytest.FixtureRequest, *, signed: bool
) -> None:
    port = request.getfixturevalue(way)
    credentials = f"Authorization: {running.signed}\r\nContent-Type: application/json\r\n".encode()
    sent = requests(credentials if signed else b"")
    statuses: Counter[int] = Counter()
    wrong = []

    ended = way == "straight"
    with ThreadPoolExecutor(20) as pool:
        all_said = list(pool.map(lambda broken: _said(port, broken, ended=ended), sent))
    for broken, said in zip(sent, all_said, strict=True):
        statuses.update(status for status, _ in _answers(said)[:1])
        statuses[0] += not said
        faults = _faults(said, straight=way == "straight")
        wrong += [f"{fault} to {broken[:300]!r}: {said[:500]!r}" for fault in faults]

    alive = _said(port, b"GET " + ROOT + b"/events HTTP/1.1\r\nHost: localhost\r\n\r\n", ended=ended)
    name = f"hostile_raw_{way}{'_signed' * signed}"  # status 0: closed without an answer
    figures.keep(name, requests=len(sent), statuses=dict(statuses), wrong=wrong)
    assert len(sent) >= 150
    assert wrong == []
    assert _answers(alive)[0][0] == 200


@pytest.mark.long
@pytest.mark.parametrize("way", ["straight", "proxied"])
def test_second_answer_is_found(way: str, request: pytest.FixtureRequest) -> None:
    two = b"GET " + ROOT + b" HTTP/1.1\r\nHost: localhost\r\n\r\n" + HIDDEN

    faults = _faults(_said(request.getfixturevalue(way), two, ended=way == "straight"), straight=False)

    assert faults == ["2 answers", "the hidden request was answered"]
