"""Options and streams for tests of readers."""

import io
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from hypothesis import settings

from calendar_api.commands.sources.items import Options
from tests import figures

#: For what is written and read back: `make test` tries some examples, the long form many.
EXAMPLES = settings(max_examples=1000 if figures.LONG else 30)


def options(**given: Any) -> Options:
    first, last = datetime(2026, 1, 1, tzinfo=UTC), datetime(2040, 1, 1, tzinfo=UTC)
    return Options(**{"timezone": "Europe/Berlin", "first": first, "last": last, **given})


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
