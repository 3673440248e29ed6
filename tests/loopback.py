"""Web servers on the loopback interface whose answers a test writes."""

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Mapping[str, str], bytes]


@dataclass
class Site:
    """A running server; `requests` has the path and the headers of each request, in lower case."""

    port: int
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]


@contextmanager
def serving(
    answer: Callable[[str], Answer | bytes], host: str = "127.0.0.1", port: int = 0, tls: str = ""
) -> Iterator[Site]:
    """Answer each path: status, headers and body, or bytes that are sent as they are.

    A missing Content-Length is added. `tls` is a file with a certificate and its key.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            found = answer(self.path)
            if isinstance(found, bytes):
                self.wfile.write(found)
                return
            status, headers, body = found
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer((host, port), Handler)
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    site = Site(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
