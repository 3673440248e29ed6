"""The wheel, installed with its dependencies into an empty environment, serves outside of the checkout."""

import json
import os
import re
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from tests.system import servers

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, because a build writes to its source folder."""
    folder = tmp_path_factory.mktemp("wheel")
    names = ("calendar_api", "schemas", "pyproject.toml", "setup.cfg", "LICENSE", "README.md")
    copy = servers.checkout(folder / "source", *names)
    _pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder / "out"), str(copy))
    (built,) = (folder / "out").glob("*.whl")
    return built


def test_wheel_contains_the_data_files(wheel: Path) -> None:
    schemas = {f"calendar_api/schemas/{path.name}" for path in (servers.CHECKOUT / "schemas").glob("*.json")}
    code = {
        str(path.relative_to(servers.CHECKOUT))
        for path in (servers.CHECKOUT / "calendar_api").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".po"
    }

    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert held == schemas | code
    assert {
        "calendar_api/commands/demo_events.json",
        "calendar_api/database/migrations/0001_tables.py",
    } < held


@pytest.mark.long  # these two load packages from the network
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


@pytest.mark.long
def test_installed_packages_equal_the_lock_file_and_the_bill_of_materials(
    wheel: Path, tmp_path: Path
) -> None:
    """Install the locked versions into an empty environment; the bill of materials lists exactly these."""
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True, timeout=60
    )
    python = str(tmp_path / "venv" / "bin" / "python")
    lock = str(servers.CHECKOUT / "requirements-mysql.lock")
    _pip(sys.executable, "--python", python, "install", "--require-hashes", "--no-deps", "-r", lock)
    listed = subprocess.run(
        [python, "-I", "-c", INSTALLED], capture_output=True, text=True, check=True, timeout=60
    )
    billed = subprocess.run(
        [python, "-m", "tools.sbom", str(wheel)], cwd=servers.CHECKOUT, capture_output=True, text=True,
        check=True, timeout=60,
    )  # fmt: skip
    bill = json.loads(Path(billed.stdout.strip()).read_text("utf-8"))

    packages = {one["name"]: one["version"] for one in bill["components"]}
    refs = {one["bom-ref"] for one in bill["components"]} | {bill["metadata"]["component"]["bom-ref"]}
    assert packages == json.loads(listed.stdout) == _locked(lock)
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"])
    assert bill["metadata"]["component"]["hashes"][0]["content"] == sha256(wheel.read_bytes()).hexdigest()
    assert {one["scope"] for one in bill["components"] if one["name"] != "pymysql"} == {"required"}
    without = [one["name"] for one in bill["components"] if not one["licenses"]]
    assert without == ["peewee"]  # has it in a file
    assert {one["purl"] for one in bill["components"]} == {
        f"pkg:pypi/{name}@{version}" for name, version in packages.items()
    }
    assert {one["ref"] for one in bill["dependencies"]} == refs
    assert {ref for one in bill["dependencies"] for ref in one["dependsOn"]} < refs


INSTALLED = """
import json, re
from importlib.metadata import distributions
print(json.dumps({re.sub("[-_.]+", "-", one.name).lower(): one.version for one in distributions()}))
"""


def _locked(path: str) -> dict[str, str]:
    """Names and versions in a lock file and the one it includes, for this Python."""
    text = Path(path).read_text("utf-8")
    pinned = re.findall(r'^([a-z0-9-]+)==([\w.]+)(?: ; python_version < "3\.(\d+)")?', text, re.MULTILINE)
    here = sys.version_info[1]
    found = {name: version for name, version, before in pinned if not before or here < int(before)}
    for other in re.findall(r"^-r (.+)$", text, re.MULTILINE):
        found |= _locked(str(Path(path).with_name(other)))
    return found


def _pip(python: str, *arguments: str) -> None:
    env = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    command = [python, "-m", "pip", "--quiet", *arguments]
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
