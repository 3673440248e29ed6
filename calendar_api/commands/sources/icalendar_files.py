"""Events of iCalendar streams (RFC 5545, RFC 7986), read one by one.

A stream is read twice, because a newer version of an event may come after it. Recurring events wait for the
end of the file, as do those in zones that are not yet defined.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple

from calendar_api.commands import CommandError, SourceError
from calendar_api.commands.sources.file_values import seekable
from calendar_api.commands.sources.icalendar_events import VERSION, EventReader, another_event
from calendar_api.commands.sources.icalendar_fields import first_values, raw
from calendar_api.commands.sources.icalendar_times import Calendar
from calendar_api.commands.sources.items import Found, Notice, Options, Problem

_LINE, _COMPONENT, _HELD = 2**18, 2**19, 2**26  # octets of a line, an event, and all events that wait
_DEFINITIONS = 500  # of time zones, different ones
_REMEMBERED, _SHOWN = 100_000, 5  # identifiers of events, to find several versions
_IDENTITY = {"UID", "RECURRENCE-ID", "DTSTART", "SUMMARY", *VERSION}
_READ = {
    "VEVENT": frozenset((
        "UID", "SUMMARY", "DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE",
        "RECURRENCE-ID", "STATUS", "CLASS", "DESCRIPTION", "X-ALT-DESC", "LOCATION", "GEO",
        "X-APPLE-STRUCTURED-LOCATION", "CATEGORIES", "ORGANIZER", "CONTACT", "URL", "IMAGE", "ATTACH",
        "X-MICROSOFT-CDO-ALLDAYEVENT", *VERSION,
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
    with seekable(stream) as source:
        yield from _Reader(library, options).read(source)


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


class _Version(NamedTuple):
    """One of several versions of an event with the same UID: the newest is the greatest."""

    sequence: int
    modified: str
    line: int
    mark: str  # start and title
    content: int

    @classmethod
    def of(cls, block: Block) -> tuple[str, "_Version"]:
        """Return what identifies the event or the occurrence, and this version of it."""
        found = first_values(block.lines, _IDENTITY)
        sequence, mark = found.get("SEQUENCE", ""), f"{found.get('DTSTART')} {found.get('SUMMARY')}"
        modified = found.get("LAST-MODIFIED") or found.get("DTSTAMP", "")
        number = int(sequence) if sequence.isdecimal() and len(sequence) < 10 else 0
        key = f"{found.get('UID') or mark} {found.get('RECURRENCE-ID', '')}"
        return key, cls(number, modified, block.line, mark, hash(tuple(block.lines)))


class _Versions:
    """Finds the newest version of each event; `count` and `uids` are of the others."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._newest: dict[str, _Version] = {}
        self.count = 0
        self.uids: list[str] = []
        for key, version in map(_Version.of, blocks):
            if key in self._newest or len(self._newest) < _REMEMBERED:
                self._newest[key] = max(version, self._newest.get(key, version))

    def newer(self, block: Block) -> _Version | None:
        """Return the version to read in place of this one, if there is one."""
        key, own = _Version.of(block)
        newest = self._newest.get(key, own)
        return newest if newest.line != own.line else None

    def leave_out(self, block: Block, newest: _Version) -> Iterator[Problem]:
        """Count a version that is not read; yield why it is none but another event."""
        _, own = _Version.of(block)
        if newest[:2] == own[:2] and newest.mark != own.mark:
            yield another_event(block.lines, f"line {block.line}")
        elif newest.content != own.content:
            self.count += 1
            uid = raw(block.lines, "UID")
            self.uids += [uid] if uid not in self.uids and len(self.uids) < _SHOWN else []

    def notices(self) -> Iterator[Notice]:
        if self.count:
            rule = "the highest SEQUENCE, then the latest LAST-MODIFIED or DTSTAMP, then the last one"
            text = f"Older versions of events with the same UID are left out: {self.count}. What counts is"
            yield Notice(f"{text} {rule}: {', '.join(self.uids)}.")


class _Divider:
    """Divides a stream into blocks, properties of a calendar with their values, problems and notices.

    The begin and the end of a calendar are like a property BEGIN or END.
    """

    def __init__(self) -> None:
        self._block: Block | None = None
        self._is_open: bool | None = None  # None before the first calendar

    def parts(self, stream: BinaryIO) -> Iterator[Block | tuple[str, str] | Found]:
        """Raises SourceError if the stream is no calendar."""
        line, is_utf8 = 0, True
        for line, octets in _lines(stream):
            text, is_cp1252 = _decoded(octets)
            if is_cp1252 and is_utf8:
                yield Notice(f"Line {line} is not UTF-8; such lines are read as Windows-1252.")
                is_utf8 = False
            head, _, value = text.partition(":")
            name, kind = head.partition(";")[0].strip().upper(), value.strip().upper()
            if name in ("BEGIN", "END"):
                yield from self._boundary(name, kind, line)
            elif self._is_open is None and name:
                break
            elif self._block:
                self._block.add(name, text)
            else:
                yield name, value.strip()
        if self._is_open is None:
            raise SourceError("The file is no calendar: that begins with BEGIN:VCALENDAR.")
        if self._is_open:
            yield from self._unfinished()
            yield "END", "VCALENDAR"
            yield Problem(f"line {line}", "The file ends before END:VCALENDAR.", remedy="Fetch it again.")

    def _boundary(self, name: str, kind: str, line: int) -> Iterator[Block | tuple[str, str] | Found]:
        """Begin or end a component."""
        block = self._block
        if kind == "VCALENDAR":
            yield from self._unfinished()
            yield name, kind
            self._is_open = name == "BEGIN"
        elif (name, kind) == ("BEGIN", "VEVENT"):
            yield from self._unfinished()
            self._block = Block(kind, line)
        elif block is None:
            self._block = Block(kind, line) if (name, kind) == ("BEGIN", "VTIMEZONE") else None
        elif (name, kind) == ("END", block.kind):
            self._block = None
            yield block
        elif name == "END":
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


class _Reader:
    """Reads a stream twice: for the newest version of each event, and for the records."""

    def __init__(self, library: Any, options: Options) -> None:
        self._events = EventReader(library, options)
        self._held: dict[str, list[tuple[Calendar, str, list[str]]]] = {}
        self._held_size = 0

    def read(self, stream: BinaryIO) -> Iterator[Found]:
        blocks = (part for part in _Divider().parts(stream) if isinstance(part, Block))
        self._versions = _Versions(block for block in blocks if block.kind == "VEVENT" and not block.problem)
        stream.seek(0)
        for part in _Divider().parts(stream):
            if isinstance(part, Block):
                yield from self._component(part)
            elif isinstance(part, tuple) and part[0] in ("BEGIN", "END"):
                self._events.begin_calendar()
            elif isinstance(part, tuple):
                self._events.calendar_property(*part)
            else:
                yield part
        for series in self._held.values():
            yield from self._events.series(series)
        yield from self._versions.notices()

    def _component(self, block: Block) -> Iterator[Found]:
        """Read a component, or keep it for the end of the file."""
        place, title = f"line {block.line}", raw(block.lines, "SUMMARY")[:80]
        if block.kind == "VTIMEZONE":
            if len(self._events.definitions) < _DEFINITIONS and not block.problem:
                self._events.define_zone(block.lines, block.inside)
        elif block.problem:
            yield Problem(place, block.problem, title, remedy="Shorten it at the source.")
        elif (newest := self._versions.newer(block)) is not None:
            yield from self._versions.leave_out(block, newest)
        elif (uid := self._events.waits_for(block.lines)) is None:
            yield from self._events.single(block.lines, place)
        elif self._held_size + block.size > _HELD:
            reason = "Too many recurring events in one file."
            yield Problem(place, reason, title, "RRULE", "Split the file.")
        else:
            self._held.setdefault(uid, []).append((self._events.calendar, place, block.lines))
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
