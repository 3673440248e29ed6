"""One node of three takes no writes: the service says so soon, and goes on by itself when it can.

A write that is refused or lost on the way is 503 with `Retry-After`; sent again with its `Idempotency-Key`,
it is stored once (docs/databases.md).
"""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from tests.cluster.nodes import Cluster
from tests.system.load import event
from tests.system.servers import PATIENCE, Answer, Server, until

pytestmark = pytest.mark.cluster

SOON = 7.0  # seconds until a write has to be answered, whatever with: about six, and one for a busy machine
SUSPECTED = 2.0, 2.3, 2.6  # seconds of silence: after 2.0 a node is suspected (`nodes.OPTIONS`)


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


def stored(accounts: list[Server], name: str) -> list[Told]:
    """The same, sent again while they are 503: a new group stores nothing for seconds."""
    deadline = time.monotonic() + PATIENCE
    found = at_once(accounts, "POST", "/events", name)
    first = sorted((one.answer.status, round(one.seconds, 1)) for one in found)
    print(f"\n{name}: {len(found)} writes at once, answered at first (status, seconds): {first}")
    for number, (account, one) in enumerate(zip([*accounts, *accounts], found, strict=True)):
        while one.answer.status == 503:
            assert int(one.answer.header("Retry-After")) > 0
            assert time.monotonic() < deadline, one.answer.body
            one = told(account, "POST", "/events", f"{name}{number}")
        assert one.answer.status == 201, one.answer.body
        found[number] = one
    return found


def check_everywhere(accounts: list[Server], cluster: Cluster, written: list[Told], *refused: str) -> None:
    """Each event is there once, read through each service and from each node; refused ones are not."""
    for one in written:
        read = [account.ask("GET", f"/events/{one.answer.json['id']}").json for account in accounts]
        assert [found["title"] for found in read] == [one.answer.json["title"]] * 3
    expected = sorted(one.answer.json["title"] for one in written)
    names = (*{title.rstrip("0123456789") for title in expected}, *(f"Event {name}" for name in refused))
    for node in cluster.nodes:
        titles = [title for (title,) in node.query("SELECT title FROM event")]
        assert sorted(title for title in titles if title.startswith(names)) == expected


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
    alone = stored(services, "alone")
    for node in others:
        node.start()
    cluster.wait(3)
    again = stored(services, "again")

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
    check_everywhere(services, cluster, [*alone, *again], "unnoticed", "known")


def test_writes_while_a_node_stands_still_are_stored_once(cluster: Cluster, services: list[Server]) -> None:
    """As on a busy machine: the others begin to exclude a node that comes back in the middle of it."""
    written = []
    for number, seconds in enumerate(SUSPECTED):
        still = cluster.nodes[2].process
        assert still is not None
        os.kill(still.pid, signal.SIGSTOP)
        going_on = threading.Timer(seconds, os.kill, (still.pid, signal.SIGCONT))
        going_on.start()
        try:
            written += stored(services, f"still {number}-")
        finally:
            going_on.join()
        cluster.wait(3)

    check_everywhere(services, cluster, written)
