"""Several processes with a cache, and a writer: no read returns an older state than the last write."""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.faults import figures
from tests.system import servers
from tests.system.servers import Server

pytestmark = pytest.mark.system

WORKERS, READERS = 4, 4
READS = 20_000 if figures.LONG else 800


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """Four workers with two threads each; the parameter is the fault to put in."""
    broken = getattr(request, "param", "")
    env = servers.environment(
        tmp_path / "data" / "calendar.sqlite3", CALENDAR_TEST_BREAK=broken, CALENDAR_LOG="off"
    )
    secret, port = servers.administrator(env), servers.free_port()
    module = "tests.faults.broken_wsgi:application" if broken else "wsgi:application"
    command = [
        sys.executable, "-m", "gunicorn", module, "--bind", f"127.0.0.1:{port}", "--workers", str(WORKERS),
        "--threads", "2", "--worker-class", "gthread",
    ]  # fmt: skip
    with servers.started(command, port, env, tmp_path / "log", secret=secret) as running:
        servers.until(lambda: len(running.workers()) == WORKERS, running.process)
        yield running


def read_while_written(server: Server) -> dict[str, int]:
    """Reads of a list and of a record while its title counts up; a stale one shows less than it must."""
    made = server.post("/events", {"title": "1", "start_date": "tomorrow", "end_date": "tomorrow"}).json
    paths = ("/events", f"/events/{made['id']}", f"/events?starts_after=2001-01-01&include={made['id']}")
    acknowledged, done = [1], threading.Event()

    def write() -> None:
        while not done.is_set():
            number = acknowledged[0] + 1
            # A title alone, and one with what lists are filtered by.
            more = {"featured": number % 10 == 0} if number % 5 == 0 else {}
            assert server.post(f"/events/{made['id']}", {"title": str(number), **more}).status == 200
            acknowledged[0] = number

    def read(reader: int) -> int:
        stale = 0
        for number in range(READS // READERS):
            known = acknowledged[0]
            answer = server.get(paths[(number + reader) % len(paths)]).json
            shown = answer["events"][0] if "events" in answer else answer
            stale += int(shown["title"]) < known
        return stale

    with ThreadPoolExecutor(READERS + 1) as pool:
        writer = pool.submit(write)
        stale = sum(pool.map(read, range(READERS)))
        done.set()
        writer.result()
    return {"reads": READS, "stale": stale, "writes": acknowledged[0]}


def test_no_read_is_stale(server: Server) -> None:
    found = read_while_written(server)

    figures.keep("coherence", **found)
    assert found["stale"] == 0
    assert found["writes"] > 20


@pytest.mark.long
@pytest.mark.parametrize("server", ["stale"], indirect=True)
def test_harness_finds_a_cache_that_drops_nothing(server: Server) -> None:
    assert read_while_written(server)["stale"] > 0
