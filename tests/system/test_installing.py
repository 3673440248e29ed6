"""The wheel, installed with what it needs into an empty environment, serves outside the checkout."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.system import servers

pytestmark = pytest.mark.system

SOURCES = ("calendar_api", "schemas", "pyproject.toml", "setup.cfg", "LICENSE", "README.md")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, because building writes into the folder that it builds from."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "source"
    copy.mkdir()
    for name in SOURCES:
        source = servers.CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy / name)
    _pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder / "out"), str(copy))
    (built,) = (folder / "out").glob("*.whl")
    return built


def test_wheel_holds_what_the_code_reads(wheel: Path) -> None:
    schemas = {f"calendar_api/schemas/{path.name}" for path in (servers.CHECKOUT / "schemas").glob("*.json")}
    code = {
        str(path.relative_to(servers.CHECKOUT))
        for path in (servers.CHECKOUT / "calendar_api").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".po"
    }

    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert held == schemas | code
    assert {"calendar_api/demo_events.json", "calendar_api/migrations/0001_initial.py"} < held


def test_installed_wheel_serves_the_demo(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True, timeout=300)
    programs = tmp_path / "venv" / "bin"
    _pip(str(programs / "python"), "install", str(wheel))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    env = servers.environment(tmp_path / "calendar.sqlite3")
    env.pop("PYTHONPATH", None)
    port = servers.free_port()
    command = [str(programs / "calendar-api"), "serve", "--demo", "--bind", f"127.0.0.1:{port}"]

    with servers.started(command, port, env, tmp_path / "log", cwd=elsewhere) as server:
        events = server.get("/events").json
        status = server.stop()

    assert len(events["events"]) == 10
    assert events["total"] > 10
    assert status == 0
    assert list(elsewhere.iterdir()) == []


def _pip(python: str, *arguments: str) -> None:
    env = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    command = [python, "-m", "pip", "--quiet", *arguments]
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
