"""The commands in the README print the output that it shows."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.system.servers import CHECKOUT, environment, free_port, serve, started

pytestmark = pytest.mark.system


def console(readme: str) -> list[tuple[str, str]]:
    """Commands and output of the blocks that begin with curl."""
    blocks = re.findall(r"```console\n\$ (curl .*?)```", readme, re.DOTALL)
    return [split(block) for block in blocks]


def split(block: str) -> tuple[str, str]:
    """Split a block after the first lines that are a complete shell command."""
    lines = block.rstrip("\n").split("\n")
    for end in range(1, len(lines) + 1):
        command = "\n".join(lines[:end])
        complete = subprocess.run(["bash", "-n"], input=command, text=True, capture_output=True, check=False)
        if complete.returncode == 0 and not command.rstrip().endswith("|"):
            return command, "\n".join(lines[end:])
    raise AssertionError(f"no command in {block!r}")


def test_curl_commands_print_the_shown_output(tmp_path: Path) -> None:
    samples = console((CHECKOUT / "README.md").read_text("utf-8"))

    port, env = free_port(), environment(tmp_path / "calendar.sqlite3")
    with started(serve(port, "--demo"), port, env, tmp_path / "log") as server:
        secret = server.output.split("shown only once:\n")[1].splitlines()[0].strip()
        printed = []
        for command, _ in samples:
            here = command.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
            ran = subprocess.run(
                ["bash", "-c", here], env={"SECRET": secret, "PATH": "/usr/bin:/bin"},
                capture_output=True, text=True, check=True, timeout=30,
            )  # fmt: skip
            printed.append(ran.stdout.replace("\r", "").rstrip("\n"))

    assert len(samples) == 3
    assert printed == [expected for _, expected in samples]


def test_first_start_prints_the_shown_output(tmp_path: Path) -> None:
    readme = (CHECKOUT / "README.md").read_text("utf-8")
    shown = re.findall(r"```console\n\$ make run\n(.*?)```", readme, re.DOTALL)

    port, env = free_port(), environment(tmp_path / "calendar.sqlite3")
    with started(serve(port, "--demo"), port, env, tmp_path / "log") as server:
        printed = server.output.replace(f"127.0.0.1:{server.port}", "127.0.0.1:8000")

    assert len(shown) == 1
    assert without_password(printed).startswith(without_password(shown[0]))


def without_password(output: str) -> str:
    """Mask the random password; remove the warning about an old SQLite, which depends on the machine."""
    output = re.sub(r"^SQLite \d.*\n", "", output, flags=re.MULTILINE)
    return re.sub(r"^    (?:\w{4} ){5}\w{4}$", "    …", output, flags=re.MULTILINE)
