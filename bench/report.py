"""The results: a line of each figure, a Markdown table, JSON and charts.

`python -m bench.report` puts those of the last run into docs/performance.md and beside it.
"""

import json
import os
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from bench import charts
from bench.calendars import BUILD, CONFERENCES, ROOT
from bench.targets import TARGETS, Figure, Plan

LARGEST = "1,000,000"  # for information: the targets are about fewer events
DOCUMENT = ROOT / "docs" / "performance.md"
_BEGIN, _END = "<!-- figures of the last run -->", "<!-- end of figures -->"
_BUSY = "**The machine was busy: W1, S1 and imports, which go by the clock, say nothing.**"
_LIBRARIES = ("falcon", "gunicorn", "peewee", "jsonschema")


def line(figure: Figure) -> str:
    """One figure for the terminal."""
    target = TARGETS[figure.row]
    span = "" if figure.low is None else f" ({number(figure.low)} to {number(figure.high or 0)})"
    return (
        f"{figure.row} {target.what}, {figure.calendar}: {number(figure.value)} {target.unit}{span}, "
        f"bar {number(target.bar)}: {met([figure])}; {figure.remark}"
    )


def table(figures: Iterable[Figure]) -> str:
    """A row for each target that was measured and a column for each calendar."""
    found = {(figure.row, figure.calendar): figure for figure in figures}
    names = sorted({calendar for _, calendar in found}, key=_by_size)
    rows = [["", "", *names, "", "bar", "moonshot", "met"]]
    for row, target in TARGETS.items():
        own = [found[row, name] for name in names if (row, name) in found]
        if own:
            values = [number(found[row, name].value) if (row, name) in found else "" for name in names]
            goals = ["" if goal is None else number(goal) for goal in (target.bar, target.moonshot)]
            rows.append([row, target.what, *values, target.unit, *goals, met(own)])
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def met(figures: list[Figure]) -> str:
    """Whether the bar, or even the moonshot, is met on all calendars up to 100,000 events."""
    counted = [figure for figure in figures if figure.calendar != LARGEST]
    target = TARGETS[figures[0].row]
    reached = sum(target.reached(figure.value, target.bar) for figure in counted)
    if counted and all(target.reached(figure.value, target.moonshot) for figure in counted):
        return "moonshot"
    if reached in (0, len(counted)):
        return "yes" if reached else "no"
    return f"{reached} of {len(counted)}"


def _by_size(calendar: str) -> int:
    return 0 if calendar == CONFERENCES else int(calendar.replace(",", ""))


def number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 100 else f"{value:.3g}"


def environment(plan: Plan) -> dict[str, object]:
    """What influences the figures; the load is that before the run."""
    models = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {
        "when": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "commit": _printed("git", "rev-parse", "--short", "HEAD"),
        "cores": os.cpu_count(), "processor": models[0] if models else platform.machine(),
        "load": round(os.getloadavg()[0], 1), "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version, "mariadb": _printed("mariadbd", "--version"),
        **{name: metadata.version(name) for name in _LIBRARIES}, "plan": asdict(plan),
    }  # fmt: skip


def _printed(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return ""
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    version = re.search(r"\d+\.\d+\.\d+-MariaDB", ran.stdout)
    return version[0] if version else ran.stdout.strip()


def save(folder: Path, figures: list[Figure], about: dict[str, object]) -> None:
    document = {"environment": about, "figures": [asdict(figure) for figure in figures]}
    (folder / "result.json").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (folder / "table.md").write_text(f"{table(figures)}\n", "utf-8")
    _draw(folder, figures)


def _draw(folder: Path, figures: list[Figure]) -> None:
    (folder / "performance-ratios.svg").write_text(charts.ratios(figures), "utf-8")
    (folder / "performance-sizes.svg").write_text(charts.costs(figures), "utf-8")


def publish(result: Path, document: Path) -> None:
    """Put the figures of this result into the document, and the charts beside it."""
    found = json.loads(result.read_text("utf-8"))
    figures, about = [Figure(**one) for one in found["figures"]], found["environment"]
    measured = (
        f"Measured on {about['when']} at commit `{about['commit']}`, {about['cores']} cores "
        f"({about['processor']}), load {about['load']} before the run, rounds: {about['plan']['rounds']}. "
        f"Python {about['python']}, Falcon {about['falcon']}, gunicorn {about['gunicorn']}, "
        f"Peewee {about['peewee']}, jsonschema {about['jsonschema']}, SQLite {about['sqlite']}, "
        f"MariaDB {about['mariadb'].removesuffix('-MariaDB')}."
    )
    if about["load"] > about["cores"] / 2:
        measured += f"\n\n{_BUSY}"
    before, _, rest = document.read_text("utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    content = f"{before}{_BEGIN}\n{measured}\n\n{table(figures)}\n{_END}{after}"
    document.write_text(content, "utf-8")
    _draw(document.parent, figures)


if __name__ == "__main__":
    publish(BUILD / "result.json", DOCUMENT)
    sys.exit(0)
