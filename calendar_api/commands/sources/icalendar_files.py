"""Events of iCalendar streams (RFC 5545, RFC 7986), read one by one.

Recurring events, and those in zones that are not yet defined, wait for the end of their calendar.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, BinaryIO

from calendar_api.commands import CommandError, SourceError
from calendar_api.commands.sources.icalendar_events import EventReader
from calendar_api.commands.sources.icalendar_fields import raw
from calendar_api.commands.sources.items import Found, Notice, Options, Problem

_LINE, _COMPONENT, _HELD = 2**18, 2**19, 2**26  # octets of a line, an event, and all events that wait
_DEFINITIONS = 500
_READ = {
    "VEVENT": frozenset((
        "UID", "SUMMARY", "DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE",
        "RECURRENCE-ID", "SEQUENCE", "STATUS", "CLASS", "DESCRIPTION", "X-ALT-DESC", "LOCATION", "GEO",
        "X-APPLE-STRUCTURED-LOCATION", "CATEGORIES", "ORGANIZER", "CONTACT", "URL", "IMAGE", "ATTACH",
        "X-MICROSOFT-CDO-ALLDAYEVENT",
    )),
    "VTIMEZONE": frozenset((
        "TZID", "X-LIC-LOCATION", "DTSTART", "RRULE", "RDATE", "TZOFFSETFROM", "TZOFFSETTO",
    )),
}  # fmt: skip


def read(stream: BinaryIO, options: Options) -> Iterator[Found]:
    """Yield the records of a stream; raises CommandError without icalendar, SourceError for no calendar."""
    try:
        library = import_module("icalendar")
    except ImportError:
        text = "iCalendar files need one more package: run `pip install icalendar`."
        raise CommandError(text) from None
    yield from _Reader(library, options).read(stream)


class Block:
    """The lines of a component that are of use; of components inside, only those of a VTIMEZONE."""

    def __init__(self, kind: str, line: int) -> None:
        self.kind, self.line = kind, line
        self.lines: list[str] = []
        self.inside: list[list[str]] = []
        self.depth = self.size = 0
        self.problem = ""

    def add(self, name: str, text: str) -> None:
        """Keep a line if it is of use; `problem` says when there is too much."""
        if name not in _READ[self.kind] or self.problem or self.depth > (self.kind == "VTIMEZONE"):
            return
        if len(text) >= _LINE and name in ("ATTACH", "IMAGE"):  # these can contain a whole file
            return
        self.size += len(text) + 100  # a line costs more than its characters
        if self.size > _COMPONENT or len(text) >= _LINE:
            self.problem = f"{name} is too long, or there are too many lines."
            return
        (self.inside[-1] if self.depth else self.lines).append(text)


class _Reader:
    """Divides a stream into components, and the events into those to read now and those that wait."""

    def __init__(self, library: Any, options: Options) -> None:
        self._events = EventReader(library, options)
        self._block: Block | None = None
        self._is_open: bool | None = None  # None before the first calendar
        self._begin_calendar()

    def _begin_calendar(self) -> None:
        self._events.begin_calendar()
        self._held: dict[str, list[tuple[str, list[str]]]] = {}
        self._held_size = 0

    def read(self, stream: BinaryIO) -> Iterator[Found]:
        line, is_utf8 = 0, True
        for line, octets in _lines(stream):
            text, is_cp1252 = _decoded(octets)
            if is_cp1252 and is_utf8:
                yield Notice(f"Line {line} is not UTF-8; such lines are read as Windows-1252.")
                is_utf8 = False
            head, _, value = text.partition(":")
            name, kind = head.partition(";")[0].strip().upper(), value.strip().upper()
            if name in ("BEGIN", "END"):
                yield from self._boundary(f"{name}:{kind}", kind, line)
            elif self._is_open is None and name:
                break
            elif self._block:
                self._block.add(name, text)
            else:
                self._events.calendar_property(name, value.strip())
        if self._is_open is None:
            raise SourceError("The file is no calendar: that begins with BEGIN:VCALENDAR.")
        if self._is_open:
            yield from self._end_calendar()
            yield Problem(f"line {line}", "The file ends before END:VCALENDAR.", remedy="Fetch it again.")

    def _boundary(self, boundary: str, kind: str, line: int) -> Iterator[Found]:
        """Begin or end a component."""
        block = self._block
        if boundary in ("BEGIN:VCALENDAR", "END:VCALENDAR"):
            yield from self._end_calendar()
            self._is_open = boundary == "BEGIN:VCALENDAR"
        elif boundary == "BEGIN:VEVENT":
            yield from self._unfinished()
            self._block = Block(kind, line)
        elif block is None:
            self._block = Block(kind, line) if boundary == "BEGIN:VTIMEZONE" else None
        elif boundary == f"END:{block.kind}":
            self._block = None
            yield from self._component(block)
        elif boundary.startswith("END"):
            block.depth = max(0, block.depth - 1)
        else:
            block.depth += 1
            block.inside += [[]] if block.kind == "VTIMEZONE" else []

    def _unfinished(self) -> Iterator[Found]:
        if block := self._block:
            reason = f"It has no END:{block.kind}."
            yield Problem(
                f"line {block.line}", reason, raw(block.lines, "SUMMARY")[:80], remedy="Correct the file."
            )
        self._block = None

    def _end_calendar(self) -> Iterator[Found]:
        yield from self._unfinished()
        for blocks in self._held.values():
            yield from self._events.series(blocks)
        self._begin_calendar()

    def _component(self, block: Block) -> Iterator[Found]:
        """Read a component, or keep it for the end of the calendar."""
        place, title = f"line {block.line}", raw(block.lines, "SUMMARY")[:80]
        if block.kind == "VTIMEZONE":
            if len(self._events.zones.definitions) < _DEFINITIONS and not block.problem:
                self._events.define_zone(block.lines, block.inside)
        elif block.problem:
            yield Problem(place, block.problem, title, remedy="Shorten it at the source.")
        elif (uid := self._events.waits_for(block.lines)) is None:
            yield from self._events.single(block.lines, place)
        elif self._held_size + block.size > _HELD:
            reason = "Too many recurring events in one file."
            yield Problem(place, reason, title, "RRULE", "Split the file.")
        else:
            self._held.setdefault(uid, []).append((place, block.lines))
            self._held_size += block.size


def _decoded(octets: bytes) -> tuple[str, bool]:
    """Return the text of a line, and whether it is Windows-1252."""
    try:
        return octets.decode("utf-8-sig", "ignore" if len(octets) >= _LINE else "strict").strip("\r"), False
    except UnicodeDecodeError:
        return octets.decode("cp1252", "replace").strip("\r"), True


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield unfolded lines with the number of their first one; what is beyond _LINE octets is cut off."""
    number = start = size = 0
    parts: list[bytes] = []
    is_whole = True
    while piece := stream.readline(_LINE):
        is_begin, is_whole = is_whole, piece.endswith(b"\n")
        number += is_begin
        if is_begin and piece[:1] not in (b" ", b"\t"):
            yield start, b"".join(parts)
            parts, size, start = [], 0, number
        elif is_begin:
            piece = piece[1:]
        if size < _LINE:
            parts.append(piece.rstrip(b"\r\n")[: _LINE - size])
            size += len(parts[-1])
    yield start, b"".join(parts)
