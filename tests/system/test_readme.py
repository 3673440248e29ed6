"""The transcripts in README.md and docs/http.md are the output of these commands with a real server.

`pytest --update-golden` rewrites the output in docs/http.md.
"""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.system import servers
from tests.system.servers import CHECKOUT, Server

pytestmark = pytest.mark.system

BLOCK = re.compile(r"```console\n(\$ curl .*?)\n```", re.DOTALL)
CHANGING = ("date:", "server:", "connection:", "x-request-id:")  # headers
#: What differs between two first starts, and its replacement.
VARIABLE = {
    servers.SECRET.pattern: "application password … ",
    "calendar-api [0-9.]+ is": "calendar-api … is",
    "token=[^ ]*": "token=…",
    "^Data: .*": "Data: …",
    "`.*calendar.api password": "`… password",
}


def commands(block: str) -> list[tuple[str, str]]:
    """Commands and their output; a command may have several lines."""
    found = []
    for part in block.removeprefix("$ ").split("\n$ "):
        lines = part.split("\n")
        end = next(end for end in range(1, len(lines) + 1) if _complete("\n".join(lines[:end])))
        found.append(("\n".join(lines[:end]), "\n".join(lines[end:])))
    return found


def _complete(command: str) -> bool:
    checked = subprocess.run(["bash", "-n"], input=command, text=True, capture_output=True, check=False)
    return checked.returncode == 0 and not command.rstrip().endswith("|")


def run(command: str, server: Server, host: str) -> str:
    """The output of a command, sent to this server under the host name of the document."""
    command = command.replace("curl -s", f"curl -s -H 'Host: {host}'").replace(
        f"http://{host}", f"http://127.0.0.1:{server.port}"
    )
    ran = subprocess.run(
        ["bash", "-c", command], env={"SECRET": server.secret, "PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True, text=True, check=True, timeout=servers.PATIENCE,
    )  # fmt: skip
    lines = ran.stdout.replace("\r", "").rstrip("\n").splitlines()
    return "\n".join(line for line in lines if line and not line.lower().startswith(CHANGING))


def transcribed(text: str, execute: Callable[[str], str]) -> str:
    """The document with the output that its commands have now."""

    def block(found: re.Match[str]) -> str:
        parts = (f"$ {command}\n{execute(command)}" for command, _ in commands(found[1]))
        return "```console\n" + "\n".join(parts) + "\n```"

    return BLOCK.sub(block, text)


def same(lines: str) -> str:
    for pattern, text in VARIABLE.items():
        lines = re.sub(pattern, text, lines, flags=re.MULTILINE)
    return lines


def test_http_examples(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """The ETag of the first response depends on the time of the write; the document shows another one."""
    document = CHECKOUT / "docs" / "http.md"
    shown = document.read_text("utf-8")
    etag = re.findall(r'etag: ("\w+")', shown)[0]
    known: list[str] = []

    def execute(command: str) -> str:
        output = run(command.replace(etag, known[0] if known else etag), server, "localhost:8000")
        known.extend(re.findall(r'etag: ("\w+")', output)[: not known])
        return output.replace(known[0], etag)

    options = {"command": servers.serve, "CALENDAR_TRUSTED_PROXIES": "127.0.0.1"}
    with servers.running(tmp_path, "--workers", "1", **options) as server:  # type: ignore[arg-type]
        printed = transcribed(shown, execute)
    if pytestconfig.getoption("update_golden"):
        document.write_text(printed, "utf-8")

    assert len(BLOCK.findall(shown)) == 8
    assert printed == shown


def test_readme(tmp_path: Path) -> None:
    """What the first start prints, and the examples after it."""
    shown = (CHECKOUT / "README.md").read_text("utf-8")
    start = re.findall(r"```console\n\$ make run\n(.*?)```", shown, re.DOTALL)[0]

    demo = servers.running(tmp_path, "--demo", command=servers.serve, migrated=False)
    with demo as server:
        (server.secret,) = servers.SECRET.findall(server.output)
        printed = transcribed(shown, lambda command: run(command, server, "127.0.0.1:8000"))
        first = server.output.replace(f"127.0.0.1:{server.port}", "127.0.0.1:8000")

    assert len(BLOCK.findall(shown)) == 3
    assert printed == shown
    assert same(first).startswith(same(start))
