"""The gunicorn worker: gthread, but slow request heads occupy no thread and errors are JSON."""

import os
import re
import selectors
import signal
import time
from concurrent.futures import Future
from functools import partial
from http import HTTPStatus
from itertools import takewhile
from socket import socket
from types import FrameType
from typing import Any

from gunicorn import glogging, util
from gunicorn.config import Config
from gunicorn.http import errors
from gunicorn.http.message import Request
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import ThreadWorker

from calendar_api.domain import json_text
from calendar_api.domain.errors import ApiError
from calendar_api.middleware import access_log
from calendar_api.middleware.arrival import arrival

HEAD_SECONDS = 10
BODY_SECONDS = 60
SEND_SECONDS = 60  # for each part of a response
CLOSE_SECONDS = 0.5  # for the client to close the connection after the last response
QUIT_SECONDS = 1.5  # for open requests after Ctrl-C; the master kills workers after 2 seconds
MAX_BUFFERED = 16_384  # bytes of a head that are read without a thread


class RequestTimeout(errors.ParseException):
    """The head or body of the request did not arrive in time."""


class Unreader(SocketUnreader):
    """Reads from a socket until `deadline`, then raises RequestTimeout.

    `arrived`: when the head of the request was read. Both are of `time.monotonic`.
    """

    deadline = arrived = 0.0

    def chunk(self, *size_hint: int | None) -> bytes:
        try:
            self.sock.settimeout(max(self.deadline - time.monotonic(), 0.001))
            return bytes(super().chunk(*size_hint))
        except TimeoutError as error:
            raise RequestTimeout from error
        finally:
            self.sock.settimeout(SEND_SECONDS)


_END_OF_HEAD = re.compile(rb"\r\n\r\n|(?<!\r)\n")  # a lone line feed ends it, too: the parser rejects it
#: Status, code and message by exception; the first match counts.
_REQUEST_ERRORS: dict[type[Exception], tuple[int, str, str]] = {
    errors.LimitRequestLine:
        (414, "rest_uri_too_long", "The request line is too long: shorten the address."),
    errors.LimitRequestHeaders: (431, "rest_headers_too_large", "Send fewer or shorter headers."),
    errors.ExpectationFailed: (417, "rest_expectation_failed", "Expect can only be 100-continue."),
    errors.UnsupportedTransferCoding:
        (501, "rest_transfer_coding_unknown", "Transfer-Encoding can only be chunked."),
    RequestTimeout: (408, "rest_request_timeout", "The request took too long to arrive: send it again."),
    errors.ParseException:
        (400, "rest_bad_request",
         "The request must be valid HTTP/1.1, with an address in ASCII: é is %C3%A9, a blank %20."),
}  # fmt: skip
_CRASH_TEXT = "Something went wrong in the server; its log says what, under this request id."
_CRASH = (500, "internal_server_error", _CRASH_TEXT)
_HEADERS = {
    "Connection": "close",
    "Content-Type": "application/json; charset=UTF-8",
    "Cache-Control": "private, no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}


class ServerLog(glogging.Logger):
    """Gunicorn's log, in the format of the log of requests."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        access_log.configure_logging()


class Worker(ThreadWorker):
    """Buffers request heads in the main thread; a connection gets a thread when its head is complete."""

    pending_conns: Any
    wsgi: Any
    quits = False

    def init_signals(self) -> None:
        """Ignore SIGINT: a terminal sends it to every process, and the master tells its workers to quit."""
        super().init_signals()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, lambda *_: os._exit(0))

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:
        """Answer open requests, for QUIT_SECONDS at most, and close connections without one.

        Gunicorn's handler takes locks of the thread pool, which a second signal would find locked for ever.
        """
        self.quits = True
        signal.setitimer(signal.ITIMER_REAL, QUIT_SECONDS)
        self.handle_exit(sig, frame)

    def enqueue_req(self, conn: Any) -> None:
        if self.cfg.is_ssl or self.cfg.http_protocols != ["h1"]:  # TLS and HTTP/2 need a thread at once
            super().enqueue_req(conn)
            return
        if not conn.initialized:
            conn.init()
            conn.parser.unreader = Unreader(conn.sock)
        conn.timeout = conn.parser.unreader.deadline = time.monotonic() + HEAD_SECONDS
        if self._head_arrived(conn):
            super().enqueue_req(conn)
            return
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def on_pending_socket_readable(self, conn: Any, client: socket) -> None:
        if self._head_arrived(conn):
            self.poller.unregister(client)
            self.pending_conns.remove(conn)
            super().enqueue_req(conn)

    def _head_arrived(self, conn: Any) -> bool:
        """Read without blocking. True if a thread can handle the request, also to report an error."""
        conn.sock.setblocking(False)
        buffer = conn.parser.unreader.buf
        try:
            data = conn.sock.recv(8192)
        except BlockingIOError:
            data = None
        except OSError:  # the thread meets it, too
            data = b""
        if data:
            buffer.seek(0, os.SEEK_END)
            buffer.write(data)
        head = buffer.getvalue()
        conn.parser.unreader.arrived = time.monotonic()
        return data == b"" or len(head) > MAX_BUFFERED or _END_OF_HEAD.search(head) is not None

    def murder_pending(self) -> None:
        now = time.monotonic()
        for conn in takewhile(lambda conn: conn.timeout <= now, self.pending_conns):
            if conn.parser.unreader.buf.getvalue():
                self.handle_error(None, conn.sock, conn.client, RequestTimeout())
        super().murder_pending()

    def _cap_keepalive(self, deadline: float) -> None:
        """Called once, when the worker begins to end and does not accept connections any more."""
        self._accept_waiting()
        if self.quits:
            deadline = 0.0
            self.method_queue.defer(lambda: None)  # look at the deadlines now, not in a second
        super()._cap_keepalive(deadline)  # type: ignore[misc]  # newer than the stubs
        for conn in self.pending_conns:
            conn.timeout = min(conn.timeout, deadline)

    def _accept_waiting(self) -> None:
        """Accept the connections that wait in the sockets: closing the sockets would reset them."""
        for listener in self.sockets:
            before = -1
            while before != self.nr_conns:
                before = self.nr_conns
                self.accept(listener)
            listener.close()  # another process may have the same socket open, and accept later ones

    def handle(self, conn: Any) -> bool:
        keepalive = super().handle(conn)
        if not keepalive:
            util.close_graceful(conn.sock, timeout=CLOSE_SECONDS)  # blocks, so not in the main thread
        return keepalive

    def finish_request(self, conn: Any, fs: "Future[bool]") -> None:
        if fs.cancelled() or fs.exception() or fs.result():
            super().finish_request(conn, fs)
        else:
            self.nr_conns -= 1

    def handle_request(self, req: Request, conn: Any) -> bool:
        conn.sock.settimeout(SEND_SECONDS)
        if isinstance(conn.parser.unreader, Unreader):
            conn.parser.unreader.deadline = time.monotonic() + BODY_SECONDS
            arrival.time = conn.parser.unreader.arrived
        try:
            return super().handle_request(req, conn)
        except TimeoutError:
            return False  # the client does not read the response

    def _keepalive_after(self, conn: Any, keepalive: bool) -> bool:
        try:
            return bool(super()._keepalive_after(conn, keepalive))  # type: ignore[misc]  # newer than the stubs
        except errors.ParseException:
            return False  # the rest of the body is malformed; the response was already sent

    def handle_error(self, req: Request | None, client: socket, addr: object, exc: BaseException) -> None:
        """Send an error like those of the application; it quotes nothing of the request.

        `req` is None if the head was invalid; otherwise the application failed.
        """
        request = access_log.request_id()
        known = (error for kind, error in _REQUEST_ERRORS.items() if req is None and isinstance(exc, kind))
        status, code, text = next(known, _CRASH)
        data = {"request_id": request} if status >= 500 else {}
        content = json_text.encode(ApiError(text, code=code, status=status, data=data).body()).encode()
        if status == 500:
            self.log.error("request %s failed", request, exc_info=exc)
        if getattr(self.wsgi, "log", None) is not None:
            address = addr[0] if isinstance(addr, tuple) else None
            self.wsgi.log(request=request, status=status, address=address, error=code, bytes=len(content))
        headers = {**_HEADERS, "X-Request-Id": request, "Content-Length": str(len(content))}
        lines = [f"{name}: {value}" for name, value in headers.items()]
        head = "\r\n".join([f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *lines, "", ""])
        try:
            util.write_nonblock(client, head.encode("latin-1") + content)
        except OSError:
            self.log.debug("The client did not read the error response.")
