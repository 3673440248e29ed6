"""Shared hosting: CGI and mod_wsgi with a real Apache, and loading by Passenger."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from tests.system import proxies, servers
from tests.system.proxies import Front
from tests.system.servers import CHECKOUT, ROOT

pytestmark = pytest.mark.system

DEPLOY = CHECKOUT / "deploy"
MODULES = Path("/usr/lib/apache2/modules")
COMMON = ("mpm_event", "authz_core", "alias", "env", "setenvif", "headers")
FOLDER = "/calendar-site"
SPOOFED = {
    "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/evil",
    "Forwarded": "host=evil.example", "Proxy": "evil.example",
    "Script-Name": "/evil", "X-Script-Name": "/evil",
}  # fmt: skip
JSON = {"CONTENT_TYPE": "application/json"}
FAIR = {"title": "Fair", "start_date": "2031-05-01", "end_date": "2031-05-02", "venue": {"venue": "Hall"}}


class Site:
    """A database with an administrator, and a file with its settings."""

    def __init__(self, folder: Path) -> None:
        database = folder / "data" / "calendar.sqlite3"
        env = servers.environment(database)
        self.secret = servers.administrator(env)
        self.settings = folder / "calendar.conf"
        self.settings.write_text(f"CALENDAR_DATABASE_URL=sqlite:///{database}\n", "utf-8")
        self.env = {name: value for name, value in env.items() if not name.startswith("CALENDAR_")}
        self.signed = servers.basic("admin", self.secret)


def sample(name: str, changes: dict[str, str]) -> str:
    """A file of `deploy/` with other paths."""
    text = (DEPLOY / name).read_text("utf-8")
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return Site(tmp_path_factory.mktemp("hosting"))


@pytest.fixture
def cgi(site: Site, tmp_path: Path) -> Path:
    """The script with the paths of this test, in its own folder."""
    changes = {"/home/me/calendar/venv/bin/python": sys.executable,
               "/home/me/calendar/calendar.conf": str(site.settings)}  # fmt: skip
    path = tmp_path / "cgi-bin" / "calendar.cgi"
    path.parent.mkdir()
    path.write_text(sample("calendar.cgi", changes), "utf-8")
    path.chmod(0o755)
    return path


def asked(cgi: Path, site: Site, method: str, path: str, body: bytes = b"", **more: str) -> tuple[str, bytes]:
    """Head and body that the script prints for a request."""
    env = site.env | {
        "GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": method, "SCRIPT_NAME": "/cgi-bin/calendar.cgi",
        "PATH_INFO": path, "QUERY_STRING": "", "CONTENT_LENGTH": str(len(body)) if body else "",
        "SERVER_NAME": "localhost", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "localhost", "REMOTE_ADDR": "127.0.0.1", **more,
    }  # fmt: skip
    ran = subprocess.run([str(cgi)], env=env, input=body, capture_output=True, timeout=60, check=True)
    for line in ran.stderr.splitlines():  # only the request log
        assert {"time", "request", "route", "status"} <= json.loads(line).keys()
    head, _, rest = ran.stdout.partition(b"\r\n\r\n")
    return head.decode(), rest


def test_cgi_as_a_process(cgi: Path, site: Site) -> None:
    head, body = asked(cgi, site, "GET", f"{ROOT}/events")
    name = json.dumps({"name": "by CGI"}).encode()
    made, tag = asked(cgi, site, "POST", f"{ROOT}/tags", name, HTTP_AUTHORIZATION=site.signed, **JSON)

    assert head.startswith("Status: 200 OK")
    assert json.loads(body)["rest_url"].startswith(f"http://localhost/cgi-bin/calendar.cgi{ROOT}/events/")
    assert made.startswith("Status: 201 Created")
    assert json.loads(tag)["urls"]["self"].startswith(f"http://localhost/cgi-bin/calendar.cgi{ROOT}/tags/")


def test_cgi_bodies(cgi: Path, site: Site) -> None:
    """Chunked without a length, with a wrong length, and too large (read completely and rejected)."""
    name = b'{"name": "without a length"}'

    def status(body: bytes, **more: str) -> str:
        head, _ = asked(
            cgi, site, "POST", f"{ROOT}/tags", body, **{**JSON, "HTTP_AUTHORIZATION": site.signed, **more}
        )
        return head.split("\r\n")[0]

    assert status(name, CONTENT_LENGTH="", HTTP_TRANSFER_ENCODING="chunked") == "Status: 201 Created"
    assert status(name, CONTENT_LENGTH="9000") == "Status: 400 Bad Request"  # the name exists
    assert status(b"{", CONTENT_LENGTH="9000").startswith("Status: 400")
    assert status(b"", CONTENT_LENGTH="-1").startswith("Status: 400")
    assert status(b"x" * 3_000_000).startswith("Status: 413")
    form = {"CONTENT_TYPE": "application/x-www-form-urlencoded", "CONTENT_LENGTH": "5000"}
    assert status(b"name=cut", **form) == "Status: 400 Bad Request"


@contextlib.contextmanager
def apache(site: Site, folder: Path, modules: tuple[str, ...], lines: str) -> Iterator[Front]:
    """An Apache that listens on loopback and writes only to `folder`; serves `folder/htdocs`."""
    port = servers.free_port()
    program = proxies.require("apache2")
    missing = [name for name in modules if not (MODULES / f"mod_{name}.so").exists()]
    if missing:
        assert not os.environ.get("CI"), f"Apache has no {missing}"
        pytest.skip(f"Apache has no {missing}")
    conf = [
        f"ServerRoot {folder}", "ServerName localhost", f"Listen 127.0.0.1:{port}", f"PidFile {folder}/pid",
        f"DefaultRuntimeDir {folder}", f"ErrorLog {folder}/error.log", "LogLevel warn",
        f"Mutex file:{folder} default", f"DocumentRoot {folder}/htdocs",
        *(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in modules),
        f"<Directory {folder}/htdocs>\nRequire all granted\nAllowOverride All\n</Directory>",
        lines,
    ]  # fmt: skip
    (folder / "htdocs").mkdir(parents=True, exist_ok=True)
    (folder / "apache.conf").write_text("\n".join(conf), "utf-8")
    command = [*unprivileged(), program, "-f", str(folder / "apache.conf"), "-DFOREGROUND"]
    log = folder / "log"
    with servers.started(command, port, site.env, log, kind=Front, secret=site.secret) as front:
        yield cast("Front", front).site(f"localhost:{port}")


def unprivileged() -> list[str]:
    """A command prefix that maps root to another user, because Apache refuses to serve as root."""
    if os.geteuid() != 0:
        return []
    unshare = [proxies.require("unshare"), "--user", "--map-user=33", "--map-group=33"]
    if subprocess.run([*unshare, "true"], check=False).returncode:
        pytest.skip("this is root, and there are no user namespaces to run Apache in")
    return unshare


def test_cgi_under_apache(cgi: Path, site: Site, tmp_path: Path) -> None:
    lines = sample("apache-cgi.conf", {"/home/me/cgi-bin": str(cgi.parent)})
    passed = "PassEnv PYTHONPATH\n" if "PYTHONPATH" in site.env else ""  # which checkout is tested
    folder = tmp_path / "apache"
    with apache(site, folder, (*COMMON, "cgid"), f"ScriptSock {folder}/cgid\n{passed}{lines}") as front:
        check_requests(front)


@pytest.fixture
def mod_wsgi() -> None:
    """Skip unless mod_wsgi was built for this Python version."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    module = MODULES / f"mod_wsgi.so-{version}"
    if MODULES.exists() and (MODULES / "mod_wsgi.so").exists() and not module.exists():
        pytest.skip(f"mod_wsgi here is for another Python than {version}")


def test_mod_wsgi_under_apache(mod_wsgi: None, site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "apache"
    script = folder / "opt" / "mod_wsgi.py"
    script.parent.mkdir(parents=True)
    script.write_text(sample("mod_wsgi.py", {"/etc/calendar-api.conf": str(site.settings)}), "utf-8")
    paths = {"/opt/calendar-api/venv": sys.prefix, "/opt/calendar-api": str(script.parent)}
    lines = sample("apache-mod_wsgi.conf", paths)
    if "PYTHONPATH" in site.env:
        lines = lines.replace("python-home=", f"python-path={site.env['PYTHONPATH']} python-home=")
    with apache(site, folder, (*COMMON, "wsgi"), f"WSGISocketPrefix {folder}/wsgi\n{lines}") as front:
        check_requests(front)


def check_requests(front: Front) -> None:
    """Check reads, authenticated writes and URLs."""
    base = f"http://{front.host}{FOLDER}{ROOT}"
    headers = {"Authorization": front.signed, "Content-Type": "application/json"}

    listed = front.send("GET", f"{FOLDER}{ROOT}/events")
    made = front.send("POST", f"{FOLDER}{ROOT}/events", json.dumps(FAIR).encode(), headers)
    pieces: Any = iter([b'{"name": ', f'"in pieces {front.port}"}}'.encode()])
    chunked = front.send("POST", f"{FOLDER}{ROOT}/tags", pieces, headers)
    spoofed = front.send("GET", f"{FOLDER}{ROOT}/events", headers=SPOOFED)
    anonymous = front.send("POST", f"{FOLDER}{ROOT}/events", b"{}", {"Content-Type": "application/json"})
    large = front.send("POST", f"{FOLDER}{ROOT}/events", b"x" * 1_048_577, headers)
    head = front.send("HEAD", f"{FOLDER}{ROOT}/events")
    assert made.status == 201, made.body
    changed = front.send(
        "PATCH", f"{FOLDER}{ROOT}/events/{made.json['id']}", b'{"title": "Autumn fair"}', headers
    )
    gone = front.send("DELETE", f"{FOLDER}{ROOT}/events/{made.json['id']}", headers=headers)

    assert (listed.status, listed.json["rest_url"].startswith(f"{base}/events/")) == (200, True), listed.body
    assert made.json["rest_url"] == f"{base}/events/{made.json['id']}"
    assert made.json["venue"]["venue"] == "Hall"
    assert chunked.status == 201, chunked.body
    assert spoofed.json["rest_url"].startswith(f"{base}/events/")
    assert (anonymous.status, large.status, head.status, head.body) == (401, 413, 200, b"")
    assert (changed.status, changed.json["title"], gone.status) == (200, "Autumn fair", 200)


PASSENGER = """
import importlib.util, json, sys
from webtest import TestApp
spec = importlib.util.spec_from_file_location("passenger_wsgi", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
app = TestApp(module.application, extra_environ={"HTTP_HOST": "localhost", "SCRIPT_NAME": "/town"})
answer = app.get("/calendar/events/v1/events")
print(json.dumps([answer.status_int, answer.json["rest_url"], sys.argv[2:]]))
"""


def test_passenger_loads_the_application(site: Site, tmp_path: Path) -> None:
    """Passenger imports from the application root first, where a checkout may be."""
    script = tmp_path / "passenger_wsgi.py"
    script.write_text(sample(script.name, {}), "utf-8")
    (tmp_path / "calendar.conf").write_text(site.settings.read_text("utf-8"), "utf-8")
    (tmp_path / "calendar_api.py").write_text("raise ImportError('checkout')\n", "utf-8")

    command = [sys.executable, "-c", PASSENGER, str(script)]
    said = servers.done(env=site.env, command=command, cwd=tmp_path)
    status, address, _ = json.loads(said)

    assert status == 200
    assert address.startswith(f"http://localhost/town{ROOT}/events/")


def test_passenger_restarts_with_the_virtual_environment(tmp_path: Path, site: Site) -> None:
    """The system's Python is replaced once, with the same arguments."""
    (tmp_path / "passenger_wsgi.py").write_text(sample("passenger_wsgi.py", {}), "utf-8")
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$@"\n', "utf-8")
    python.chmod(0o755)

    command = [sys.executable, str(tmp_path / "passenger_wsgi.py"), "x"]

    assert servers.done(env=site.env, command=command).split() == command[1:]


def test_htaccess_denies_access_to_the_data_folder(tmp_path: Path, site: Site) -> None:
    for name in ("open", "calendar-data"):
        (tmp_path / "htdocs" / name).mkdir(parents=True)
        (tmp_path / "htdocs" / name / "calendar.sqlite3").write_text("secret", "utf-8")
    (tmp_path / "htdocs" / "calendar-data" / ".htaccess").write_text(sample("data.htaccess", {}), "utf-8")

    with apache(site, tmp_path, (*COMMON, "dir", "autoindex"), "Options +Indexes") as front:
        answers = [
            front.send("GET", f"/{name}/{below}").status
            for name in ("open", "calendar-data")
            for below in ("calendar.sqlite3", "", ".htaccess")
        ]

    assert answers[:2] == [200, 200]
    assert answers[3:] == [403, 403, 403]
