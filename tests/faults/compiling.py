"""The small libraries that stand between a server and the disk, built for each run."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def shared_object(name: str, folder: Path) -> str:
    """The path of `NAME.c` as a library to be preloaded; the test is left out where there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    target = folder / f"{name}.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", target, HERE / f"{name}.c", "-ldl"],
        check=True, timeout=60,
    )  # fmt: skip
    return str(target)
