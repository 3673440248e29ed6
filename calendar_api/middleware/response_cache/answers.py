"""A whole answer as it is remembered, and the forms in which it goes out."""

import gzip
from collections.abc import Mapping, Set
from typing import Any, Self, TypeAlias

from calendar_api.domain import etags
from calendar_api.domain.etags import OMITTED_FROM_304

Headers = list[tuple[str, str]]
#: The ids of all events whose texts an answer depends on; None if it may depend on those of any.
Shown: TypeAlias = Set[int] | None

#: Below this, compressing an answer saves no packet.
_WORTH_IT = 1024
_LEVEL = 6
_HEADERS = 8000  # bytes that the headers of all forms and the key take, at most

#: What belongs to one request and not to the answer; each is added again for the next one.
_OF_THE_REQUEST = frozenset(
    {"x-request-id", "access-control-allow-origin", "access-control-allow-methods", "content-length", "etag"}
)


class Form:
    """What is sent: headers, but those of a single request, and the body; as it is, or compressed."""

    __slots__ = ("_unchanged", "body", "headers")

    def __init__(self, headers: Headers, body: bytes) -> None:
        self.headers = [*headers, ("content-length", str(len(body)))]
        self.body = body
        self._unchanged: Headers | None = None

    @property
    def unchanged(self) -> Headers:
        """The headers for a client that has the body already."""
        if self._unchanged is None:
            self._unchanged = [pair for pair in self.headers if pair[0] not in OMITTED_FROM_304]
        return self._unchanged


class CachedResponse:
    """A successful GET by nobody in particular; `line` is what the log says of it."""

    __slots__ = ("_headers", "_zipped", "etag", "line", "plain", "shows")

    def __init__(self, headers: Headers, body: bytes, line: dict[str, Any], shows: Shown) -> None:
        lower = [(name.lower(), value) for name, value in headers]
        self.line = line
        self.shows = shows
        self._headers = [pair for pair in lower if pair[0] not in _OF_THE_REQUEST]
        self._become(body, next((value for name, value in lower if name == "etag"), ""))

    def _become(self, body: bytes, etag: str) -> None:
        self.etag = etag
        self.plain = Form([*self._headers, ("etag", etag)], body)
        self._zipped: Form | None = None

    def emptied(self) -> Self:
        """The same without its body."""
        return self.changed(b"", self.etag, {}, None)

    def changed(self, body: bytes, etag: str, headers: Mapping[str, str], shows: Shown) -> Self:
        """The answer to the same request after a write, with these headers in the place of the old ones.

        Of `Link` the last one stays, which names the interface and not a page.
        """
        made = object.__new__(type(self))
        made.line = self.line
        made.shows = shows
        made._headers = [
            (name, _replaced(name, value, headers[name]) if name in headers else value)
            for name, value in self._headers
        ]
        made._become(body, etag)
        return made

    def outlives(self, changed: Set[int]) -> bool:
        """Whether it stays right when the texts of these events change, and nothing else."""
        return self.shows is not None and changed.isdisjoint(self.shows)

    @property
    def size(self) -> int:
        return len(self.plain.body) + _HEADERS

    @property
    def worth_zipping(self) -> bool:
        return len(self.plain.body) >= _WORTH_IT

    @property
    def zipped_already(self) -> bool:
        return self._zipped is not None

    @property
    def zipped(self) -> Form:
        """For clients that take gzip; made once, without a date in it, so that it stays the same."""
        if self._zipped is None:
            coded = ("content-encoding", "gzip"), ("etag", etags.gzip_etag(self.etag))
            self._zipped = Form([*self._headers, *coded], gzip.compress(self.plain.body, _LEVEL, mtime=0))
        return self._zipped


def _replaced(name: str, old: str, new: str) -> str:
    if name != "link":
        return new
    root = old[old.rindex("<") :]
    return f"{new}, {root}" if new else root
