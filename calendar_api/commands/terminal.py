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
_CLEAR = "\r\x1b[K"  # the line
_BAR = 20  # characters
_SECONDS_TERMINAL, _SECONDS_PIPE = 0.2, 10.0
_SLOW = 2  # seconds after which the time is shown


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
    """How far a command is, on standard error while the context lasts.

    On a terminal one line is rewritten, and nothing of it stays. Elsewhere nothing is printed, or with
    `in_pipes` a line every ten seconds. A thread prints it, because statements of the database can take long.
    """

    def __init__(self, label: str, *, in_pipes: bool = False, quiet: bool = False) -> None:
        self.label, self.done, self.part, self.started = label, 0, 0.0, time.monotonic()
        self.on_terminal = is_terminal(sys.stderr) and not quiet
        self.is_shown = self.on_terminal or (in_pipes and not quiet)
        self._ended, self._lock = threading.Event(), threading.Lock()
        self._thread = threading.Thread(target=self._repeat, daemon=True)

    def __call__(self, label: str, done: int = 0, total: int = 0) -> None:
        """Say what is being done now, how much of it is done, and how much there is, if that is known."""
        if label != self.label:
            self.started = time.monotonic()
        self.label, self.done, self.part = label, done, done / total if total else 0.0

    def __enter__(self) -> Self:
        if self.on_terminal:
            self._print()
        if self.is_shown:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self.is_shown:
            self._thread.join()
        if self.on_terminal:
            _write(_CLEAR)

    def print_above(self, line: str, stream: TextIO) -> None:
        """Print a line that stays."""
        with self._lock:
            if self.on_terminal:
                _write(_CLEAR)
            print(line, file=stream, flush=self.on_terminal)

    def _repeat(self) -> None:
        while not self._ended.wait(_SECONDS_TERMINAL if self.on_terminal else _SECONDS_PIPE):
            self._print()

    def _print(self) -> None:
        with self._lock:
            width = shutil.get_terminal_size().columns - 1
            _write(f"{_CLEAR}{self._line()[:width]}" if self.on_terminal else f"{self._line()}\n")

    def _line(self) -> str:
        found, seconds = [self.label], time.monotonic() - self.started
        if self.part:
            bar = f"[{'#' * int(self.part * _BAR):<{_BAR}}] " if self.on_terminal else ""
            found.append(f"{bar}{self.part:.0%}")
        if self.done:
            found += [f"{self.done:,} done", f"{self.done / max(seconds, 0.001):,.0f}/s"]
        remaining = seconds * (1 - self.part) / self.part if self.part else seconds
        if self.part or seconds >= _SLOW:
            clock = f"{int(remaining) // 60}:{int(remaining) % 60:02}"
            found.append(f"{clock} remaining" if self.part else clock)
        return ", ".join(found)


def _write(text: str) -> None:
    with suppress(OSError):  # the terminal may be gone: the command goes on
        print(text, end="", file=sys.stderr, flush=True)
