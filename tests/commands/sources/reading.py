"""Options and streams for tests of readers."""

import io
from datetime import UTC, datetime
from typing import Any

from calendar_api.commands.sources.items import Options


def options(**given: Any) -> Options:
    first, last = datetime(2026, 1, 1, tzinfo=UTC), datetime(2040, 1, 1, tzinfo=UTC)
    return Options(**{"timezone": "Europe/Berlin", "first": first, "last": last, **given})


class Pipe(io.BytesIO):
    """A stream that can be read once."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_position: int) -> int:
        raise io.UnsupportedOperation("seek")
