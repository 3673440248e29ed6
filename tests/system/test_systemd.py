"""The systemd units: systemd's own checks, and their command run as systemd runs it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.system import proxies, servers
from tests.system.servers import CHECKOUT

pytestmark = pytest.mark.system

UNITS = ("calendar-api.service", "calendar-api.socket")
PROGRAM = Path(sys.executable).with_name("gunicorn")
SOCKET = Path("/run/calendar-api.sock")


def unit(name: str) -> dict[str, list[str]]:
    """The settings of a unit; repeated ones have several values."""
    found: dict[str, list[str]] = {}
    for line in (CHECKOUT / "deploy" / name).read_text("utf-8").splitlines():
        if re.match(r"[A-Z]\w+=", line):
            found.setdefault(line.partition("=")[0], []).append(line.partition("=")[2])
    return found


def systemd_analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze")
    if not program:
        pytest.skip("systemd-analyze is not installed")
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def units(tmp_path: Path) -> dict[str, Path]:
    """The units with paths of this machine, for checks that need existing programs."""
    for name in UNITS:
        text = (CHECKOUT / "deploy" / name).read_text("utf-8")
        (tmp_path / name).write_text(
            text.replace("/opt/calendar-api/venv/bin/gunicorn", str(PROGRAM)), "utf-8"
        )
    return {name: tmp_path / name for name in UNITS}


def test_systemd_accepts_the_units(units: dict[str, Path]) -> None:
    result = systemd_analyze("verify", "--man=no", *map(str, units.values()))

    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_systemd_finds_a_mistake(units: dict[str, Path]) -> None:
    path = units["calendar-api.service"]
    path.write_text(path.read_text("utf-8").replace("ProtectSystem=strict", "ProtectSystem=tight"), "utf-8")

    assert "tight" in systemd_analyze("verify", "--man=no", *map(str, units.values())).stderr


def test_exposure_is_low(units: dict[str, Path]) -> None:
    """systemd rates exposure from 0 to 10; a service without restrictions has 9.6."""
    path = str(units["calendar-api.service"])
    result = systemd_analyze("security", "--offline=true", "--threshold=20", "--no-pager", path)

    assert result.returncode == 0, result.stdout


def test_only_the_service_can_use_its_files() -> None:
    service, sockets = unit("calendar-api.service"), unit("calendar-api.socket")

    assert service["StateDirectory"] == ["calendar-api"]
    assert service["StateDirectoryMode"] == ["0700"]
    assert service["UMask"] == ["0077"]
    assert sockets["ListenStream"] == [str(SOCKET)]
    assert sockets["SocketMode"] == ["0660"]
    settings = (CHECKOUT / "deploy" / "calendar-api.conf").read_text("utf-8")
    assert f"sqlite:////var/lib/{service['StateDirectory'][0]}/" in settings
    assert f"server unix:{SOCKET};" in proxies.SAMPLE.read_text("utf-8")


def test_paths_are_those_of_the_guide() -> None:
    service, guide = unit("calendar-api.service"), (CHECKOUT / "docs" / "deploy.md").read_text("utf-8")
    named = set(
        re.findall(r"/(?:opt|etc)/[\w./-]+", " ".join(" ".join(values) for values in service.values()))
    )
    made = {"/opt/calendar-api/venv/bin/gunicorn"}
    copied = {path for path in named if f" {path}" in guide}
    cloned = {path for path in named if (CHECKOUT / path.removeprefix("/opt/calendar-api/")).is_file()}

    assert "/etc/calendar-api.conf" in copied
    assert named == (made | copied | cloned)
    assert "/opt/calendar-api && cd" in guide
    assert "python3 -m venv venv" in guide


def command() -> list[str]:
    """The command of ExecStart with paths of this machine."""
    (line,) = unit("calendar-api.service")["ExecStart"]
    return line.replace("/opt/calendar-api/venv/bin/gunicorn", str(PROGRAM)).split()


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    """The unit's folders, in this test; the checkout in /opt cannot be imported."""
    found = {"/opt/calendar-api": tmp_path / "opt", "/var/lib/calendar-api": tmp_path / "state"}
    (tmp_path / "opt" / "calendar_api").mkdir(parents=True)
    (tmp_path / "opt" / "calendar_api" / "__init__.py").write_text("raise ImportError('checkout')\n", "utf-8")
    (tmp_path / "state").mkdir()
    return found


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with proxies.unix_socket(tmp_path / "service.sock") as made:
        yield made


def test_server_and_commands_import_the_installed_package(folders: dict[str, Path]) -> None:
    """In the folder of a checkout, `calendar-api` imports the package of its virtual environment."""
    env = proxies.settings(folders["/var/lib/calendar-api"] / "calendar.sqlite3")
    checkout, port = folders["/opt/calendar-api"], servers.free_port()
    program = [str(PROGRAM.with_name("calendar-api"))]
    servers.done("migrate", env=env, command=program, cwd=checkout)
    serve = [*program, "serve", "--bind", f"127.0.0.1:{port}"]
    with servers.started(serve, port, env, checkout / "log", cwd=checkout) as service:
        assert service.get("/events").status == 400  # unknown host name
    elsewhere = servers.run(env=env, command=command(), cwd=checkout)
    assert elsewhere.stderr.strip() == "Error: checkout"  # why the unit has another working directory


def test_socket_activation_notification_and_reload(
    tmp_path: Path, listener: socket.socket, folders: dict[str, Path]
) -> None:
    """Type=notify, WorkingDirectory, the inherited socket, ExecReload, and KillMode=mixed with SIGTERM."""
    env = proxies.settings(tmp_path / "calendar.sqlite3")
    servers.administrator(env)
    (directory,) = unit("calendar-api.service")["WorkingDirectory"]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(servers.PATIENCE)
        env["NOTIFY_SOCKET"] = str(tmp_path / "notify")
        with proxies.activated(
            listener, env, tmp_path / "log", command=command(), cwd=folders[directory]
        ) as service:
            ready = systemd.recv(4096).decode()
            servers.until(lambda: len(service.workers()) == 2, service.process)
            before = set(service.workers())
            service.process.send_signal(signal.SIGHUP)
            servers.until(
                lambda: len(now := set(service.workers())) == 2 and not now & before, service.process
            )
            answer = service.get("/events")
            status = service.stop()

    assert ready.startswith("READY=1")
    assert answer.status == 400  # unknown host name
    assert status == 0
    assert Path(listener.getsockname()).exists()


def test_service_needs_no_forbidden_system_call(tmp_path: Path, listener: socket.socket) -> None:
    strace = shutil.which("strace")
    if not strace:
        pytest.skip("strace is not installed")
    given, taken = unit("calendar-api.service")["SystemCallFilter"]
    open_ = calls(given) - set().union(*(calls(name) for name in taken.removeprefix("~").split()))
    env = proxies.settings(tmp_path / "calendar.sqlite3")
    env |= {"CALENDAR_ALLOWED_HOSTS": "127.0.0.1"}
    secret = servers.administrator(env)
    trace = [strace, "-D", "-f", "-e", "signal=none", "-o", str(tmp_path / "trace")]
    with proxies.activated(listener, env, tmp_path / "log", command=command(), before=trace) as service:
        service.secret = secret
        made = service.post(
            "/events", {"title": "Fair", "start_date": "2031-05-01", "end_date": "2031-05-02"}
        )
        listed = service.get("/events")
        assert service.stop() == 0
    log, ended = tmp_path / "trace", re.compile(rf"^{service.process.pid} +\+\+\+ exited", re.MULTILINE)
    deadline = time.monotonic() + servers.PATIENCE
    while not ended.search(log.read_text("utf-8")):
        assert time.monotonic() < deadline, "strace does not end"
        time.sleep(0.02)

    used = set(
        re.findall(r"^\d+ +(?:<\.\.\. )?(\w+)[( ]", (tmp_path / "trace").read_text("utf-8"), re.MULTILINE)
    )
    assert (made.status, listed.status) == (201, 200)
    assert {"openat", "fsync"} & used
    # As root, SQLite changes the owner of its files; the service is not root.
    assert used - open_ - ({"fchown"} if os.geteuid() == 0 else set()) == set()


@cache
def calls(name: str) -> set[str]:
    """The system calls of a systemd set such as @system-service."""
    if not name.startswith("@"):
        return {name}
    lines = systemd_analyze("syscall-filter", name).stdout.splitlines()[1:]
    inside = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    return set().union(*(calls(one) for one in inside))
