"""What `calendar-api import` prints: progress, what was refused and why, and a table."""

import json
import sys
from collections import Counter
from collections.abc import Callable
from os.path import commonprefix
from typing import TextIO

from calendar_api.commands.import_work import Decision
from calendar_api.commands.sources.items import Notice
from calendar_api.commands.terminal import Progress, coloured

RESULTS = ("created", "updated", "unchanged", "conflicts", "refused", "gone")
_COLUMNS = {"adopted": "unchanged", "conflict": "conflicts", "skipped": "unchanged"}
_NOUNS = ("category", "tag", "venue", "organizer", "event")
#: Result -> sign and colour of its line.
_SIGNS = {
    "created": ("+", "green"), "updated": ("~", "yellow"), "conflict": ("!", "red"), "gone": ("-", "red"),
    "adopted": ("=", "yellow"),
}  # fmt: skip
_CONTEXT = 16  # equal characters before a difference
_MOST_REASONS, _NAMED = 200, 5  # different reasons, and rejections of one reason that are named


class Report:
    """Counts and prints decisions; `part` tells how much of the source was read, from 0 to 1, or None."""

    part: Callable[[], float | None] = staticmethod(lambda: None)

    def __init__(self, file: TextIO | None, *, dry_run: bool, quiet: bool) -> None:
        self.file, self.dry_run, self.quiet = file, dry_run, quiet
        self.counts: Counter[tuple[str, str]] = Counter()
        self.reasons: Counter[str] = Counter()
        self.places: dict[str, list[str]] = {}  # by reason, _NAMED at most
        self.notices: set[str] = set()
        self.number = 0
        self.progress = Progress("reading", in_pipes=True, quiet=quiet)

    def __call__(self, decision: Decision | Notice) -> None:
        if isinstance(decision, Notice):
            if decision.text not in self.notices:
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
        if reason not in self.reasons and len(self.reasons) >= _MOST_REASONS:
            reason = "Other reasons; --report FILE.jsonl lists them."
        self.reasons[reason] += 1
        places = self.places.setdefault(reason, [])
        if len(places) < _NAMED:
            details = ", ".join(filter(None, (decision.title, decision.value)))
            places.append(decision.place + (f" ({details})" if details else ""))

    def _show(self, decision: Decision) -> None:
        changes = [f"{name} {_change(*pair)}" for name, pair in decision.changes.items()]
        details = [
            decision.value,
            ", ".join(changes),
            decision.reason,
            decision.field and f"Kept: {decision.field}.",
        ]
        line = "  ".join([decision.title or decision.place, *filter(None, details)])
        self._print(line, sys.stdout, f"{coloured(*_SIGNS[decision.result])} ")

    def _print(self, line: str, stream: TextIO | None = None, before: str = "") -> None:
        if not self.quiet:
            self.progress.print_above(before + _printable(line), stream or sys.stderr)

    def finish(self, *, stored: bool) -> None:
        """Print the rejections by reason, and the table."""
        for reason, number in self.reasons.most_common():
            places, more = self.places[reason], number - len(self.places[reason])
            lines = [f"{place}: {reason}" for place in places]
            if more:
                kind = "lines" if places[0].startswith("line ") else "records"
                lines = [f"{number:,} {kind}: {reason}", *(f"    {place}" for place in places)]
                lines.append(f"    … {more:,} more; --report FILE.jsonl writes them all")
            for line in lines:
                print(_printable(line), file=sys.stderr)
        if self.quiet:
            return
        nouns = [noun for noun in _NOUNS if any(noun == one for one, _ in self.counts)] or ["event"]
        print(" " * 10 + "".join(f"{result:>11}" for result in RESULTS))
        for noun in nouns:
            print(f"{noun:<10}" + "".join(f"{self.counts[noun, result]:>11,}" for result in RESULTS))
        if not stored:
            print("Nothing was stored.")


def _change(before: object, after: object) -> str:
    """Times of one day without the day, and texts from where they differ."""
    old, new = (_one_line(value) for value in (before, after))
    same = len(commonprefix([old, new])) - _CONTEXT  # noqa: RUF071 - these are no paths
    if old[:11] == new[:11] and len(old) == len(new) == len("YYYY-MM-DD HH:MM:SS") and old[4:5] == "-":
        old, new = old[11:16], new[11:16]
    elif same > _CONTEXT:
        old, new = f"…{old[same:]}", f"…{new[same:]}"
    return f"{_short(old)} → {_short(new)}"


def _one_line(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else " ".join(str(value).split())


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def _printable(line: str) -> str:
    """A line of one line, without what would control a terminal."""
    return "".join(one if one.isprintable() else "\ufffd" for one in line)
