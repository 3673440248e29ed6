"""What was written through one node can be read through another, at once, and whatever its id."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import pytest

from tests.cluster.nodes import Cluster
from tests.system.load import event
from tests.system.servers import Server

pytestmark = pytest.mark.cluster

TIMES = 1000
ALL = "/events?start_date=2031-01-01&end_date=2032-01-01&per_page=1"
LISTED = 10  # times after which the list is read as well


def test_what_was_written_is_read_through_another_node(services: list[Server]) -> None:
    writer, reader = services[:2]
    stale: list[str] = []
    lists = 0
    for number in range(1, TIMES + 1):
        made = writer.ask("POST", "/events", event(f"r{number:05}"))
        assert made.status == 201, made.body
        read = reader.ask("GET", f"/events/{made.json['id']}")
        if read.status != 200 or linked(read.json) != linked(made.json):
            stale.append(f"{number}: {read.status} {read.body[:300]!r}")
        if number % LISTED == 0:
            lists += 1
            listed = reader.ask("GET", ALL)
            if listed.status != 200 or listed.json["total"] != number:
                stale.append(f"{number}: {listed.status} {listed.body[-300:]!r}")

    print(f"\nwritten through node 1, read through node 2: {TIMES} by id, {lists} lists, {len(stale)} stale")
    assert stale == []


def linked(found: dict[str, Any]) -> list[Any]:
    """Which event it is, and the ids of what hangs on it."""
    organizers, tags = ([record["id"] for record in found[name]] for name in ("organizer", "tags"))
    return [found["id"], found["title"], found["venue"]["id"], organizers, tags]


def test_read_waits_for_a_node_that_is_behind(cluster: Cluster, services: list[Server]) -> None:
    """Node 2 is kept from taking in what node 1 has stored, which a plain read there does not notice."""
    made = services[0].ask("POST", "/venues", {"venue": "Old"}).json["id"]
    assert services[1].ask("GET", f"/venues/{made}").json["venue"] == "Old"
    plain = "SELECT venue FROM venue WHERE id = %s"
    with (
        ThreadPoolExecutor(1) as pool,
        cluster.nodes[1].connected() as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("FLUSH TABLES WITH READ LOCK")
        changed = services[0].ask("PATCH", f"/venues/{made}", {"venue": "New"})
        cursor.execute(plain, (made,))
        behind = cursor.fetchall()
        read = pool.submit(services[1].ask, "GET", f"/venues/{made}")
        cursor.execute(plain, (made,))
        still_behind = cursor.fetchall()
        cursor.execute("UNLOCK TABLES")
        answer = read.result()

    assert changed.status == 200, changed.body
    assert (behind, still_behind) == ((("Old",),), (("Old",),))
    assert (answer.status, answer.json["venue"]) == (200, "New")


def test_what_was_changed_is_read_through_every_other_node(services: list[Server]) -> None:
    made = services[0].ask("POST", "/venues", {"venue": "Hall"}).json
    stale = []
    for number, (writer, reader) in enumerate(product(services, services)):
        changed = writer.ask("PATCH", f"/venues/{made['id']}", {"city": f"City {number}"})
        read = reader.ask("GET", f"/venues/{made['id']}")
        if (changed.status, read.json["city"]) != (200, f"City {number}"):
            stale.append((number, changed.status, read.json))

    assert stale == []


def test_ids_of_every_node_are_as_good_as_any(cluster: Cluster, services: list[Server]) -> None:
    """Each node counts its own third of the ids, so that those of one node are not next to each other."""
    answers: list[dict[str, Any]] = []
    for number, account in product(range(4), services):
        made = account.ask("POST", "/events", event(f"{account.port}n{number}"))
        assert made.status == 201, made.body
        answers.append(made.json)
    ids = [answer["id"] for answer in answers]

    assert [node.query("SELECT @@auto_increment_increment") for node in cluster.nodes] == [[(3,)]] * 3
    assert {id % 3 for id in ids} == {0, 1, 2}
    for account in services:
        read = [account.ask("GET", f"/events/{id}").json for id in ids]
        assert [(found["id"], found["title"]) for found in read] == [(a["id"], a["title"]) for a in answers]
        listed = account.ask("GET", f"/events?include={','.join(map(str, ids))}&per_page=50").json
        assert sorted(found["id"] for found in listed["events"]) == sorted(ids)
    venue, organizer = answers[0]["venue"]["id"], answers[1]["organizer"][0]["id"]
    linked = services[2].ask("PATCH", f"/events/{ids[2]}", {"venue": venue, "organizer": [organizer]}).json
    assert (linked["venue"]["id"], linked["organizer"][0]["id"]) == (venue, organizer)
    for id, account in zip(ids, [*services[1:], services[0]] * 4, strict=True):
        assert account.ask("DELETE", f"/events/{id}").status == 200
        assert services[0].ask("GET", f"/events/{id}").json["status"] == "trash"


def test_every_table_is_fit_for_a_cluster(cluster: Cluster, services: list[Server]) -> None:
    """Galera needs a primary key and InnoDB; names are told apart by every byte."""
    tables = cluster.nodes[2].query(
        "SELECT table_name, engine, table_collation FROM information_schema.tables"
        " WHERE table_schema = DATABASE()"
    )
    keyed = cluster.nodes[2].query(
        "SELECT table_name FROM information_schema.table_constraints"
        " WHERE table_schema = DATABASE() AND constraint_type = 'PRIMARY KEY'"
    )
    columns = cluster.nodes[2].query(
        "SELECT DISTINCT collation_name FROM information_schema.columns"
        " WHERE table_schema = DATABASE() AND collation_name IS NOT NULL"
    )

    assert len(tables) > 10
    assert {(engine, order) for _, engine, order in tables} == {("InnoDB", "utf8mb4_bin")}
    assert sorted(keyed) == sorted((name,) for name, _, _ in tables)
    assert columns == [("utf8mb4_bin",)]
