"""Many clients at the same moment: 64 slugs for one title, one record for one key, no count lost."""

import http.client
import json
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.faults import figures
from tests.faults.load import END, START, Found, Line, Load, event, found
from tests.system import servers
from tests.system.servers import Server

pytestmark = pytest.mark.system

SAME_TITLE = 64
SAME_KEY = 100
COUNTERS = 50 if figures.LONG else 12
COUNTS = 100 if figures.LONG else 8
RELOADS = 30 if figures.LONG else 4


@pytest.fixture
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    broken = getattr(request, "param", "")
    env = servers.environment(tmp_path / "calendar.sqlite3", CALENDAR_TEST_BREAK=broken)
    secret, port = servers.administrator(env), servers.free_port()
    application = "tests.faults.broken_wsgi:application" if broken else "wsgi:application"
    command = [application if part == "wsgi:application" else part for part in servers.gunicorn(port)]
    with servers.started(command, port, env, tmp_path / "log", secret=secret) as running:
        servers.until(lambda: len(running.workers()) == 2, running.process)
        yield running


def together(server: Server, bodies: list[Any], **headers: str) -> list[tuple[int, dict[str, str], bytes]]:
    """POST all of these at once, each on a connection of its own."""
    start = threading.Barrier(len(bodies))

    def post(body: Any) -> tuple[int, dict[str, str], bytes]:
        line = Line(server.port, server.secret)
        start.wait()
        try:
            return line.send("POST", "/events", body, **headers)
        finally:
            line.close()

    with ThreadPoolExecutor(len(bodies)) as pool:
        return list(pool.map(post, bodies))


def test_one_title_makes_as_many_slugs_as_events(server: Server) -> None:
    answers = together(
        server, [{"title": "The same", "start_date": START, "end_date": END} for _ in range(SAME_TITLE)]
    )
    slugs = {json.loads(body)["slug"] for _, _, body in answers}

    figures.keep(
        "same-title", requests=SAME_TITLE, statuses=sorted({a[0] for a in answers}), slugs=len(slugs)
    )
    assert [status for status, _, _ in answers] == [201] * SAME_TITLE
    assert slugs == {"the-same", *(f"the-same-{number}" for number in range(2, SAME_TITLE + 1))}


def same_key(server: Server) -> tuple[set[int], int, int]:
    answers = together(server, [event("0" * 32)] * SAME_KEY, Idempotency_Key="the same")
    stored = server.get("/events", starts_after="2031-01-01").json["total"]
    return {status for status, _, _ in answers}, len({body for _, _, body in answers}), stored


def test_one_key_makes_one_record_and_one_answer(server: Server) -> None:
    statuses, answers, stored = same_key(server)

    figures.keep("same-key", requests=SAME_KEY, statuses=sorted(statuses), answers=answers, records=stored)
    assert (statuses, answers, stored) == ({201}, 1, 1)


@pytest.mark.parametrize("server", ["nokey"], indirect=True)
def test_harness_finds_a_forgotten_key(server: Server) -> None:
    assert same_key(server) == ({201}, SAME_KEY, SAME_KEY)


def counting(server: Server) -> tuple[int, int, set[int]]:
    """What all clients together have counted, what the record says, and every status that was seen."""
    line = Line(server.port, server.secret)
    made = json.loads(line.send("POST", "/venues", {"venue": "Counter", "phone": "100"})[2])
    path, statuses = f"/venues/{made['id']}", set()
    line.close()

    def count(_: int) -> int:
        line, done = Line(server.port, server.secret), 0
        while done < COUNTS:
            _, headers, body = line.send("GET", path)
            number = int(json.loads(body)["phone"]) + 1
            status, _, _ = line.send("PATCH", path, {"phone": str(number)}, If_Match=headers["etag"])
            statuses.add(status)
            done += status == 200
        line.close()
        return done

    with ThreadPoolExecutor(COUNTERS) as pool:
        counted = sum(pool.map(count, range(COUNTERS)))
    return counted, int(server.get(path).json["phone"]) - 100, statuses


def test_no_count_is_lost(server: Server) -> None:
    counted, stored, statuses = counting(server)

    figures.keep("counters", clients=COUNTERS, counted=counted, stored=stored, statuses=sorted(statuses))
    assert stored == counted == COUNTERS * COUNTS
    assert statuses == {200, 412}


@pytest.mark.parametrize("server", ["nomatch"], indirect=True)
def test_harness_finds_lost_counts(server: Server) -> None:
    counted, stored, _ = counting(server)

    assert stored < counted


def reloaded(server: Server, database: Path) -> tuple[list[Any], Found]:
    """What all requests during some reloads were answered, and what is stored.

    Each client opens a connection for each request, as a proxy in front may.
    """
    stop, statuses, acknowledged = threading.Event(), [], {}

    def work(number: int) -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            key, line = f"{number:016x}{turn:016x}", Line(server.port, server.secret)
            try:
                status, _, body = line.send("POST", "/events", event(key), Idempotency_Key=key)
                if status == 201:
                    acknowledged[key] = json.loads(body)["id"]
            except (OSError, http.client.HTTPException) as error:
                status = repr(error)
            statuses.append(status)
            line.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(RELOADS):
            old, seen = set(server.workers()), len(statuses)
            os.kill(server.process.pid, signal.SIGHUP)
            servers.until(lambda old=old: not old & set(server.workers()), server.process)
            servers.until(lambda seen=seen: len(statuses) >= seen + 10, server.process)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    server.stop()
    return statuses, found(database, acknowledged)


def test_reloads_under_load_lose_no_request(server: Server, tmp_path: Path) -> None:
    statuses, result = reloaded(server, tmp_path / "calendar.sqlite3")

    figures.keep("reloads", reloads=RELOADS, requests=len(statuses), **result.figures)
    assert set(statuses) == {201}
    assert result.faults == []


@pytest.mark.parametrize("server", ["nodrain"], indirect=True)
def test_harness_finds_a_reload_that_drops_requests(server: Server, tmp_path: Path) -> None:
    statuses, _ = reloaded(server, tmp_path / "calendar.sqlite3")

    figures.keep("reloads-control", requests=len(statuses), unanswered=sum(one != 201 for one in statuses))
    assert 201 in statuses
    assert set(statuses) != {201}


def test_first_requests_after_a_kill_come_all_at_once(tmp_path: Path) -> None:
    """32 clients meet a log that has to be recovered; those that get 503 are served when they retry."""
    env = servers.environment(tmp_path / "calendar.sqlite3")
    secret, port = servers.administrator(env), servers.free_port()
    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log", secret=secret) as server:
        load = Load(port, secret, tmp_path / "acknowledged")
        load.more(20)
        os.killpg(server.process.pid, signal.SIGKILL)
        load.end()
    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log", secret=secret) as server:
        answers = together(server, [event(f"{number:032x}") for number in range(32)])
        server.stop()

    assert {status for status, _, _ in answers} == {201}
