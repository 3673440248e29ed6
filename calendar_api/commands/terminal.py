"""What commands show people: colours and progress on a terminal, and lists, also as JSON."""

import argparse
import json
import shutil
import sys
import threading
import time
from contextlib import suppress
from typing import Any, Self, TextIO

from calendar_api import config

_COLOURS = {"red": 31, "green": 32, "yellow": 33}
_CLEAR = "\r\x1b[K"  # deletes the line
_BAR = 20  # characters
_INTERVAL = 0.2  # seconds


def is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def coloured(text: str, colour: str, stream: TextIO | None = None) -> str:
    """Colour a text for a stream, by default standard output, if it is a terminal that wants colours."""
    if not (config.wants_colours() and is_terminal(stream or sys.stdout)):
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_rows(arguments: argparse.Namespace, line: str, rows: list[dict[str, Any]]) -> None:
    """Print a line for each row, or with --json all rows as a list of objects."""
    if arguments.json:
        print_json(rows)
    else:
        print("".join(f"{line.format_map(row)}\n" for row in rows), end="")


class Progress:
    """How far a command is: one line on a terminal, rewritten while the context lasts and then deleted.

    Elsewhere nothing is printed. A thread prints the line, because statements of the database can take long.
    """

    def __init__(self, label: str, *, quiet: bool = False) -> None:
        self.label, self.done, self.part, self.started = label, 0, 0.0, time.monotonic()
        self.is_shown = is_terminal(sys.stderr) and not quiet
        self._ended, self._lock = threading.Event(), threading.Lock()
        self._thread = threading.Thread(target=self._repeat, daemon=True)

    def __call__(self, label: str, done: int = 0, total: int = 0) -> None:
        """Set what is being done now, how much of it is done, and how much there is (0: unknown)."""
        if label != self.label:
            self.started = time.monotonic()
        self.label, self.done, self.part = label, done, done / total if total else 0.0

    def __enter__(self) -> Self:
        if self.is_shown:
            self._print()
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_shown:
            self._ended.set()
            self._thread.join()
            _write(_CLEAR)

    def print_above(self, line: str, stream: TextIO) -> None:
        """Print a line that stays."""
        with self._lock:
            if self.is_shown:
                _write(_CLEAR)
            print(line, file=stream, flush=self.is_shown)

    def _repeat(self) -> None:
        while not self._ended.wait(_INTERVAL):
            self._print()

    def _print(self) -> None:
        with self._lock:
            _write(f"{_CLEAR}{self._line()[: shutil.get_terminal_size().columns - 1]}")

    def _line(self) -> str:
        found, seconds = [self.label], time.monotonic() - self.started
        if self.part:
            found.append(f"[{'#' * int(self.part * _BAR):<{_BAR}}] {self.part:.0%}")
        if self.done:
            found += [f"{self.done:,} done", f"{self.done / max(seconds, 0.001):,.0f}/s"]
        if self.part:
            minutes, rest = divmod(int(seconds * (1 - self.part) / self.part), 60)
            found.append(f"{minutes}:{rest:02} remaining")
        return ", ".join(found)


def _write(text: str) -> None:
    with suppress(OSError):  # the terminal may be gone: the command goes on
        print(text, end="", file=sys.stderr, flush=True)
