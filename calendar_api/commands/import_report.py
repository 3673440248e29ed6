"""What `calendar-api import` prints: progress, what was refused and why, and a table."""

import json
import sys
from collections import Counter
from collections.abc import Callable
from typing import TextIO

from calendar_api.commands.import_work import Decision
from calendar_api.commands.sources.items import Notice
from calendar_api.commands.terminal import Progress, coloured

RESULTS = ("created", "updated", "unchanged", "conflicts", "refused", "gone")
_COLUMNS = {"adopted": "unchanged", "conflict": "conflicts", "skipped": "unchanged"}
_NOUNS = ("category", "tag", "venue", "organizer", "event")
_SIGNS = {"created": "+", "updated": "~", "conflict": "!", "gone": "-", "adopted": "="}
#: Different reasons, rejections of one reason that are named each, and lines of a kind.
_MOST_REASONS, _NAMED, _MOST_LINES = 200, 5, 50
_COLOURS = {"created": "green", "updated": "yellow", "conflict": "red", "gone": "red", "adopted": "yellow"}


class Report:
    """Counts and prints decisions; `part` tells how much of the source was read, from 0 to 1, or None."""

    part: Callable[[], float | None] = staticmethod(lambda: None)

    def __init__(self, file: TextIO | None, *, dry_run: bool, quiet: bool) -> None:
        self.file, self.dry_run, self.quiet = file, dry_run, quiet
        self.counts: Counter[tuple[str, str]] = Counter()
        self.refused: dict[str, list[str]] = {}
        self.refused_counts: Counter[str] = Counter()
        self.lines: Counter[str] = Counter()
        self.notices: set[str] = set()
        self.number = 0
        self.progress = Progress("reading", quiet=quiet)

    def __call__(self, decision: Decision | Notice) -> None:
        if isinstance(decision, Notice):
            if decision.text not in self.notices and len(self.notices) < _MOST_LINES:
                self.notices.add(decision.text)
                self._print(f"note: {decision.text}")
            return
        self.number += 1
        self.counts[decision.noun, _COLUMNS.get(decision.result, decision.result)] += 1
        if self.file is not None:
            found = {name: value for name, value in decision._asdict().items() if value}
            print(json.dumps(found, ensure_ascii=False, default=str), file=self.file)
        if decision.result == "refused":
            self._count_refused(decision)
        elif decision.result in ("conflict", "gone") or (self.dry_run and decision.result in _SIGNS):
            self._show(decision)
        part = self.part()
        self.progress("importing", self.number, int(self.number / part) if part else 0)

    def _count_refused(self, decision: Decision) -> None:
        reason = f"{decision.reason} {decision.remedy}".strip()
        if reason not in self.refused and len(self.refused) >= _MOST_REASONS:
            reason = "Other reasons; --report FILE.jsonl lists them."
        self.refused_counts[reason] += 1
        places = self.refused.setdefault(reason, [])
        if len(places) < _NAMED:
            details = ", ".join(filter(None, (decision.title, decision.value)))
            places.append(decision.place + (f" ({details})" if details else ""))

    def _show(self, decision: Decision) -> None:
        self.lines[decision.result] += 1
        if self.lines[decision.result] > _MOST_LINES:
            return
        changes = [f"{name} {_change(*pair)}" for name, pair in decision.changes.items()]
        details = [", ".join(changes), decision.reason, decision.field and f"Kept: {decision.field}."]
        line = "  ".join([decision.title or decision.place, *filter(None, details)])
        sign = coloured(_SIGNS[decision.result], _COLOURS[decision.result])
        self._print(line, sys.stdout, f"{sign} ")

    def _print(self, line: str, stream: TextIO | None = None, before: str = "") -> None:
        if not self.quiet:
            self.progress.print_above(before + _printable(line), stream or sys.stderr)

    def finish(self, *, stored: bool) -> None:
        """Print the rejections by reason, and the table."""
        for result, number in self.lines.items():
            if number > _MOST_LINES:
                self._print(f"… {number - _MOST_LINES:,} more {_COLUMNS.get(result, result)}", sys.stdout)
        for reason, number in self.refused_counts.most_common():
            self._finish_reason(reason, number, self.refused[reason])
        if self.quiet:
            return
        nouns = [noun for noun in _NOUNS if any(noun == one for one, _ in self.counts)] or ["event"]
        print(" " * 10 + "".join(f"{result:>11}" for result in RESULTS))
        for noun in nouns:
            print(f"{noun:<10}" + "".join(f"{self.counts[noun, result]:>11,}" for result in RESULTS))
        if not stored:
            print("Nothing was stored.")

    def _finish_reason(self, reason: str, number: int, places: list[str]) -> None:
        if number <= len(places):
            for place in places:
                print(_printable(f"{place}: {reason}"), file=sys.stderr)
            return
        kind = "lines" if places[0].startswith("line ") else "records"
        print(_printable(f"{number:,} {kind}: {reason}"), file=sys.stderr)
        for place in places:
            print(_printable(f"    {place}"), file=sys.stderr)
        print(f"    … {number - len(places):,} more; --report FILE.jsonl writes them all", file=sys.stderr)


def _change(before: object, after: object) -> str:
    """Times of one day without the day."""
    old, new = str(before), str(after)
    if old[:11] == new[:11] and len(old) == len(new) == len("YYYY-MM-DD HH:MM:SS") and old[4:5] == "-":
        old, new = old[11:16], new[11:16]
    return f"{_short(old)} → {_short(new)}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def _printable(line: str) -> str:
    """A line of one line, without what would control a terminal."""
    return "".join(one if one.isprintable() else "\ufffd" for one in line)
