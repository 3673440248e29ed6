"""Shared hosting: CGI and mod_wsgi with a real Apache, and loading by Passenger."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.system import proxies, servers
from tests.system.proxies import Front
from tests.system.servers import CHECKOUT, ROOT

pytestmark = pytest.mark.system

DEPLOY = CHECKOUT / "deploy"
MODULES = Path("/usr/lib/apache2/modules")
COMMON = ("mpm_event", "authz_core", "alias", "env", "setenvif", "headers")
JSON = {"CONTENT_TYPE": "application/json"}


class Site:
    """A database with an administrator, and a file with its settings."""

    def __init__(self, folder: Path) -> None:
        database = folder / "data" / "calendar.sqlite3"
        env = servers.environment(database)
        self.secret = servers.prepared(env)
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
def bundle(site: Site, tmp_path: Path) -> Path:
    """What `make bundle` makes, without the packages, which this Python has."""
    folder = tmp_path / "bundle"
    shutil.copytree(DEPLOY / "bundle", folder)
    (folder / "python-version").write_text("{}.{}\n".format(*sys.version_info), "utf-8")
    shutil.copy(site.settings, folder / "calendar.conf")
    return folder


@pytest.fixture
def cgi(bundle: Path, tmp_path: Path) -> Path:
    """The script with the paths of this test, in a folder of a site."""
    changes = {"/usr/bin/python3": sys.executable, "/home/me/calendar": str(bundle)}
    path = tmp_path / "apache" / "htdocs" / "calendar-site" / "calendar.cgi"
    path.parent.mkdir(parents=True)
    path.write_text(sample("bundle/calendar.cgi", changes), "utf-8")
    path.chmod(0o755)
    return path


def asked(
    cgi: Path, site: Site, method: str, path: str, body: bytes = b"", **more: str | None
) -> tuple[str, bytes]:
    """Head and body that the script prints for a request."""
    env = site.env | {
        "GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": method, "SCRIPT_NAME": "/cgi-bin/calendar.cgi",
        "PATH_INFO": path, "QUERY_STRING": "", "CONTENT_LENGTH": str(len(body)) if body else "",
        "SERVER_NAME": "localhost", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "localhost", "REMOTE_ADDR": "127.0.0.1", **more,
    }  # fmt: skip
    env = {name: value for name, value in env.items() if value is not None}
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


FOLDERS = {
    "plain": ("/calendar.cgi", f"/calendar.cgi{ROOT}/events?page=1", f"{ROOT}/events", "/calendar.cgi"),
    "without PATH_INFO": ("/calendar.cgi", f"/calendar.cgi{ROOT}/events", None, "/calendar.cgi"),
    "rewritten": ("/town/calendar.cgi", f"/town{ROOT}/events", None, "/town"),
    "wrong PATH_INFO": ("/town/calendar.cgi", f"/town{ROOT}/events", f"/town{ROOT}/events", "/town"),
    "rewritten at the root": ("/calendar.cgi", f"{ROOT}/eve%6ets", None, ""),
    "without URL": ("/town/calendar.cgi", None, f"{ROOT}/events", "/town/calendar.cgi"),
}


@pytest.mark.parametrize(("script", "uri", "path_info", "base"), FOLDERS.values(), ids=FOLDERS)
def test_cgi_finds_its_folder(
    cgi: Path, site: Site, script: str, uri: str | None, path_info: str | None, base: str
) -> None:
    given = {"SCRIPT_NAME": script, "REQUEST_URI": uri, "PATH_INFO": path_info}
    head, body = asked(cgi, site, "GET", "", **given)

    assert head.startswith("Status: 200 OK"), body
    assert json.loads(body)["rest_url"].startswith(f"http://localhost{base}{ROOT}/events/")


def test_cgi_without_a_path_leads_to_the_page(cgi: Path, site: Site) -> None:
    head, _ = asked(
        cgi, site, "GET", "", SCRIPT_NAME="/calendar.cgi", REQUEST_URI="/calendar.cgi", PATH_INFO=None
    )

    assert head.startswith("Status: 30")
    assert "http://localhost/calendar.cgi/events/" in head


def guide(heading: str, start: str) -> str:
    """The here-document of docs/deploy.md below a heading that begins with a line."""
    part = (CHECKOUT / "docs" / "deploy.md").read_text("utf-8").split(f"### {heading}\n")[1]
    return f"{start}\n" + part.split(f"\n{start}\n")[1].split("\nEND\n")[0] + "\n"


def test_cgi_under_apache(cgi: Path, site: Site, tmp_path: Path) -> None:
    cgi.with_name(".htaccess").write_text(guide("CGI", "Options +ExecCGI"), "utf-8")
    passed = "PassEnv PYTHONPATH\n" if "PYTHONPATH" in site.env else ""  # which checkout is tested
    folder = tmp_path / "apache"
    modules = (*COMMON, "mime", "rewrite", "cgid")
    with apache(
        site,
        folder,
        modules,
        f"TypesConfig /dev/null\nLimitRequestBody 1048576\nScriptSock {folder}/cgid\n{passed}",
    ) as front:
        proxies.check_requests(front)


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
    changes = {
        "user=calendar-api group=calendar-api ": "",  # this Apache does not run as root
        "/var/lib/calendar-api": str(folder), "/opt/calendar-api/current": sys.prefix,
        "/opt/calendar-api": str(script.parent),
    }  # fmt: skip
    lines = sample("apache-mod_wsgi.conf", changes)
    if "PYTHONPATH" in site.env:
        lines = lines.replace("python-home=", f"python-path={site.env['PYTHONPATH']} python-home=")
    with apache(site, folder, (*COMMON, "wsgi"), f"WSGISocketPrefix {folder}/wsgi\n{lines}") as front:
        proxies.check_requests(front)


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


def test_passenger_loads_the_application(bundle: Path, site: Site) -> None:
    """The packages of the bundle come before a checkout in the application root."""
    (bundle / "calendar_api.py").write_text("raise ImportError('checkout')\n", "utf-8")
    (bundle / "lib").symlink_to(CHECKOUT)

    command = [sys.executable, "-c", PASSENGER, str(bundle / "passenger_wsgi.py")]
    status, address, _ = json.loads(servers.done(env=site.env, command=command, cwd=bundle))

    assert status == 200
    assert address.startswith(f"http://localhost/town{ROOT}/events/")


def test_passenger_restarts_with_the_python_of_the_bundle(bundle: Path, site: Site) -> None:
    """Another Python is replaced once, with the same arguments; the log says which one is missing."""
    (bundle / "python-version").write_text("3.99\n", "utf-8")
    command = [sys.executable, str(bundle / "passenger_wsgi.py"), "x"]
    missing = servers.run(env=site.env, command=command)
    python = bundle / "python3.99"
    python.write_text('#!/bin/sh\necho "$@"\n', "utf-8")
    python.chmod(0o755)
    env = {**site.env, "PATH": f"{bundle}:{site.env['PATH']}"}

    assert servers.done(env=env, command=command).split() == command[1:]
    assert missing.stderr.startswith("This bundle is for Python 3.99, and this is Python 3.")


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
