"""Many clients at the same moment: 64 slugs for one title, one record for one key, no count lost."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests import figures
from tests.faults import disks
from tests.system import servers
from tests.system.load import END, START, Found, Load, event, found
from tests.system.servers import Answer, Server

pytestmark = pytest.mark.system

SAME_TITLE = 64
SAME_KEY = 100
COUNTERS = 50 if figures.LONG else 12
COUNTS = 100 if figures.LONG else 8
RELOADS = 30 if figures.LONG else 4


@pytest.fixture
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    with disks.serving(tmp_path, fault=getattr(request, "param", "")) as service:
        yield service.server


def together(server: Server, bodies: list[Any], path: str = "/events", **headers: str) -> list[Answer]:
    """POST all of these at once, each on a connection of its own."""
    start = threading.Barrier(len(bodies))

    def post(body: Any) -> Answer:
        start.wait()
        return server.ask("POST", path, body, **headers)

    with ThreadPoolExecutor(len(bodies)) as pool:
        return list(pool.map(post, bodies))


def test_one_title_makes_as_many_slugs_as_events(server: Server) -> None:
    answers = together(
        server, [{"title": "The same", "start_date": START, "end_date": END} for _ in range(SAME_TITLE)]
    )
    slugs = {answer.json["slug"] for answer in answers}

    statuses = [answer.status for answer in answers]
    figures.keep("same-title", requests=SAME_TITLE, statuses=sorted(set(statuses)), slugs=len(slugs))
    assert statuses == [201] * SAME_TITLE
    assert slugs == {"the-same", *(f"the-same-{number}" for number in range(2, SAME_TITLE + 1))}


def same_key(server: Server) -> tuple[set[int], int, list[int]]:
    """Statuses, number of different responses, and totals of all records that one POST creates."""
    answers = together(server, [event("0" * 32)] * SAME_KEY, Idempotency_Key="the same")
    shown = {(answer.body, answer.header("Location"), answer.header("ETag")) for answer in answers}
    paths = ("/events?starts_after=2031-01-01", "/venues", "/organizers", "/tags")
    totals = [server.get(path).json["total"] for path in paths]
    return {answer.status for answer in answers}, len(shown), totals


def test_one_key_makes_one_record_and_one_answer(server: Server) -> None:
    statuses, answers, totals = same_key(server)

    figures.keep("same-key", requests=SAME_KEY, statuses=sorted(statuses), answers=answers, records=totals)
    assert (statuses, answers, totals) == ({201}, 1, [1, 1, 1, 2])


def test_one_key_with_different_bodies_makes_one_record(server: Server) -> None:
    bodies = [{"name": f"Category {number}"} for number in range(20)]

    answers = together(server, bodies, "/categories", Idempotency_Key="two")

    assert sorted(answer.status for answer in answers) == [201, *[422] * 19]
    assert server.get("/categories", hide_empty=0).json["total"] == 1


@pytest.mark.parametrize("server", ["nokey"], indirect=True)
def test_harness_finds_a_forgotten_key(server: Server) -> None:
    statuses, answers, totals = same_key(server)

    assert (statuses, answers, totals[0]) == ({201}, SAME_KEY, SAME_KEY)


def counting(server: Server) -> tuple[int, int, set[int]]:
    """What all clients together have counted, what the record says, and every status that was seen."""
    path = f"/venues/{server.post('/venues', {'venue': 'Counter', 'phone': '100'}).json['id']}"
    statuses = set()

    def count(_: int) -> int:
        done = 0
        while done < COUNTS:
            read = server.ask("GET", path)
            number = str(int(read.json["phone"]) + 1)
            status = server.ask("PATCH", path, {"phone": number}, If_Match=read.header("ETag")).status
            statuses.add(status)
            done += status == 200
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


def reloaded(server: Server) -> tuple[Load, Found]:
    """What all requests during some reloads were answered, and what is stored."""
    with Load(server) as load:
        for _ in range(RELOADS):
            old = set(server.workers())
            os.kill(server.process.pid, signal.SIGHUP)
            servers.until(lambda old=old: not old & set(server.workers()), server.process)
            load.more(10)
    server.stop()
    return load, found(server.database, load.acknowledged, load.tried)


def test_reloads_under_load_lose_no_request(server: Server) -> None:
    load, result = reloaded(server)

    figures.keep("reloads", reloads=RELOADS, answers=dict(load.seen), **result.figures)
    assert set(load.seen) == {"201"}
    assert result.faults == []


@pytest.mark.parametrize("server", ["nodrain"], indirect=True)
def test_harness_finds_a_reload_that_drops_requests(server: Server) -> None:
    load, _ = reloaded(server)

    figures.keep("reloads-control", answers=dict(load.seen))
    assert set(load.seen) > {"201"}


def test_first_requests_after_a_kill_come_all_at_once(tmp_path: Path) -> None:
    """32 clients meet a log that has to be recovered; those that get 503 are served when they retry."""
    with servers.running(tmp_path) as server, Load(server) as load:
        load.more(20)
        os.killpg(server.process.pid, signal.SIGKILL)
    command, port, env = servers.gunicorn(server.port), server.port, server.env
    with servers.started(command, port, env, tmp_path / "log", secret=server.secret) as again:
        answers = together(again, [event(f"{number:032x}") for number in range(32)])
        again.stop()

    assert {answer.status for answer in answers} == {201}
