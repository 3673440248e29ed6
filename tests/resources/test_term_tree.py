"""Categories below categories: parents, cycles, and what a delete leaves (docs/interface.md#terms)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases

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


@pytest.mark.parametrize("value", ["", "music", -1, 1.5, [1], True, ABSENT, str(ABSENT), 2**63])
def test_parent_that_is_no_category_is_refused(client: Client, value: Any) -> None:
    made = category(client, "music")

    refused(client, "POST", "/categories", name="Jazz", parent=value)
    refused(client, "PUT", f"/categories/{made}", parent=value)

    assert parent_of(client, made) == 0


def test_parent_that_is_a_tag_is_refused(client: Client) -> None:
    tag = factories.tag(client)["id"]

    refused(client, "POST", "/categories", name="Jazz", parent=tag)


@pytest.mark.parametrize("convert", [int, str])
def test_parent_is_taken_as_number_and_as_text(client: Client, convert: Any) -> None:
    top = category(client, "top")

    made = client.post("/categories", {"name": "x", "parent": convert(top)}, as_="editor", status=201)

    assert made.json["parent"] == top


@pytest.mark.parametrize("value", [0, "0"])
def test_parent_zero_makes_a_category_top_level(client: Client, value: Any) -> None:
    """See docs/interface.md#terms."""
    top = category(client, "top")
    below = category(client, "below", top)

    changed = client.put(f"/categories/{below}", {"parent": value}, as_="editor", status=200).json

    assert changed["parent"] == 0
    assert "up" not in changed["urls"]
    assert changed["url"].endswith("/events/category/below/")


def test_update_without_a_parent_keeps_it(client: Client) -> None:
    top = category(client, "top")
    below = category(client, "below", top)

    client.put(f"/categories/{below}", {"name": "renamed"}, as_="editor", status=200)

    assert parent_of(client, below) == top


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_cycle_is_refused(client: Client, depth: int) -> None:
    chain = [category(client, "a")]
    chain.append(category(client, "b", chain[0]))
    chain.append(category(client, "c", chain[1]))

    refused(client, "PUT", f"/categories/{chain[0]}", parent=chain[depth])

    assert [parent_of(client, id) for id in chain] == [0, chain[0], chain[1]]


def test_moving_sideways_is_no_cycle(client: Client) -> None:
    one, two = category(client, "one"), category(client, "two")
    below = category(client, "below", one)

    client.put(f"/categories/{one}", {"parent": two}, as_="editor", status=200)

    assert [parent_of(client, id) for id in (one, below)] == [two, one]


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


def test_delete_moves_children_up(client: Client) -> None:
    top = category(client, "top")
    middle = category(client, "middle", top)
    children = [category(client, name, middle) for name in ("x", "y")]
    grandchild = category(client, "z", children[0])

    client.delete(f"/categories/{middle}", as_="editor", status=200)

    assert [parent_of(client, id) for id in children] == [top, top]
    assert parent_of(client, grandchild) == children[0]


def test_delete_at_the_top_moves_children_to_the_top(client: Client) -> None:
    top = category(client, "top")
    child = category(client, "child", top)

    client.delete(f"/categories/{top}", as_="editor", status=200)

    assert parent_of(client, child) == 0


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


def test_delete_moves_several_namesakes_up(client: Client) -> None:
    top = category(client, "top")
    first = category(client, "first", top)
    category(client, "Jazz", top)
    second = category(client, "Jazz", first)
    third = category(client, "deep", first)
    fourth = category(client, "Jazz", third)

    client.delete(f"/categories/{third}", as_="editor", status=200)
    client.delete(f"/categories/{first}", as_="editor", status=200)

    assert [parent_of(client, id) for id in (second, fourth)] == [top, top]


def test_delete_of_a_used_category_keeps_the_other_categories_of_its_events(client: Client) -> None:
    top = category(client, "top")
    child = category(client, "child", top)
    event = factories.event(client, categories=[top, child])

    client.delete(f"/categories/{top}", as_="editor", status=200)

    read = client.get(f"/events/{event['id']}", status=200).json
    assert [(term["id"], term["parent"]) for term in read["categories"]] == [(child, 0)]


def test_parent_sent_to_a_tag_is_ignored(client: Client) -> None:
    """Unknown fields are ignored (docs/interface.md#unknown-parameters)."""
    top = category(client, "top")

    made = client.post("/tags", {"name": "x", "parent": top}, as_="editor", status=201).json

    assert "parent" not in made
    assert "up" not in made["urls"]
