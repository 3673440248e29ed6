"""A recording equals the answers of the same code; a changed status, body or header in it is found."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.differential.recording", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_recording_and_what_differs_from_it(tmp_path: Path) -> None:
    file, changed = tmp_path / "recorded.gz", tmp_path / "changed.gz"
    assert run("record", file, "sqlite", 250).returncode == 0

    same = run("compare", file)
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    for place, header, old, new in ((120, "x-tec-total", "total", "totals"), (150, "link", "0", "1")):
        request, answer = json.loads(lines[place])
        answer["body"] = answer["body"].replace(old, new, 1)
        answer["headers"][header] = "changed"
        lines[place] = json.dumps([request, answer])
    changed.write_bytes(gzip.compress("\n".join(lines).encode()))
    other = run("compare", changed)

    assert (same.returncode, same.stdout.splitlines()[-1]) == (
        0, f"{len(lines) - 1} answers; 0 with another status or body; headers that differ: {{}}",
    )  # fmt: skip
    assert other.returncode == 1
    assert re.findall(r"(?m)^answer (\d+)", other.stdout) == ["120", "150"]
    assert other.stdout.endswith("headers that differ: {'x-tec-total': 1, 'link': 1}\n")
