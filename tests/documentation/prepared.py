"""What documents take from the network, made available without it."""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from tests.documentation.shell import SYSTEM_PATH
from tests.system.servers import CHECKOUT

#: The address in the documents. git takes the checkout in its place.
REPOSITORY = "https://git.example.org/calendar-api.git"
_LOCKS = sorted(CHECKOUT.glob("requirements*.lock"))


def installed(folder: Path) -> dict[str, str]:
    """The environment of a reader who has installed the service: `calendar-api` and `gunicorn` are found."""
    programs = folder / "installed"
    programs.mkdir()
    for name in ("calendar-api", "gunicorn"):
        (programs / name).symlink_to(Path(sys.executable).with_name(name))
    return {"PATH": f"{programs}:{SYSTEM_PATH}"}


def packages() -> dict[str, str]:
    """The environment in which pip finds the locked packages, and no others, in a folder."""
    folder = CHECKOUT / "build" / "documentation"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in _LOCKS)).hexdigest()
        wheels = folder / digest[:12]
        if not (wheels / "complete").exists():
            env = {**os.environ, "PATH": SYSTEM_PATH}  # the Python that a reader has
            subprocess.run(["python3", "-m", "venv", str(folder / "pip")], env=env, check=True, timeout=300)
            download = [str(folder / "pip" / "bin" / "pip"), "download", "--quiet", "--dest", str(wheels)]
            locked = [f"--requirement={path}" for path in _LOCKS]
            subprocess.run([*download, "--no-deps", *locked], env=env, check=True, timeout=600)
            subprocess.run([*download, "setuptools>=77", "wheel"], env=env, check=True, timeout=600)
            (wheels / "complete").touch()
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def repository(folder: Path) -> dict[str, str]:
    """The environment in which `git clone` of REPOSITORY gets the files of the checkout as they are now."""
    made = folder / "repository"
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    git = ["git", f"--git-dir={made}", f"--work-tree={CHECKOUT}", *identity]
    for command in (["init", "--initial-branch=main"], ["add", "--all"], ["commit", "--message=All files"]):
        subprocess.run([*git, *command], check=True, capture_output=True, timeout=120, cwd=CHECKOUT)
    settings = {f"url.{made}.insteadOf": REPOSITORY, "safe.directory": "*"}
    env = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return env
