"""Reloads, restarts and recycled workers behind nginx: no request fails, no acknowledged write is lost."""

import contextlib
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests import figures
from tests.faults.proxied import Busy, wait
from tests.system import proxies, servers
from tests.system.proxies import Front
from tests.system.servers import Server

TURNS = 10 if figures.LONG else 1


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return proxies.settings(tmp_path / "calendar.sqlite3")


@pytest.fixture
def front(tmp_path: Path, env: dict[str, str]) -> Iterator[Front]:
    """nginx in front of two sockets, of which one is enough."""
    proxies.require("nginx")
    secret = servers.prepared(env)
    upstreams = [f"unix:{tmp_path}/one.sock", f"unix:{tmp_path}/two.sock backup"]
    with proxies.nginx(tmp_path / "nginx", upstreams) as running:
        running.secret = secret
        yield running


def verify(front: Front, clients: Busy, name: str) -> None:
    kept: set[str] = set()
    page = pages = 1
    while page <= pages:
        client = front.site(front.host, f"127.9.{page // 250}.{page % 250 + 1}")
        found = client.get("/venues", per_page=50, page=page).json
        kept |= {venue["venue"] for venue in found["venues"]}
        page, pages = page + 1, found["total_pages"]
    figures.keep(
        f"drain-{name}", requests=clients.done, writes=len(clients.made), failed=clients.failed, turns=TURNS
    )
    assert clients.failed == []
    assert clients.made - kept == set()


def test_reload(front: Front, env: dict[str, str], tmp_path: Path) -> None:
    with proxies.behind(tmp_path / "one.sock", env, tmp_path / "log") as service:
        with Busy(front) as clients:
            for _ in range(TURNS):
                before = set(service.workers())
                service.process.send_signal(signal.SIGHUP)
                wait(lambda: len(now := set(service.workers())) >= 2 and not now & before, "new workers")  # noqa: B023
                clients.goes_on()
        verify(front, clients, "reload")


def test_restart_with_a_socket_that_stays(front: Front, env: dict[str, str], tmp_path: Path) -> None:
    """As `systemctl restart` does with socket activation: what comes meanwhile waits in the socket."""
    with proxies.unix_socket(tmp_path / "one.sock") as listener, ExitStack() as stack:
        service = stack.enter_context(proxies.activated(listener, env, tmp_path / "log"))
        with Busy(front) as clients:
            for turn in range(TURNS):
                assert service.stop() == 0
                service = stack.enter_context(proxies.activated(listener, env, tmp_path / f"log{turn}"))
                clients.goes_on()
        verify(front, clients, "restart")


def test_end_of_one_of_two(front: Front, env: dict[str, str], tmp_path: Path) -> None:
    with ExitStack() as stack:

        def start(name: str) -> Server:
            behind = proxies.behind(tmp_path / f"{name}.sock", env, tmp_path / f"{name}.log")
            return stack.enter_context(behind)

        start("two")
        service = start("one")
        with Busy(front) as clients:
            for _ in range(TURNS):
                assert service.stop() == 0
                clients.goes_on()
                service = start("one")
                clients.goes_on()
        verify(front, clients, "one-of-two")


def test_recycled_workers(front: Front, env: dict[str, str], tmp_path: Path) -> None:
    options = ("--max-requests", "40", "--max-requests-jitter", "20")
    seen: set[int] = set()
    with proxies.behind(tmp_path / "one.sock", env, tmp_path / "log", *options) as service:
        with Busy(front) as clients:
            wait(lambda: seen.update(service.workers()) or len(seen) >= 2 + 2 * TURNS, "recycled workers")
        verify(front, clients, "recycled")


@pytest.mark.long
def test_a_kill_is_seen_by_the_clients(front: Front, env: dict[str, str], tmp_path: Path) -> None:
    """It shows that the tests above can fail: nothing is drained when a process is killed."""
    with proxies.behind(tmp_path / "one.sock", env, tmp_path / "log") as service, Busy(front) as clients:
        workers = service.workers()
        service.process.kill()
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        wait(lambda: bool(clients.failed), "a failure")
