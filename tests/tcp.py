"""A line to a server that can be cut at a chosen word, as a network does at the worst moment."""

import contextlib
import select
import socket
import threading
from collections.abc import Iterator


class Line:
    """Forwards connections to `target`; `cut` says when to end one.

    `word` is looked for in what the client sends. With `delivered` the server still gets it and only its
    answer is lost; otherwise the server never hears of it. `times` connections are cut, the later ones are
    left alone; with `closed` nobody is let in any more after a cut.
    """

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.word, self.delivered, self.times, self.closed = b"", True, 0, False
        self.cuts = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def cut(self, word: bytes, *, delivered: bool, times: int = 1, closed: bool = False) -> None:
        self.word, self.delivered, self.times, self.closed = word, delivered, times, closed

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.closed and self.cuts:
                client.close()
                continue
            thread = threading.Thread(target=self._forward, args=(client,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _forward(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError), socket.create_connection(self.target) as server:
            while True:
                ready, _, _ = select.select([client, server], [], [])
                for one in ready:
                    data = one.recv(65_536)
                    if not data:
                        return
                    if one is client and self.times > self.cuts and self.word in data:
                        self.cuts += 1
                        if self.delivered:
                            server.sendall(data)
                            server.recv(65_536)
                        return
                    (server if one is client else client).sendall(data)

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@contextlib.contextmanager
def line(port: int) -> Iterator[Line]:
    made = Line(("127.0.0.1", port))
    try:
        yield made
    finally:
        made.close()
