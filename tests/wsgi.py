"""Requests to the application in this process, byte for byte, without the checks of `tests.client`."""

from collections.abc import Callable, Iterable
from io import BytesIO, StringIO
from typing import Any
from urllib.parse import unquote_to_bytes

Environ = dict[str, Any]
App = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
Headers = list[tuple[str, str]]


def environ(
    method: str, path: str, query: str = "", headers: dict[str, str] | None = None, body: bytes = b""
) -> Environ:
    """A request as a server passes it on; the whole path is percent-encoded."""
    found: Environ = {
        "REQUEST_METHOD": method, "SCRIPT_NAME": "", "QUERY_STRING": query,
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "SERVER_NAME": "localhost", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost", "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.input": BytesIO(body),
        "wsgi.errors": StringIO(), "wsgi.multithread": True, "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }  # fmt: skip
    for name, value in (headers or {}).items():
        key = name.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        found[key] = octets(value).decode("latin-1")
    return found


def octets(value: str) -> bytes:
    """A text as some client might send it, half a surrogate pair included."""
    return value.encode("utf-8", "surrogatepass")


def call(app: App, request: Environ) -> tuple[int, Headers, bytes]:
    """Status, headers and body of the response."""
    started: list[Any] = []

    def start_response(status: str, headers: Headers, _error: Any = None) -> None:
        started[:] = [int(status.split()[0]), headers]

    parts = app(request, start_response)
    body = b"".join(parts)
    if hasattr(parts, "close"):
        parts.close()
    status, headers = started
    return status, headers, body
