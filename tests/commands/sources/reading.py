"""Options and streams for tests of readers, and files that say what they find."""

import io
import json
from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import settings

from calendar_api.commands.sources import icalendar_files
from calendar_api.commands.sources.items import Found, Options, Reference
from tests import figures

#: Files as different programs write them, and beside each what is read of it.
DIALECTS = Path(__file__).with_name("dialects")

#: For what is written and read back: `make test` tries some examples, the long form many.
EXAMPLES = settings(max_examples=1000 if figures.LONG else 30)


def options(**given: Any) -> Options:
    first, last = datetime(2026, 1, 1, tzinfo=UTC), datetime(2040, 1, 1, tzinfo=UTC)
    return Options(**{"timezone": "Europe/Berlin", "first": first, "last": last, **given})


WINDOW = datetime(2031, 3, 1, tzinfo=UTC), datetime(2031, 12, 31, tzinfo=UTC)


def read_calendar(text: str | bytes, timezone: str = "", site: str = "") -> list[Found]:
    file = text if isinstance(text, bytes) else text.replace("\n", "\r\n").encode()
    return list(icalendar_files.read(io.BytesIO(file), Options(timezone, *WINDOW, site_timezone=site)))


def check(found: Iterable[Found], name: str, *, update: bool) -> None:
    """Compare what was read with the lines of a file in DIALECTS; `pytest --update-golden` writes them."""
    shown = [json.loads(json.dumps(_shown(one))) for one in found]
    if update:
        lines = (json.dumps(one, ensure_ascii=False) for one in shown)
        (DIALECTS / name).write_text("\n".join(lines) + "\n", "utf-8")
    expected = (DIALECTS / name).read_text("utf-8").splitlines()
    assert shown == [json.loads(line) for line in expected]


def _shown(one: Found) -> dict[str, Any]:
    values = {field.name: _plain(getattr(one, field.name)) for field in fields(one)}
    return {"is": type(one).__name__} | {name: value for name, value in values.items() if value}


def _plain(value: Any) -> Any:
    if isinstance(value, Reference):
        return {"reference": list(value)}
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


class Pipe(io.BytesIO):
    """A stream that can be read once."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_position: int) -> int:
        raise io.UnsupportedOperation("seek")


class Generated(io.RawIOBase):
    """A stream of pieces, which is never in memory as a whole; `sent` counts the bytes that were read."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self.pieces, self.rest, self.sent = iter(pieces), b"", 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.rest = self.rest or next(self.pieces, b"")
        piece, self.rest = self.rest[: len(buffer)], self.rest[len(buffer) :]
        buffer[: len(piece)] = piece
        self.sent += len(piece)
        return len(piece)
