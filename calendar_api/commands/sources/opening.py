"""Tell the format of a source, and open it with the reader of that format."""

import argparse
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import Any

from calendar_api import database
from calendar_api.commands import SourceError
from calendar_api.commands.sources.items import Found, Options
from calendar_api.domain import dates
from calendar_api.store import import_ledger

#: Format -> the module that reads it.
READERS = {"jsonl": "jsonl", "ics": "icalendar_files", "csv": "csv_files", "wxr": "wxr", "tribe": "live_site"}
_SUFFIXES = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".ics": "ics", ".ical": "ics", ".csv": "csv",
    ".tsv": "csv", ".xml": "wxr",
}  # fmt: skip
#: How content of a format always begins, in lower case.
_BEGINNINGS = {
    b"begin:vcalendar": "ics", b"<?xml": "wxr", b"<rss": "wxr", b"<!doctype html": "tribe", b"<html": "tribe",
    b'{"': "jsonl",
}  # fmt: skip
_JSON = (b"[", b"{\n", b"{\r\n", b'{"events":')  # the beginnings of JSON that is not in lines
_HEAD = 4096  # bytes that are looked at
_OK, _NOT_MODIFIED, _UNAUTHORIZED = 200, 304, 401


@dataclass(frozen=True)
class Source:
    """A source that is open.

    `address` is what the ledger knows it by. `part` tells how much was read, from 0 to 1, or None;
    `validators` are ETag and Last-Modified. An `unchanged` source says that it is as it was last time.
    """

    format: str
    address: str
    found: Iterator[Found]
    part: Callable[[], float | None] = lambda: None
    validators: tuple[str, str] = ("", "")
    unchanged: bool = False


@contextmanager
def source(arguments: argparse.Namespace, options: Options) -> Iterator[Source]:
    """Open a file, standard input or an address; raises SourceError."""
    path = arguments.source
    if path.lower().startswith(("http://", "https://", "webcal://")):
        yield _fetched(arguments, options)
        return
    try:
        # Not sys.stdin: it may have read ahead. Not /dev/stdin: another user may have opened it.
        stream = os.fdopen(os.dup(0), "rb") if path == "-" else Path(path).open("rb")  # noqa: SIM115 - closed below
        head = stream.peek(_HEAD)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    with stream:
        format = detect(head, "Standard input" if path == "-" else path, arguments.format)
        if format == "tribe":
            raise SourceError(f"{path} is a web page: give its address, or download the calendar it offers.")
        address = path if path == "-" else str(Path(path).absolute())
        yield Source(format, address, _readable(path, read(format, options, stream)), _part(stream))


def _readable(path: str, found: Iterator[Found]) -> Iterator[Found]:
    """Only what fails while the source is read is its fault, not what fails while its items are stored."""
    try:
        yield from found
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error


def _part(stream: BufferedReader) -> Callable[[], float | None]:
    """How much of a file was read."""
    status = os.fstat(stream.fileno())
    size = status.st_size if stat.S_ISREG(status.st_mode) else 0
    return lambda: stream.tell() / size if size else None


def _fetched(arguments: argparse.Namespace, options: Options) -> Source:
    """A file at an address, or a site; not fetched again if it is as the last run has read it."""
    address, file = arguments.source, arguments.remote_password_file
    try:
        password = file.read_text("utf-8").strip() if file else ""
    except (OSError, ValueError) as error:
        raise SourceError(f"{file} cannot be read.") from error
    private, delay = arguments.allow_private_addresses, arguments.delay
    remote = (address, arguments.remote_user or "", password)
    fetcher = _module("fetch").Fetcher(*remote, allow_private=private, delay=delay)
    format, validators = arguments.format, _validators(arguments)
    is_file = Path(address.partition("?")[0]).suffix.lower() in _SUFFIXES  # such as a feed of the interface
    if format is None and not is_file and _module("live_site").has_interface_path(address):
        format = "tribe"
    if format != "tribe":
        fetched = fetcher.get(address, *validators)
        if fetched.status == _NOT_MODIFIED:
            return Source(format or "", address, iter(()), unchanged=True)
        if fetched.status == _UNAUTHORIZED and arguments.remote_user:
            raise SourceError(f"{address} rejects the user or the password: give an application password.")
        if fetched.status != _OK:
            text = f"{address} answers with status {fetched.status}: check it, or download what it shows in a"
            raise SourceError(f"{text} browser and import the file. For a site, that is its WXR export.")
        format = detect(fetched.body.read(_HEAD), fetched.address, format)
        fetched.body.seek(0)
        validators = (fetched.headers["ETag"] or "", fetched.headers["Last-Modified"] or "")
    if format == "tribe":
        return Source(format, address, read(format, options, fetcher, address))
    return Source(format, address, read(format, options, fetched.body), validators=validators)


def _validators(arguments: argparse.Namespace) -> tuple[str, str]:
    """ETag and Last-Modified of the last run, unless other options or new occurrences need a new one."""
    known = database.run_read(lambda: import_ledger.find_source(arguments.source))
    other = (arguments.theirs, arguments.dry_run, arguments.timezone, arguments.category, arguments.last)
    same = arguments.status == arguments.missing == "keep" and not any(other)
    recent = dates.text(datetime.now(UTC) - timedelta(days=7))
    if known is None or not same or (known.last_run_utc or "") < recent:
        return "", ""
    return known.etag, known.last_modified


def read(format: str, options: Options, *source: object) -> Iterator[Found]:
    """Read a stream, or a site by its fetcher and address, with the reader of the format."""
    if format != "ics":  # which says itself what its times without a zone mean
        options = replace(options, timezone=options.timezone or options.site_timezone)
    found: Iterator[Found] = _module(READERS[format]).read(*source, options)
    return found


def _module(name: str) -> Any:
    return import_module(f"calendar_api.commands.sources.{name}")


def detect(head: bytes, name: str, wanted: str | None = None) -> str:
    """The format of content that begins with `head`; raises SourceError if it is certainly not `wanted`."""
    start = head[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start.startswith(_JSON):
        raise SourceError(f"{name} is one JSON document: write each record on a line, as `jq -c '.[]'` does.")
    if b"\0" in start or start.startswith(b"\x1f\x8b"):
        raise SourceError(f"{name} is not text in UTF-8: unpack an archive, save a spreadsheet as CSV.")
    certain = next((format for beginning, format in _BEGINNINGS.items() if start.startswith(beginning)), "")
    if certain and wanted not in (None, certain):
        raise SourceError(f"{name} has the format {certain}: leave out --format {wanted}.")
    line = start.partition(b"\n")[0]
    is_table = any(separator in line for separator in (b",", b";", b"\t")) and b'":' not in line
    named = _SUFFIXES.get(Path(name.partition("?")[0]).suffix.lower(), "")
    if is_table and named == "jsonl":
        named = "csv"
    guess = "jsonl" if start.startswith(b"{") else "csv" if is_table else ""
    if found := certain or wanted or named or guess:
        return found
    if not head:
        raise SourceError(f"{name} is empty.")
    raise SourceError(f"The format of {name} is not known: say --format {'|'.join(READERS)}.")
