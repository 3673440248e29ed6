"""One cluster for all of these tests; for each file an empty schema and three services of its own."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.cluster import nodes
from tests.cluster.nodes import Cluster
from tests.system import servers
from tests.system.servers import Server

SITE = "https://calendar.example.org"  # of all three, so that their responses are equal

#: The order of the nodes in the address of each service.
EACH_ITS_OWN = ((1, 2, 3), (2, 3, 1), (3, 1, 2))
ALL_THE_SAME = ((1, 2, 3),) * 3  # as docs/databases.md advises: all write through one node


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with nodes.started() as running:
        yield running


@pytest.fixture(scope="module")
def services(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    with serving(cluster, tmp_path_factory.mktemp("services"), EACH_ITS_OWN) as running:
        yield running


@contextlib.contextmanager
def serving(cluster: Cluster, folder: Path, orders: Sequence[tuple[int, ...]]) -> Iterator[list[Server]]:
    """Start a service for each order of the nodes, on an empty schema."""
    cluster.wait(len(cluster.nodes))
    cluster.empty()
    environments = [
        servers.environment(
            folder / "unused", CALENDAR_DATABASE_URL=cluster.url(*order), CALENDAR_BASE_URL=SITE
        )
        for order in orders
    ]
    secret = servers.administrator(environments[0])
    with contextlib.ExitStack() as stack:
        running = []
        for number, env in enumerate(environments, 1):
            port = servers.free_port()
            log = folder / f"log{number}"
            started = servers.started(servers.serve(port), port, env, log, secret=secret)
            running.append(stack.enter_context(started))
        for server in running:
            servers.until(lambda server=server: len(server.workers()) == 2, server.process)
        yield running
