"""A whole answer as it is remembered, and the forms in which it goes out."""

import gzip
from collections.abc import Mapping
from copy import copy
from typing import Any, Self

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

    def emptied(self) -> Self:
        """The same without its body."""
        return self.changed(b"", self.etag, {})

    def changed(self, body: bytes, etag: str, headers: Mapping[str, str]) -> Self:
        """The answer to the same request after a write, with these headers in the place of the old ones.

        Of `Link` the last one stays, which names the interface and not a page.
        """
        made = copy(self)
        made.etag, made.body, made._zipped = etag, body, None
        made.headers = []
        for name, value in self.headers:
            new = headers.get(name.lower(), value)
            if name.lower() == "link" and "link" in headers:
                root = value[value.rindex("<") :]
                new = f"{new}, {root}" if new else root
            made.headers.append((name, new))
        return made

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
