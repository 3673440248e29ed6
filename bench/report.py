"""The results as a Markdown table and as JSON."""

import json
import platform
import sqlite3
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path

from bench.load import Measured
from bench.ratios import Ratio, agree

_HEADS = ("", "scenario", "found", "min – max", "bar", "moonshot", "req/s", "CPU µs", "p99 ms", "remarks")
_LIBRARIES = ("falcon", "gunicorn", "peewee", "jsonschema", "nh3")


@dataclass
class Line:
    """One figure with its unit, its target (bar) and its ambitious target (moonshot)."""

    scenario: str
    what: str
    value: float
    unit: str = ""
    low: float | None = None
    high: float | None = None
    bar: str = ""
    moonshot: str = ""
    rps: float | None = None
    cpu_us: float | None = None
    p99: float | None = None
    remarks: str = ""


def of_ratio(
    scenario: str, what: str, measured: Measured, name: str, *, against: str = "", bar: str = "",
    moonshot: str = "", remarks: str = "",
) -> Line:  # fmt: skip
    """The ratio of a subject to a baseline by CPU time, with remarks about noise and failures."""
    by_cpu, by_rps = measured.by_cpu(name, against), measured.by_rps(name, against)
    notes = [remarks] if remarks else []
    if not agree(by_cpu.median, by_rps.median):
        notes.append(f"by req/s {number(by_rps.median)}")
    if by_cpu.rounds < len(measured.slices[name]):
        notes.append(f"{by_cpu.rounds} quiet rounds of {len(measured.slices[name])}")
    if measured.failed(name):
        notes.append(f"{measured.failed(name)} FAILED")
    return Line(
        scenario, what, by_cpu.median, "×", by_cpu.low, by_cpu.high, bar, moonshot,
        measured.median(name, "rps"), measured.median(name, "cpu_us"), measured.median(name, "p99"),
        "; ".join(notes),
    )  # fmt: skip


def plain(
    scenario: str, what: str, found: float | Ratio, unit: str, bar: str = "", moonshot: str = "",
    remarks: str = "",
    rps: float | None = None, cpu_us: float | None = None, p99: float | None = None,
) -> Line:  # fmt: skip
    """The line of a figure or of a given ratio."""
    if isinstance(found, Ratio):
        line = Line(scenario, what, found.median, unit, found.low, found.high)
    else:
        line = Line(scenario, what, found, unit)
    return replace(line, bar=bar, moonshot=moonshot, remarks=remarks, rps=rps, cpu_us=cpu_us, p99=p99)


def several(workers: int) -> str:
    return f"{workers} worker" if workers == 1 else f"{workers} workers"


def table(lines: list[Line]) -> str:
    """All lines as an aligned Markdown table."""
    rows = [_HEADS, *(_cells(line) for line in lines)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADS))]
    written = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    written.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(written)


def _cells(line: Line) -> tuple[str, ...]:
    span = "" if line.low is None or line.high is None else f"{number(line.low)} – {number(line.high)}"
    figures = ("" if one is None else number(one) for one in (line.rps, line.cpu_us, line.p99))
    found = f"{number(line.value)} {line.unit}".strip()
    return (line.scenario, line.what, found, span, line.bar, line.moonshot, *figures, line.remarks)


def number(value: float) -> str:
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def machine() -> dict[str, str]:
    """Versions and hardware that influence the figures."""
    found = {name: metadata.version(name) for name in _LIBRARIES}
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        "",
    )
    return {
        "python": platform.python_version(), "sqlite": sqlite3.sqlite_version, "processor": model,
        "kernel": platform.release(), **found,
    }  # fmt: skip


def save(path: Path, lines: list[Line], about: dict[str, object]) -> None:
    document = {**about, "machine": machine(), "lines": [asdict(line) for line in lines]}
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")
