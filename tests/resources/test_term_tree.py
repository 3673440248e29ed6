"""Categories below categories: parents, cycles, and what a delete leaves (docs/interface.md#terms)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

ABSENT = 999_999


def category(client: Client, name: str, parent: int = 0) -> int:
    id: int = factories.category(client, name=name, parent=parent)["id"]
    return id


def parent_of(client: Client, id: int) -> int:
    parent: int = client.get(f"/categories/{id}", status=200).json["parent"]
    return parent


def refused(client: Client, method: str, path: str, **fields: Any) -> str:
    body = client.send(method, path, fields, as_="editor", status=400).json
    assert (body["code"], list(body["data"]["params"])) == ("rest_invalid_param", ["parent"])
    sentence: str = body["data"]["params"]["parent"]
    return sentence


def test_parent_that_is_no_category_is_refused(client: Client) -> None:
    made, tag = category(client, "music"), factories.tag(client)["id"]

    for value in ("", "music", -1, 1.5, [1], True, ABSENT, str(ABSENT), 2**63, tag):
        refused(client, "POST", "/categories", name="Jazz", parent=value)
        refused(client, "PUT", f"/categories/{made}", parent=value)

    assert parent_of(client, made) == 0


@pytest.mark.parametrize("convert", [int, str])
def test_parent_is_set_kept_and_removed(client: Client, convert: Any) -> None:
    """See docs/interface.md#terms."""
    top, below = category(client, "top"), category(client, "below")
    bodies = ({"parent": convert(top)}, {"name": "renamed"}, {"parent": convert(0)})

    answers = [client.put(f"/categories/{below}", body, as_="editor", status=200).json for body in bodies]

    assert [answer["parent"] for answer in answers] == [top, top, 0]
    assert "up" not in answers[2]["urls"]
    assert answers[2]["url"].endswith("/events/category/below/")


def test_cycle_is_refused(client: Client) -> None:
    chain = [category(client, "a")]
    chain.append(category(client, "b", chain[0]))
    chain.append(category(client, "c", chain[1]))
    other = category(client, "other")

    for id in chain:
        refused(client, "PUT", f"/categories/{chain[0]}", parent=id)
    assert [parent_of(client, id) for id in chain] == [0, chain[0], chain[1]]

    client.put(f"/categories/{chain[1]}", {"parent": other}, as_="editor", status=200)
    assert [parent_of(client, id) for id in chain] == [0, other, chain[1]]


@pytest.mark.both_databases
def test_deep_trees_are_read_and_listed(client: Client) -> None:
    names = [f"level-{number}" for number in range(30)]
    id = 0
    for name in names:
        id = category(client, name, id)
    factories.event(client, categories=[id])

    lowest = client.get(f"/categories/{id}", status=200).json
    body = client.get("/categories?per_page=50", status=200).json

    assert lowest["url"].endswith(f"/events/category/{'/'.join(names)}/")
    assert body["total"] == len(body["categories"]) == 30


@pytest.mark.both_databases
def test_delete_moves_children_up(client: Client) -> None:
    top = category(client, "top")
    middle = category(client, "middle", top)
    children = [category(client, name, middle) for name in ("x", "y")]
    grandchild = category(client, "z", children[0])

    client.delete(f"/categories/{middle}", as_="editor", status=200)
    assert [parent_of(client, id) for id in (*children, grandchild)] == [top, top, children[0]]

    client.delete(f"/categories/{top}", as_="editor", status=200)
    assert [parent_of(client, id) for id in children] == [0, 0]


@pytest.mark.both_databases
def test_delete_moves_a_child_up_beside_its_namesake(client: Client) -> None:
    top = category(client, "top")
    middle = category(client, "middle", top)
    sibling = factories.category(client, name="Jazz", parent=top)
    child = factories.category(client, name="Jazz", parent=middle)

    client.delete(f"/categories/{middle}", as_="editor", status=200)

    moved = client.get(f"/categories/{child['id']}", status=200).json
    assert (moved["name"], moved["slug"], moved["parent"]) == ("Jazz", child["slug"], top)
    assert client.get(f"/categories/{sibling['id']}", as_="editor", status=200).json == sibling
    assert (
        client.put(f"/categories/{child['id']}", {"description": "d"}, as_="editor").json["id"] == child["id"]
    )
    refusal = client.post("/categories", {"name": "jazz", "parent": top}, as_="editor", status=400).json
    assert (refusal["code"], refusal["data"]["term_id"]) == ("term_exists", sibling["id"])
