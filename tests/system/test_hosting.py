"""Shared hosting: CGI and mod_wsgi with a real Apache, and loading by Passenger."""

import json
import os
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any, cast

import pytest

from tests.system import proxies, servers
from tests.system.proxies import Front
from tests.system.servers import CHECKOUT, ROOT, Server

pytestmark = pytest.mark.system

DEPLOY = CHECKOUT / "deploy"
MODULES = Path("/usr/lib/apache2/modules")
FOLDER = "/calendar-site"
SPOOFED = {
    "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/evil",
    "Forwarded": "host=evil.example", "Proxy": "evil.example",
    "Script-Name": "/evil", "X-Script-Name": "/evil",
}  # fmt: skip
FAIR = {"title": "Fair", "start_date": "2031-05-01", "end_date": "2031-05-02", "venue": {"venue": "Hall"}}


class Site:
    """A database with an administrator, and a file with its settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        database = folder / "data" / "calendar.sqlite3"
        env = servers.environment(database)
        self.secret = servers.administrator(env)
        self.settings = folder / "calendar.conf"
        self.settings.write_text(f"CALENDAR_DATABASE_URL=sqlite:///{database}\n", "utf-8")
        self.env = {name: value for name, value in env.items() if not name.startswith("CALENDAR_")}
        self.signed = "Basic " + b64encode(f"admin:{self.secret}".encode()).decode()

    def script(self, name: str, changes: dict[str, str]) -> str:
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
    path.write_text(site.script("calendar.cgi", changes), "utf-8")
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
    made, tag = asked(
        cgi,
        site,
        "POST",
        f"{ROOT}/tags",
        name,
        HTTP_AUTHORIZATION=site.signed,
        CONTENT_TYPE="application/json",
    )

    assert head.startswith("Status: 200 OK")
    assert json.loads(body)["rest_url"].startswith(f"http://localhost/cgi-bin/calendar.cgi{ROOT}/events/")
    assert made.startswith("Status: 201 Created")
    assert json.loads(tag)["urls"]["self"].startswith(f"http://localhost/cgi-bin/calendar.cgi{ROOT}/tags/")


def test_cgi_rejects_a_truncated_form(cgi: Path, site: Site) -> None:
    form = {"CONTENT_TYPE": "application/x-www-form-urlencoded", "CONTENT_LENGTH": "5000"}

    head, body = asked(cgi, site, "POST", f"{ROOT}/tags", b"name=cut", HTTP_AUTHORIZATION=site.signed, **form)

    assert head.startswith("Status: 400 Bad Request")
    assert json.loads(body)["code"] == "rest_invalid_body"


def apache(folder: Path, port: int, modules: tuple[str, ...], lines: str) -> list[str]:
    """The command of an Apache that listens on loopback and writes only to `folder`."""
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
    (folder / "htdocs").mkdir()
    (folder / "apache.conf").write_text("\n".join(conf), "utf-8")
    return [*unprivileged(), program, "-f", str(folder / "apache.conf"), "-DFOREGROUND"]


def unprivileged() -> list[str]:
    """A command prefix that maps root to another user, because Apache refuses to serve as root."""
    if os.geteuid() != 0:
        return []
    unshare = [proxies.require("unshare"), "--user", "--map-user=33", "--map-group=33"]
    if subprocess.run([*unshare, "true"], check=False).returncode:
        pytest.skip("this is root, and there are no user namespaces to run Apache in")
    return unshare


COMMON = ("mpm_event", "authz_core", "alias", "env", "setenvif", "headers")


def test_cgi_under_apache(cgi: Path, site: Site, tmp_path: Path) -> None:
    port = servers.free_port()
    lines = site.script("apache-cgi.conf", {"/home/me/cgi-bin": str(cgi.parent)})
    folder = tmp_path / "apache"
    folder.mkdir()
    passed = "PassEnv PYTHONPATH\n" if "PYTHONPATH" in site.env else ""  # which checkout is tested
    command = apache(folder, port, (*COMMON, "cgid"), f"ScriptSock {folder}/cgid\n{passed}{lines}")

    with servers.started(command, port, site.env, tmp_path / "log", kind=Front, secret=site.secret) as front:
        check_requests(front, port)


@pytest.fixture
def mod_wsgi() -> None:
    """Skip unless mod_wsgi was built for this Python version."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    module = MODULES / f"mod_wsgi.so-{version}"
    if MODULES.exists() and (MODULES / "mod_wsgi.so").exists() and not module.exists():
        pytest.skip(f"mod_wsgi here is for another Python than {version}")


def test_mod_wsgi_under_apache(mod_wsgi: None, site: Site, tmp_path: Path) -> None:
    port = servers.free_port()
    folder = tmp_path / "apache"
    folder.mkdir()
    script = folder / "opt" / "mod_wsgi.py"
    script.parent.mkdir()
    script.write_text(site.script("mod_wsgi.py", {"/etc/calendar-api.conf": str(site.settings)}), "utf-8")
    lines = site.script(
        "apache-mod_wsgi.conf",
        {"/opt/calendar-api/venv": sys.prefix, "/opt/calendar-api": str(script.parent)},
    )
    if "PYTHONPATH" in site.env:
        lines = lines.replace("python-home=", f"python-path={site.env['PYTHONPATH']} python-home=")
    command = apache(folder, port, (*COMMON, "wsgi"), f"WSGISocketPrefix {folder}/wsgi\n{lines}")

    with servers.started(command, port, site.env, tmp_path / "log", kind=Front, secret=site.secret) as front:
        check_requests(front, port)


def check_requests(front: Server, port: int) -> None:
    """Check reads, authenticated writes and URLs."""
    front = cast("Front", front).site(f"localhost:{port}")
    base = f"http://localhost:{port}{FOLDER}{ROOT}"
    headers = {"Authorization": front.signed, "Content-Type": "application/json"}

    listed = front.send("GET", f"{FOLDER}{ROOT}/events")
    made = front.send("POST", f"{FOLDER}{ROOT}/events", json.dumps(FAIR).encode(), headers)
    pieces: Any = iter([b'{"name": ', f'"in pieces {port}"}}'.encode()])
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


def test_passenger_loads_the_application(site: Site) -> None:
    script = site.folder / "passenger_wsgi.py"
    script.write_text((DEPLOY / "passenger_wsgi.py").read_text("utf-8"), "utf-8")

    said = servers.done(env=site.env, command=[sys.executable, "-c", PASSENGER, str(script)])
    status, address, _ = json.loads(said)

    assert status == 200
    assert address.startswith(f"http://localhost/town{ROOT}/events/")


def test_passenger_restarts_with_the_virtual_environment(tmp_path: Path, site: Site) -> None:
    """The system's Python is replaced once, with the same arguments."""
    (tmp_path / "passenger_wsgi.py").write_text((DEPLOY / "passenger_wsgi.py").read_text("utf-8"), "utf-8")
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$@"\n', "utf-8")
    python.chmod(0o755)

    command = [sys.executable, str(tmp_path / "passenger_wsgi.py"), "x"]

    assert servers.done(env=site.env, command=command).split() == command[1:]


def test_htaccess_denies_access_to_the_data_folder(tmp_path: Path, site: Site) -> None:
    port = servers.free_port()
    folder = tmp_path / "apache"
    folder.mkdir()
    command = apache(folder, port, (*COMMON, "dir", "autoindex"), "Options +Indexes")
    for name, guarded in (("open", False), ("calendar-data", True)):
        (folder / "htdocs" / name).mkdir()
        (folder / "htdocs" / name / "calendar.sqlite3").write_text("secret", "utf-8")
        if guarded:
            (folder / "htdocs" / name / ".htaccess").write_text((DEPLOY / "data.htaccess").read_text("utf-8"))

    with servers.started(command, port, site.env, tmp_path / "log", kind=Front) as front:
        answers = [
            front.send("GET", f"/{name}/{below}").status
            for name in ("open", "calendar-data")
            for below in ("calendar.sqlite3", "", ".htaccess")
        ]

    assert answers[:2] == [200, 200]
    assert answers[3:] == [403, 403, 403]


def test_cgi_bodies(cgi: Path, site: Site) -> None:
    """Chunked without a length, with a wrong length, and too large (read completely and rejected)."""
    json_ = {"CONTENT_TYPE": "application/json", "HTTP_AUTHORIZATION": site.signed}
    name = b'{"name": "without a length"}'

    def status(body: bytes, **more: str) -> str:
        head, _ = asked(cgi, site, "POST", f"{ROOT}/tags", body, **json_, **more)
        return head.split("\r\n")[0]

    assert status(name, CONTENT_LENGTH="", HTTP_TRANSFER_ENCODING="chunked") == "Status: 201 Created"
    assert status(name, CONTENT_LENGTH="9000") == "Status: 400 Bad Request"  # the name exists
    assert status(b"{", CONTENT_LENGTH="9000").startswith("Status: 400")
    assert status(b"", CONTENT_LENGTH="-1").startswith("Status: 400")
    assert status(b"x" * 3_000_000).startswith("Status: 413")
