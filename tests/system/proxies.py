"""nginx with the files of `deploy/nginx` and gunicorn on a Unix socket, for system tests."""

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.system import servers
from tests.system.servers import CHECKOUT, PATIENCE, Answer, Server

SAMPLES = CHECKOUT / "deploy" / "nginx"
AT_ROOT, IN_FOLDER = "calendar.example.org", "www.example.org"
FOLDER = "/calendar-site"
#: Headers that a client may forge to change its address or the URLs in responses.
SPOOFED = {
    "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/evil",
    "X-Forwarded-For": "127.0.0.1, unix:", "X-Forwarded-Port": "444", "X-Forwarded-Ssl": "on",
    "X-Forwarded-Protocol": "ssl", "X-Forwarded-Scheme": "https", "X-Forwarded-Server": "evil.example",
    "X-Forwarded-Path": "/evil", "X-Script-Name": "/evil",
    "X-Original-URL": "/evil", "X-Rewrite-URL": "/evil",
    "X-Real-IP": "10.0.0.1", "X-Host": "evil.example", "X-HTTP-Host-Override": "evil.example",
    "Forwarded": "for=10.0.0.1;host=evil.example;proto=https", "Script-Name": "/evil", "SCRIPT_NAME": "/evil",
    "Path-Info": "/evil", "PATH_INFO": "/evil", "Proxy": "http://evil.example/", "REMOTE_ADDR": "10.0.0.1",
    "Remote-User": "admin", "REMOTE_USER": "admin", "X-Forwarded-User": "admin", "Front-End-Https": "on",
}  # fmt: skip


def require(program: str) -> str:
    """The path of a program. If it is missing, fail in CI and skip elsewhere."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    found = shutil.which(program, path=path)
    if not found and os.environ.get("CI"):
        pytest.fail(f"{program} is not installed")
    if not found:
        pytest.skip(f"{program} is not installed")
    return str(found)


def configuration(folder: Path, port: int, changes: dict[str, str]) -> str:
    """The samples as one configuration: a site at the root of a host, and one in a folder; without TLS.

    Each text of `changes` must be in a sample; the value replaces it.
    """
    samples = {path.name: path.read_text("utf-8") for path in sorted(SAMPLES.glob("*.conf"))}
    for old, new in changes.items():
        assert any(old in text for text in samples.values()), f"{old} is not in the samples"
        samples = {name: text.replace(old, new) for name, text in samples.items()}
    (folder / "snippets").mkdir(exist_ok=True)
    for name, text in samples.items():
        (folder / "snippets" / name).write_text(text, "utf-8")
    site = samples["calendar-api-site.conf"]
    site = "server {" + site.split("\nserver {")[2].replace(
        "listen 443 ssl http2;", f"listen 127.0.0.1:{port};"
    )
    site = re.sub(r"^ *(listen \[::\]|ssl_).*\n", "", site, flags=re.MULTILINE)
    temporary = " ".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return f"""
        {"user root;" if os.geteuid() == 0 else ""}
        pid {folder}/pid;
        error_log {folder}/error.log warn;
        worker_processes auto;
        worker_rlimit_nofile 8192;
        events {{ worker_connections 4096; }}
        http {{
            access_log off;
            {temporary}
            include snippets/calendar-api-http.conf;
            {site}
            server {{
                listen 127.0.0.1:{port};
                server_name {IN_FOLDER};
                server_tokens off;
                include snippets/calendar-api-folder.conf;
                location / {{ return 404; }}
            }}
        }}"""


@dataclass
class Front(Server):
    """A proxy in front of the service; `host` is the site to request."""

    host: str = AT_ROOT
    address: str = "127.0.0.1"  # of the client
    patience: float = PATIENCE

    def send(
        self, method: str, target: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=self.patience, source_address=(self.address, 0)
        )
        return servers.exchange(connection, method, target, body, {"Host": self.host, **(headers or {})})

    def listens(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True
        return False

    def site(self, host: str, address: str = "127.0.0.1") -> "Front":
        """The same server with another host name or client address (any 127.x.y.z)."""
        return replace(self, host=host, address=address)


def check_requests(front: Front) -> None:
    """What every way of hosting passes on, at a site in FOLDER."""
    path = f"{FOLDER}{servers.ROOT}/events"
    base = f"http://{front.host}{path}/"
    signed = {"Authorization": front.signed, "Content-Type": "application/json"}

    def ask(method: str, target: str = path, body: Any = None, headers: Any = signed) -> Answer:
        sent = json.dumps(body).encode() if isinstance(body, dict) else body
        return front.send(method, target, sent, headers)

    fair = {"title": "Fair", "start_date": "2031-05-01", "end_date": "2031-05-02", "venue": {"venue": "Hall"}}
    listed, spoofed = ask("GET", headers={}), ask("GET", headers=SPOOFED)
    assert (listed.status, listed.json["rest_url"].startswith(base)) == (200, True), listed.body
    assert spoofed.json["rest_url"].startswith(base)
    head = ask("HEAD", headers={})
    assert (head.status, head.body) == (200, b"")
    assert ask("POST", body={}, headers={"Content-Type": "application/json"}).status == 401
    assert ask("POST", body=b"x" * 1_048_577).status == 413
    tag = json.dumps({"name": f"in pieces {front.port}", "description": "x" * 50_000}).encode()
    pieces = (tag[start : start + 7000] for start in range(0, len(tag), 7000))
    chunked = ask("POST", f"{FOLDER}{servers.ROOT}/tags", pieces)
    assert (chunked.status, len(chunked.json["description"])) == (201, 50_000), chunked.body
    made = ask("POST", body=fair)
    assert (made.status, made.json["venue"]["venue"]) == (201, "Hall"), made.body
    assert made.json["rest_url"] == f"{base}{made.json['id']}"
    target = f"{path}/{made.json['id']}"
    assert ask("OPTIONS", target).json["methods"]
    for method in ("PATCH", "PUT", "POST"):
        assert ask(method, target, {"title": method}).json["title"] == method
    assert ask("DELETE", target).status == 200
    assert ask("GET", target, headers={}).status == 404


@dataclass
class Behind(Server):
    """Gunicorn on a Unix socket, requested without the proxy."""

    path: Path = Path()

    def send(
        self, method: str, target: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", timeout=PATIENCE)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(PATIENCE)
        with contextlib.closing(connection):
            connection.sock.connect(str(self.path))
            return servers.exchange(connection, method, target, body, headers)

    def listens(self) -> bool:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(1)
            peer.connect(str(self.path))
            return True
        return False


@contextlib.contextmanager
def nginx(folder: Path, upstreams: list[str], changes: dict[str, str] | None = None) -> Iterator[Front]:
    """nginx with the samples on a free port, for these upstreams (`unix:/path` or `127.0.0.1:port`)."""
    program = require("nginx")
    folder.mkdir(exist_ok=True)
    port = servers.free_port()
    conf = configuration(
        folder,
        port,
        {
            "/var/log/nginx/calendar-api.log": f"{folder}/access.log",
            "server unix:/run/calendar-api.sock;": " ".join(f"server {one};" for one in upstreams),
            **(changes or {}),
        },
    )
    (folder / "nginx.conf").write_text(conf, "utf-8")
    command = [program, "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
    env = {name: value for name, value in os.environ.items() if name in ("PATH", "TMPDIR")}
    with servers.started(command, port, env, folder / "output", kind=Front) as front:
        assert isinstance(front, Front)
        yield front


@contextlib.contextmanager
def behind(path: Path, env: dict[str, str], log: Path, *options: str) -> Iterator[Server]:
    """Gunicorn as in a deployment, on a Unix socket."""
    command = [*servers.gunicorn(0)[:-2], "--bind", f"unix:{path}", *options]
    with servers.started(command, 0, env, log, kind=partial(Behind, path=path)) as server:
        yield server


#: Passes a listening socket as systemd does: descriptor 3 and environment variables with this process id.
ACTIVATE = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execvp(sys.argv[2], sys.argv[2:])
"""


@contextlib.contextmanager
def activated(
    listener: socket.socket,
    env: dict[str, str],
    log: Path,
    *,
    command: list[str] | None = None,
    before: list[str] | None = None,
    cwd: Path = servers.CHECKOUT,
) -> Iterator[Server]:
    """Gunicorn on a Unix socket that it inherits and that outlives it, as with `calendar-api.socket`.

    `command` is that of a deployment unless said otherwise; `before` stands in front of the whole.
    """
    number = listener.fileno()
    activate = [sys.executable, "-c", ACTIVATE, str(number)]
    whole = [*(before or []), *activate, *(command or servers.gunicorn(0)[:-2])]
    kind = partial(Behind, path=Path(listener.getsockname()))
    with servers.started(whole, 0, env, log, kind=kind, cwd=cwd, pass_fds=(number,)) as server:
        yield server


@contextlib.contextmanager
def unix_socket(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(2048)
        yield listener


def settings(database: Path) -> dict[str, str]:
    """The environment of a service that trusts connections to its Unix socket."""
    return servers.environment(
        database, CALENDAR_TRUSTED_PROXIES="unix,127.0.0.1", CALENDAR_ALLOWED_HOSTS=f"{AT_ROOT},{IN_FOLDER}"
    )


@contextlib.contextmanager
def site(folder: Path, changes: dict[str, str] | None = None) -> Iterator[Front]:
    """A new database, gunicorn and nginx; logs are in `folder / "nginx"`."""
    require("nginx")
    env = settings(folder / "calendar.sqlite3")
    secret = servers.prepared(env)
    path = folder / "service.sock"
    with (
        behind(path, env, folder / "gunicorn.log"),
        nginx(folder / "nginx", [f"unix:{path}"], changes) as front,
    ):
        front.secret = secret
        yield front
