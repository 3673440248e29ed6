"""Hundreds of slow clients in front of nginx do not stop anybody; bare gunicorn is stopped by a few."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.front import LONG, Slow, latencies, p99, record
from tests.system import proxies, servers
from tests.system.proxies import Front

CROWDS = (
    {
        "headers": {"headers": 500},
        "body": {"body": 500},
        "both": {"headers": 500, "body": 500},
        "idle": {"idle": 1000},
    }
    if LONG
    else {"both": {"headers": 200, "body": 200}}
)
REQUESTS = 1000 if LONG else 200
ROUNDS = 1 if LONG else 4


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with proxies.site(tmp_path_factory.mktemp("slow")) as running:
        yield running


def quietest(front: Front) -> list[float]:
    """Of several rounds the one that the machine disturbed least: slow clients would be in each of them."""
    return min((latencies(front, REQUESTS) for _ in range(ROUNDS)), key=p99)


@pytest.mark.parametrize("crowd", CROWDS)
def test_slow_clients_stop_nobody(front: Front, crowd: str) -> None:
    alone = quietest(front)
    slow = [Slow(front.port, kind, count) for kind, count in CROWDS[crowd].items()]
    with ExitStack() as crowded:
        for one in slow:
            crowded.enter_context(one)
        beside = quietest(front)
        still = {one.kind: len(one.open) for one in slow}

    record(
        f"slow-clients-{crowd}",
        {"slow": still, "requests": REQUESTS, "p99_ms": p99(beside), "p99_ms_alone": p99(alone),
         "cut_by_nginx": sum(one.cut for one in slow)},
    )  # fmt: skip
    assert sum(still.values()) > 0.9 * sum(CROWDS[crowd].values())
    assert p99(beside) < max(
        50, 3 * p99(alone)
    )  # fifty is what is promised; a busy machine is slower by itself


def test_without_nginx_a_few_slow_bodies_stop_everybody(tmp_path: Path) -> None:
    """Why nginx is part of the deployment; and it shows that the test above can fail."""
    env = servers.environment(tmp_path / "calendar.sqlite3", CALENDAR_ALLOWED_HOSTS=proxies.AT_ROOT)
    servers.administrator(env)
    port = servers.free_port()
    with (
        servers.started(servers.gunicorn(port), port, env, tmp_path / "log", kind=Front) as bare,
        Slow(port, "body", 40),
    ):
        assert isinstance(bare, Front)
        bare.patience = 3
        with pytest.raises(TimeoutError):
            latencies(bare, REQUESTS)
