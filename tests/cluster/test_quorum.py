"""One node of three takes no writes: the service says so soon, and goes on by itself when it can."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from tests.cluster.nodes import Cluster
from tests.system.load import event
from tests.system.servers import Answer, Server, until

pytestmark = pytest.mark.cluster

SOON = 7.0  # seconds until a write has to be answered, whatever with: about six, and one for a busy machine


@dataclass
class Told:
    answer: Answer
    seconds: float


def told(account: Server, method: str, path: str, key: str) -> Told:
    began = time.monotonic()
    fields = event(key) if method == "POST" else None
    answer = account.ask(method, path, fields, **({"Idempotency_Key": key} if fields else {}))
    return Told(answer, time.monotonic() - began)


def at_once(accounts: list[Server], method: str, path: str, name: str) -> list[Told]:
    """Two requests to each service, all at the same time."""
    asked = [(account, f"{name}{number}") for number, account in enumerate([*accounts, *accounts])]
    with ThreadPoolExecutor(len(asked)) as pool:
        return list(pool.map(lambda one: told(one[0], method, path, one[1]), asked))


def test_without_a_quorum_writes_are_refused_soon_and_taken_again_afterwards(
    cluster: Cluster, services: list[Server]
) -> None:
    left, *others = cluster.nodes
    id = services[0].ask("POST", "/events", event("before")).json["id"]
    assert left.process is not None
    for node in others:
        node.kill()
    refused = at_once(services, "POST", "/events", "unnoticed")  # the node that is left still hopes
    until(lambda: not left.in_quorum(), left.process, left.said)
    refused += at_once(services, "POST", "/events", "known")
    reads = at_once(services, "GET", f"/events/{id}", "")

    cluster.bootstrap(left)
    until(left.synced, left.process, left.said)
    alone = at_once(services, "POST", "/events", "alone")
    for node in others:
        node.start()
    cluster.wait(3)
    again = at_once(services, "POST", "/events", "again")

    slowest = max(one.seconds for one in (*refused, *reads))
    print(
        f"\ntwo of three nodes killed: {len(refused)} writes answered "
        f"{sorted({one.answer.status for one in refused})}, "
        f"{len(reads)} reads {sorted({one.answer.status for one in reads})}, slowest {slowest:.2f} s"
    )
    assert {one.answer.status for one in refused} == {503}
    assert all(int(one.answer.header("Retry-After")) > 0 for one in refused)
    assert {one.answer.status for one in reads} <= {200, 503}
    assert slowest < SOON
    for one in (*alone, *again):
        assert one.answer.status == 201, one.answer.body
        read = [account.ask("GET", f"/events/{one.answer.json['id']}").json for account in services]
        assert [found["title"] for found in read] == [one.answer.json["title"]] * 3
    titles = [title for (title,) in others[1].query("SELECT title FROM event")]
    assert sorted(titles) == sorted(
        ["Event before", *(f"Event {name}{number}" for name in ("alone", "again") for number in range(6))]
    )
