"""A whole answer as it is remembered, and the forms in which it goes out."""

import gzip
from typing import Any

Headers = list[tuple[str, str]]

#: Below this, compressing an answer saves no packet.
_WORTH_IT = 1024
_LEVEL = 6

#: What belongs to one request and not to the answer; each is added again for the next one.
_OF_THE_REQUEST = frozenset(
    {"x-request-id", "access-control-allow-origin", "access-control-allow-methods", "content-length", "etag"}
)


class Answer:
    """A successful GET by nobody in particular; `line` is what the log says of it."""

    __slots__ = ("_zipped", "body", "etag", "headers", "line")

    def __init__(self, headers: Headers, body: bytes, line: dict[str, Any]) -> None:
        self.etag = next((value for name, value in headers if name.lower() == "etag"), "")
        self.headers = [(name, value) for name, value in headers if name.lower() not in _OF_THE_REQUEST]
        self.body = body
        self.line = line
        self._zipped: bytes | None = None

    @property
    def size(self) -> int:
        return len(self.body) + sum(len(name) + len(value) + 100 for name, value in self.headers)

    @property
    def worth_zipping(self) -> bool:
        return len(self.body) >= _WORTH_IT

    @property
    def zipped_already(self) -> bool:
        return self._zipped is not None

    def zipped(self) -> bytes:
        """The body for clients that take gzip; made once, without a date in it, so that it stays the same."""
        if self._zipped is None:
            self._zipped = gzip.compress(self.body, _LEVEL, mtime=0)
        return self._zipped
