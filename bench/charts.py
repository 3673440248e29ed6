"""Two charts as SVG, readable on light and on dark pages: ratios by row, and costs by number of events."""

import math
from collections.abc import Iterable
from html import escape

from bench.targets import TARGETS, Figure

_WIDTH = 760
_COLOURS = ("#1f77b4", "#d95f02", "#1b9e77", "#b5459f", "#7a7a00", "#6a5acd", "#c0392b")
#: Rows whose CPU time is drawn by number of events.
_BY_SIZE = ("C1", "C2", "C3 id", "C4 list", "R1", "C6", "C7")

_STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .page { fill: #ffffff } .faint { fill: #57606a } .grid { stroke: #d0d7de } .value { fill: #0969da }
  .missed { fill: #bc4c00 } .bar { stroke: #24292f; stroke-width: 2 }
  .moonshot { stroke: #24292f; stroke-width: 2; stroke-dasharray: 2 2 }
  .line { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .page { fill: #0d1117 } .faint { fill: #8d96a0 } .grid { stroke: #30363d }
    .value { fill: #4493f8 } .missed { fill: #f0883e } .bar, .moonshot { stroke: #e6edf3 }
    .line, .point { filter: brightness(1.5) }
  }
"""


def ratios(figures: Iterable[Figure]) -> str:
    """A bar for the lowest ratio of each row to its baseline, with marks for bar and moonshot."""
    lowest: dict[str, float] = {}
    for figure in figures:
        target = TARGETS[figure.row]
        if target.unit == "×" and not target.lower and target.bar <= 1:
            lowest[figure.row] = min(figure.value, lowest.get(figure.row, math.inf))
    left, top, step = 330, 50, 22
    scale = (_WIDTH - left - 60) / max([1.0, *lowest.values()])
    rows = [row for row in TARGETS if row in lowest]
    bottom = top + step * len(rows)
    parts = [
        _text(
            12,
            22,
            "Lowest ratio to the baseline of all calendars; line: bar, dots: moonshot, orange: bar missed",
        )
    ]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        x = left + tick * scale
        parts.append(f'<line class="grid" x1="{x:.0f}" y1="{top - 6}" x2="{x:.0f}" y2="{bottom}"/>')
        parts.append(_text(x, top - 10, f"{tick:g}", "middle", "faint"))
    for place, row in enumerate(rows):
        target, value, y = TARGETS[row], lowest[row], top + step * place
        name = "value" if target.reached(value, target.bar) else "missed"
        label = f"{row.split()[0]} {target.what.replace('`', '')}"
        parts.append(_text(left - 8, y + 14, label, "end"))
        parts.append(f'<rect class="{name}" x="{left}" y="{y + 4}" width="{value * scale:.1f}" height="13"/>')
        for goal, mark in ((target.bar, "bar"), (target.moonshot or target.bar, "moonshot")):
            x = left + goal * scale
            parts.append(f'<line class="{mark}" x1="{x:.1f}" y1="{y + 1}" x2="{x:.1f}" y2="{y + 20}"/>')
        parts.append(_text(_WIDTH - 8, y + 14, f"{value:.2g}", "end"))
    return _svg(bottom + 16, "Ratios to the baseline by row", parts)


def costs(figures: Iterable[Figure]) -> str:
    """CPU time of a request by number of events, both in powers of ten."""
    lines: dict[str, dict[int, float]] = {}
    for figure in figures:
        cost = figure.value * 1000 if TARGETS[figure.row].unit == "ms" else figure.cpu_us
        if figure.row in _BY_SIZE and cost and figure.calendar[0].isdigit():
            lines.setdefault(figure.row, {})[int(figure.calendar.replace(",", ""))] = cost
    sizes = sorted({size for line in lines.values() for size in line}) or [1]
    values = [value for line in lines.values() for value in line.values()] or [1]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 0.01)
    left, right, top, bottom = 80, _WIDTH - 300, 50, 330
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])

    def x(size: float) -> float:
        return left + (right - left) * (math.log10(size) - first) / ((last - first) or 1)

    def y(value: float) -> float:
        return bottom - (bottom - top) * (math.log10(value) - low) / (high - low)

    parts = [_text(12, 22, "CPU time of a request by number of events")]
    for power in range(low, high + 1):
        height = y(10**power)
        parts.append(f'<line class="grid" x1="{left}" y1="{height:.0f}" x2="{right}" y2="{height:.0f}"/>')
        shown = f"{10**power / 1000:,g} ms" if power > 2 else f"{10**power:g} µs"
        parts.append(_text(left - 8, height + 4, shown, "end", "faint"))
    parts += [_text(x(size), bottom + 20, f"{size:,}", "middle", "faint") for size in sizes]
    ends = sorted((y(line[max(line)]), row) for row, line in lines.items())
    lowest_label = -math.inf
    for height, row in ends:
        colour = _COLOURS[_BY_SIZE.index(row)]
        points = [(x(size), y(value)) for size, value in sorted(lines[row].items())]
        path = " ".join(f"{across:.1f},{down:.1f}" for across, down in points)
        parts.append(f'<polyline class="line" stroke="{colour}" points="{path}"/>')
        parts += [
            f'<circle class="point" fill="{colour}" cx="{across:.1f}" cy="{down:.1f}" r="4"/>'
            for across, down in points
        ]
        lowest_label = max(height + 4, lowest_label + 16)
        label = f"{row.split()[0]} {TARGETS[row].what.replace('`', '').replace(', first request', '')}"
        parts.append(
            f'<circle class="point" fill="{colour}" cx="{right + 20}" cy="{lowest_label - 4:.1f}" r="4"/>'
        )
        parts.append(_text(right + 30, lowest_label, label))
    return _svg(bottom + 36, "CPU time of a request by number of events", parts)


def _text(x: float, y: float, text: str, anchor: str = "start", name: str = "") -> str:
    own = f' class="{name}"' if name else ""
    return f'<text{own} x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(height: int, title: str, parts: list[str]) -> str:
    content = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n"
        f'<rect class="page" width="{_WIDTH}" height="{height}"/>\n{content}\n</svg>\n'
    )
