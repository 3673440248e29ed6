"""Which of several hosts to use: the order of the address, those that failed last for a while."""

import threading
import time

Host = tuple[str, int]

AVOIDED = 10.0  # seconds


class Hosts:
    """Shared by the threads of a process, so that what one has found out helps the others."""

    def __init__(self, hosts: tuple[Host, ...]) -> None:
        self.hosts = hosts
        self._failed: dict[Host, float] = {}
        self._lock = threading.Lock()

    def in_order(self) -> list[Host]:
        """All of them; those that failed a moment ago come last, because they may be all there is."""
        now = time.monotonic()
        with self._lock:
            bad = {host for host, since in self._failed.items() if now - since < AVOIDED}
        return sorted(self.hosts, key=lambda host: host in bad)

    def avoid(self, host: Host | None) -> None:
        if host is not None:
            with self._lock:
                self._failed[host] = time.monotonic()
