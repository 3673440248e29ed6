"""Requests cannot make a worker grow: cache keys have a bounded size."""

import contextlib
import http.client
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import figures
from tests.system import servers
from tests.system.servers import ROOT, Server

#: tests/middleware/test_response_cache.py asserts without a server that long requests are not cached.
pytestmark = [pytest.mark.system, pytest.mark.long]

REQUESTS = 5000 if figures.LONG else 84
FIELDS, LENGTH = 88, 8_000  # 700 KB, about the limit of gunicorn
MOST = (15 if figures.LONG else 8) * 2**20

#: Headers that the process reads; one of them is sent 88 times and arrives as one value.
NAMES = (
    "X-Forwarded-For", "Accept-Encoding", "X-Forwarded-Host", "X-Forwarded-Prefix", "Accept", "Content-Type",
    "If-None-Match", "Origin", "Authorization", "X-HTTP-Method-Override", "If-Match", "Cookie",
)  # fmt: skip
TARGETS = (
    f"{ROOT}/events", f"{ROOT}/tags?hide_empty=0", "/nowhere", f"{ROOT}/doc", f"{ROOT}/events?password=x",
)  # fmt: skip


@pytest.fixture(params=["", "127.0.0.1"], ids=["untrusted", "trusted"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    options = {"command": servers.serve, "CALENDAR_TRUSTED_PROXIES": request.param}
    with servers.running(tmp_path, "--workers", "1", **options) as started:
        for number in range(30):
            event = {"title": f"Event {number}", "start_date": "tomorrow", "end_date": "tomorrow"}
            assert started.post("/events", event).status == 201
        yield started


def send(server: Server, number: int, name: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=servers.PATIENCE)
    with contextlib.closing(connection):
        connection.putrequest("GET", TARGETS[number % len(TARGETS)])
        for field in range(FIELDS):
            value = f"{name}, gzip;q=0.{number}{field}, text/{number}.{field}, 10.{field}.{number % 250}.1, "
            connection.putheader(name, value * (LENGTH // len(value)))
        connection.endheaders()
        return connection.getresponse().status


def rss(server: Server) -> int:
    (worker,) = server.workers()
    found = re.search(r"VmRSS:\s+([0-9]+) kB", Path(f"/proc/{worker}/status").read_text())
    assert found
    return int(found[1]) * 1024


def test_large_headers_do_not_grow_a_worker(server: Server) -> None:
    for number in range(2 * len(NAMES)):
        send(server, number, NAMES[number % len(NAMES)])
    before = rss(server)

    answers = {send(server, number, NAMES[number % len(NAMES)]) for number in range(REQUESTS)}

    grown = rss(server) - before
    print(f"grown by {grown / 2**20:.1f} MiB in {REQUESTS} requests of {FIELDS * LENGTH / 1000:.0f} KB")
    assert max(answers) < 500
    assert grown <= MOST
