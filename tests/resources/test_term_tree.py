"""Categories below categories: parents, cycles, and what a delete leaves (docs/interface.md#terms)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client


def category(client: Client, name: str, parent: int = 0) -> int:
    id: int = factories.category(client, name=name, parent=parent)["id"]
    return id


@pytest.mark.parametrize("convert", [int, str])
def test_parent_is_set_kept_and_removed(client: Client, convert: Any) -> None:
    """See docs/interface.md#terms."""
    top, below = category(client, "top"), category(client, "below")
    bodies = ({"parent": convert(top)}, {"name": "renamed"}, {"parent": convert(0)})

    answers = [client.put(f"/categories/{below}", body, as_="editor", status=200).json for body in bodies]

    assert [answer["parent"] for answer in answers] == [top, top, 0]
    assert "up" not in answers[2]["urls"]
    assert answers[2]["url"].endswith("/events/category/below/")


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
