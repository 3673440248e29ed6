"""One cluster for all of these tests; for each file an empty schema and three services of its own."""

import contextlib
from collections.abc import Iterator

import pytest

from tests.cluster import nodes
from tests.cluster.load import Account
from tests.cluster.nodes import Cluster
from tests.system import servers

#: Each service prefers another node, and goes on with the next.
SITE = "https://calendar.example.org"  # of all three, so that their answers are the same
ORDERS = ((1, 2, 3), (2, 3, 1), (3, 1, 2))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with nodes.started() as running:
        yield running


@pytest.fixture(scope="module")
def services(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Account]]:
    """Services on an empty schema, in the order of the nodes that they prefer."""
    cluster.wait(len(cluster.nodes))
    cluster.empty()
    folder = tmp_path_factory.mktemp("services")
    environments = [
        servers.environment(
            folder / "unused", CALENDAR_DATABASE_URL=cluster.url(*order), CALENDAR_BASE_URL=SITE
        )
        for order in ORDERS
    ]
    secret = servers.administrator(environments[0])
    with contextlib.ExitStack() as stack:
        accounts = []
        for number, env in enumerate(environments, 1):
            port = servers.free_port()
            server = servers.started(servers.serve(port), port, env, folder / f"log{number}", secret=secret)
            accounts.append(Account(stack.enter_context(server), secret))
        for account in accounts:
            running = account.server
            servers.until(lambda running=running: len(running.workers()) == 2, running.process)
        yield accounts
