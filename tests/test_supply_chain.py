"""The lock files have what the project asks for, everything has a hash, and it stays a short list."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
EXTRAS = PROJECT["optional-dependencies"]
#: Needs nothing, and is not installed here: tests run without it, and some again with it.
ALONE = {"pysqlite3"}
MOST = 13


def locked(name: str, python: str) -> dict[str, str]:
    """Name and version of what a lock file installs on a Python."""
    found = {}
    for line in (ROOT / name).read_text("utf-8").replace("\\\n", " ").splitlines():
        if line.startswith("-r "):
            found |= locked(line.removeprefix("-r "), python)
        elif line and not line.startswith("#"):
            need = Requirement(line.partition("--hash")[0])
            if need.marker is None or need.marker.evaluate({"python_version": python}):
                found[canonicalize_name(need.name)] = str(need.specifier).removeprefix("==")
    return found


def needed(wanted: list[str], python: str) -> dict[str, list[Requirement]]:
    """What these need, by the metadata of what is installed here: by whom each is asked for, and how."""
    environment = {"python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    found: dict[str, list[Requirement]] = {}
    waiting = [Requirement(text) for text in wanted]
    while waiting:
        need = waiting.pop()
        if need.marker and not need.marker.evaluate(environment):
            continue
        name = canonicalize_name(need.name)
        if name not in found and name not in ALONE:
            waiting += [Requirement(text) for text in metadata.requires(name) or []]
        found.setdefault(name, []).append(need)
    return found


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_lock_has_what_is_needed_and_nothing_else(python: str, extra: str) -> None:
    lock = locked(f"requirements-{extra}.lock" if extra else "requirements.lock", python)
    asked = needed(PROJECT["dependencies"] + EXTRAS.get(extra, []), python)

    assert lock.keys() == asked.keys()
    for name, needs in asked.items():
        assert all(lock[name] in need.specifier for need in needs), (name, needs)


@pytest.mark.parametrize("python", PYTHONS)
def test_at_most_thirteen_packages_run(python: str) -> None:
    assert len(needed(PROJECT["dependencies"], python)) <= MOST
    assert len(locked("requirements.lock", python)) <= MOST


def test_oldest_python_is_the_first_of_the_lock() -> None:
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


@pytest.mark.parametrize("name", ["requirements.lock", *(f"requirements-{extra}.lock" for extra in EXTRAS)])
def test_every_locked_package_has_hashes(name: str) -> None:
    text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
    packages = [line for line in text.splitlines() if "==" in line and not line.startswith("#")]

    assert packages
    assert [line for line in packages if not re.search(r" --hash=sha256:[0-9a-f]{64}$", line)] == []
