"""`python -m tools.lock` writes requirements.lock and one file per extra: exact versions with hashes.

It uses pip with its configured index, and wheels only. Run it with the oldest supported Python, because a
newer one would omit packages that only old ones need. Run it again to upgrade; review the diff.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = (
    ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    ("manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64"),
    ("musllinux_1_2_x86_64",),
    ("musllinux_1_2_aarch64",),
    ("macosx_11_0_arm64",),
)
HEAD = """\
# Written by `python -m tools.lock`: every package of an installation, with the hashes of its wheels.
# pip install --require-hashes --no-deps -r {name} && pip install --no-deps calendar_api-….whl
"""


@dataclass
class Package:
    name: str
    version: str
    needs: list[Requirement]
    pythons: set[str] = field(default_factory=set)
    hashes: set[str] = field(default_factory=set)

    def lines(self) -> str:
        missing = [python for python in PYTHONS if python not in self.pythons]
        marker = f' ; python_version < "{missing[0]}"' if missing else ""
        if missing and set(PYTHONS[PYTHONS.index(missing[0]) :]) != set(missing):
            raise SystemExit(f"{self.name} is needed by {sorted(self.pythons)}: no single marker")
        hashes = "".join(f" \\\n    --hash=sha256:{one}" for one in sorted(self.hashes))
        return f"{self.name}=={self.version}{marker}{hashes}\n"


def pip(*arguments: str) -> dict[str, Any] | None:
    """The report of what pip would install; None if it finds no wheels."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run",
            "--ignore-installed", "--only-binary=:all:", "--report", f"{folder}/report", "--target", folder,
            *arguments,
        ]  # fmt: skip
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode:
            return None
        report: dict[str, Any] = json.loads(Path(folder, "report").read_text("utf-8"))
        return report


def resolved(wanted: Iterable[str]) -> dict[str, Package]:
    report = pip(*wanted)
    if report is None:
        raise SystemExit("pip cannot resolve the dependencies")
    found = {}
    for item in report["install"]:
        metadata = item["metadata"]
        name = canonicalize_name(metadata["name"])
        needs = [Requirement(text) for text in metadata.get("requires_dist", [])]
        found[name] = Package(name, metadata["version"], needs)
    return found


def reached(roots: Iterable[Requirement], packages: dict[str, Package], python: str) -> set[str]:
    """The packages installed on this Python."""
    environment = {"python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        need = waiting.pop()
        name = canonicalize_name(need.name)
        if name in found or (need.marker and not need.marker.evaluate(environment)):
            continue
        found.add(name)
        waiting += packages[name].needs
    return found


def add_hashes(packages: dict[str, Package]) -> None:
    """Add the hashes of the wheels for every Python and platform; report combinations without all wheels."""
    for python in PYTHONS:
        pinned = [f"{one.name}=={one.version}" for one in packages.values() if python in one.pythons]
        for platform in PLATFORMS:
            tags = [word for tag in platform for word in ("--platform", tag)]
            options = ("--no-deps", "--python-version", python, *tags)
            report = pip(*options, *pinned)
            for one, found in [("", report)] if report else [(one, pip(*options, one)) for one in pinned]:
                if found is None:
                    print(f"skipped: {one} for Python {python} on {platform[0]}, which has no wheel")
                    continue
                for item in found["install"]:
                    hashes = item["download_info"]["archive_info"]["hashes"]
                    packages[canonicalize_name(item["metadata"]["name"])].hashes.add(hashes["sha256"])


def main() -> None:
    if sys.version_info[:2] != tuple(map(int, PYTHONS[0].split("."))):
        raise SystemExit(f"run this with Python {PYTHONS[0]}")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    base, extras = project["dependencies"], project["optional-dependencies"]
    packages = resolved([*base, *(text for extra in extras.values() for text in extra)])
    chosen = {name: marked(packages, [*base, *extra]) for name, extra in {"": [], **extras}.items()}
    add_hashes(packages)
    for extra, names in chosen.items():
        name = f"requirements-{extra}.lock" if extra else "requirements.lock"
        listed = sorted(names - chosen[""] if extra else names)
        first = "-r requirements.lock\n" if extra else ""
        lines = "".join(packages[one].lines() for one in listed)
        (ROOT / name).write_text(HEAD.format(name=name) + "\n" + first + lines, "utf-8")
        print(f"{name}: {len(listed)} packages")


def marked(packages: dict[str, Package], wanted: list[str]) -> set[str]:
    """The packages needed on any Python; also records on each package which Pythons need it."""
    found: set[str] = set()
    for python in PYTHONS:
        now = reached(map(Requirement, wanted), packages, python)
        for name in now:
            packages[name].pythons.add(python)
        found |= now
    return found


if __name__ == "__main__":
    main()
