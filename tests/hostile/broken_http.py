"""Requests that are no good HTTP, as bytes, most with a second request hidden in them."""

import json
from collections.abc import Iterator
from pathlib import Path

_WORDS = json.loads(Path(__file__).with_name("broken_http.json").read_text("utf-8"))
ROOT = b"/calendar/events/v1"
#: Only a smuggled request asks for it: an answer about it means that a part of a request was taken for one.
HIDDEN = b"GET " + ROOT + b"/tags/424242 HTTP/1.1\r\nHost: localhost\r\n\r\n"
_CHUNKED = b"Transfer-Encoding: chunked\r\n"


def _words(name: str) -> list[bytes]:
    """Octets, which the file holds as text of the same numbers."""
    return [word.encode("latin-1") for word in _WORDS[name]]


def _post(*headers: bytes, body: bytes = b"") -> bytes:
    return b"POST " + ROOT + b"/events HTTP/1.1\r\nHost: localhost\r\n" + b"".join(headers) + b"\r\n" + body


def _get(line: bytes = b"GET " + ROOT + b" HTTP/1.1", *headers: bytes) -> bytes:
    return line + b"\r\nHost: localhost\r\n" + b"".join(headers) + b"\r\n"


def _both_lengths() -> Iterator[bytes]:
    """A length and chunks, or two lengths: who reads which decides where the request ends."""
    for coding in _words("coding"):
        yield _post(b"Content-Length: 5\r\n", coding + b"\r\n", body=b"0\r\n\r\n" + HIDDEN)
        yield _post(coding + b"\r\n", b"Content-Length: 500\r\n", body=b"0\r\n\r\n" + HIDDEN)
        yield _post(b"Content-Length: 0\r\n", coding + b"\r\n", body=b"5\r\nhello\r\n0\r\n\r\n" + HIDDEN)


def _lengths() -> Iterator[bytes]:
    for length in _words("lengths.length"):
        yield _post(b"Content-Length: " + length + b"\r\n", body=b"hello" + HIDDEN)
    for other in _words("lengths.other"):
        yield _post(b"Content-Length: 500\r\n", other + b"\r\n", body=b"hello" + HIDDEN)


def _chunks() -> Iterator[bytes]:
    for size in _words("chunks.size"):
        yield _post(_CHUNKED, body=size + b"\r\nhello\r\n0\r\n\r\n"[: 12 if size == b"-1" else None])
    for rest in _words("chunks.rest"):
        yield _post(_CHUNKED, body=rest)


def _methods() -> Iterator[bytes]:
    for method in (b"WEBSOCKET", b"CONNECT", b"TRACE", b"PRI", b"M-SEARCH", b"$%&"):
        for path in (ROOT, b"/health", b"/nothing"):
            yield _get(method + b" " + path + b" HTTP/1.1")


def _lines() -> Iterator[bytes]:
    for line in _words("lines.line"):
        yield _get(line)


def _headers() -> Iterator[bytes]:
    for header in _words("headers.header"):
        yield _get(b"GET " + ROOT + b" HTTP/1.1", header + b"\r\n")
    yield _get(b"GET " + ROOT + b" HTTP/1.1", *(b"X-%d: y\r\n" % number for number in range(300)))
    yield (b"GET " + ROOT + b" HTTP/1.1\r\n\r\n")
    yield (b"GET " + ROOT + b" HTTP/1.1\nHost: localhost\n\n")
    yield (b"GET " + ROOT + b" HTTP/1.1\rHost: localhost\r\r")
    yield _get()[:-2]
    yield _get()[:-10]


def requests(credentials: bytes = b"") -> list[bytes]:
    """Every one different; `credentials` are header lines that every first request gets."""
    found = [*_both_lengths(), *_lengths(), *_chunks(), *_methods(), *_lines(), *_headers()]
    first = b"\r\nHost: localhost\r\n"
    return [raw.replace(first, first + credentials, 1) for raw in dict.fromkeys(found)]
