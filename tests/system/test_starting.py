"""What `calendar-api serve` prints, on a terminal and into files, and when it does not start."""

import json
import os
import pty
import re
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from tests.system import servers
from tests.system.servers import CHECKOUT, ROOT

pytestmark = pytest.mark.system

LABELS = ["Page:", "Sign in:", "Password:", "Data:", "Stop:"]


def test_first_start_on_a_terminal_ends_with_six_lines(tmp_path: Path) -> None:
    """After them, each request is a short line."""
    env, port, shown = servers.environment(tmp_path / "calendar.sqlite3"), servers.free_port(), bytearray()
    ours, theirs = pty.openpty()

    def read() -> None:
        try:
            while data := os.read(ours, 65_536):
                shown.extend(data)
        except OSError:  # the last program has closed the terminal
            pass

    reader = threading.Thread(target=read)
    reader.start()
    process = subprocess.Popen(
        servers.serve(port, "--demo"), env=env, cwd=CHECKOUT, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    server = servers.Server(process, port, tmp_path / "log", env=env)
    try:
        servers.until(server.listens, process, shown.decode)
        server.send("GET", "/events/")
        server.send("GET", f"{ROOT}/events/by-slug/%1b%5b2J")
    finally:
        server.stop()
        reader.join(servers.PATIENCE)
        os.close(ours)
    first, *lines = shown.decode().splitlines()
    index, page, missing = lines[5:]

    assert re.fullmatch(r"calendar-api [0-9.]+ is running with demo events\.", first)
    assert [line[:11].rstrip() for line in lines[:5]] == LABELS
    assert lines[3].endswith(f" {tmp_path / 'calendar.sqlite3'}")
    assert re.fullmatch(r"[0-9:]{8} 200 GET /calendar/events/v1 [0-9.]+ ms", index)
    assert re.fullmatch(r"[0-9:]{8} 200 GET /events [0-9.]+ ms", page)
    assert re.fullmatch(
        r"[0-9:]{8} 404 GET /calendar/events/v1/events/by-slug/\{slug\} [0-9.]+ ms rest-event-not-found",
        missing,
    )


def test_log_in_a_file_is_json(tmp_path: Path) -> None:
    """Also what gunicorn writes, and errors of the service with their traceback."""
    for name in ("serve", "gunicorn"):
        folder = tmp_path / name
        folder.mkdir()
        command = getattr(servers, name)
        with servers.running(folder, command=command, workers=2) as server:
            server.send("GET", "/events/")
            os.kill(server.workers()[0], 9)
            servers.until(lambda s=server: "out of memory" in s.output, server.process)  # type: ignore[misc]
            server.stop()
        lines = server.output.splitlines()
        printed = [line for line in lines if not line.startswith("{")]
        logged = [json.loads(line) for line in lines if line.startswith("{")]

        assert len(printed) == (6 if name == "serve" else 0)
        assert {"info", "error"} <= {line["level"] for line in logged if "level" in line}
        assert "Shutting down: Master" in [line.get("message") for line in logged]


def refused_start(folder: Path, *options: str) -> str:
    """What it prints; nothing is created."""
    env = servers.environment(folder / "calendar.sqlite3")
    result = servers.run("serve", "--demo", *options, env=env)
    assert (result.returncode, result.stdout, list(folder.iterdir())) == (1, "", [])
    return result.stderr


@pytest.mark.parametrize(("option", "example"), [((), "--bind"), (("--from-make",), "make run BIND=")])
def test_port_in_use_is_found_at_once(tmp_path: Path, option: tuple[str, ...], example: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = refused_start(tmp_path, "--bind", f"127.0.0.1:{port}", *option)

    example = f"{example} 127.0.0.1:{port % 65_535 + 1}".replace("= ", "=")
    assert said == f"calendar-api: Another program uses 127.0.0.1:{port}: try `{example}`.\n"


def test_address_that_this_machine_does_not_have(tmp_path: Path) -> None:
    reason = "The server cannot listen at 192.0.2.77:8000: Cannot assign requested address."
    assert refused_start(tmp_path, "--bind", "192.0.2.77:8000") == f"calendar-api: {reason}\n"


def test_make_passes_the_address() -> None:
    printed = servers.run("--dry-run", "run", "BIND=127.0.0.1:8123", env=dict(os.environ), command=["make"])

    assert printed.stdout.splitlines()[-1] == (
        ".venv/bin/calendar-api serve --demo --bind 127.0.0.1:8123 --from-make"
    )
