"""A second venue or organizer of one name is the first one, untouched (docs/interface.md#duplicates)."""

from typing import Any

import pytest

from tests.client import Client

pytestmark = pytest.mark.parametrize("noun", ["venue", "organizer"])


def posted(client: Client, noun: str, as_: str = "admin", **fields: Any) -> Any:
    return client.post(f"/{noun}s", fields, as_=as_, status=201).json


@pytest.mark.both_databases
def test_same_name_in_any_letter_case(client: Client, noun: str) -> None:
    first = posted(client, noun, **{noun: "Café Łódź"})

    for name in ("CAFÉ ŁÓDŹ", "café łódź", " Café  Łódź\n", "Cafe\u0301 <b>Łódź</b>"):
        assert posted(client, noun, "contributor", **{noun: name, "phone": "2"}) == first
    others = [posted(client, noun, **{noun: name})["id"] for name in ("Cafe Łódź", "Café", "Café Łódź 2")]

    assert len({first["id"], *others}) == client.get(f"/{noun}s", status=200).json["total"] == 4


@pytest.mark.both_databases
def test_names_that_differ_late_are_different(client: Client, noun: str) -> None:
    first, second = (posted(client, noun, **{noun: "x" * 250 + end})["id"] for end in ("a", "b"))

    assert first != second
    assert posted(client, noun, **{noun: "X" * 250 + "B"})["id"] == second


def test_same_name_and_description(client: Client, noun: str) -> None:
    one = posted(client, noun, **{noun: "Hall", "description": "<p>One</p>"})
    two = posted(client, noun, **{noun: "Hall", "description": "<p>Two</p>"})

    assert one["id"] != two["id"]
    assert posted(client, noun, **{noun: "hall", "description": "<p>Two</p>"}) == two
    assert posted(client, noun, **{noun: "hall", "description": "<p onclick='x'>one</p>"}) == one
    assert posted(client, noun, **{noun: "hall"}) == one
    assert posted(client, noun, **{noun: "hall", "description": ""}) == one
    assert posted(client, noun, **{noun: "hall", "description": "Three"})["id"] not in (one["id"], two["id"])


def test_other_fields_are_not_written_onto_the_first(client: Client, noun: str) -> None:
    first = posted(client, noun, **{noun: "Hall", "phone": "1", "website": "https://a.example.org"})
    sent: dict[str, Any] = {
        noun: "hall",
        "phone": "2",
        "website": "https://b.example.org",
        "status": "draft",
        "date": "2020-01-01",
        "author": client.ids["author"],
        "image": "https://pics.example.org/a.png",
    }

    again = posted(client, noun, **sent)

    assert again == first
    assert client.get(f"/{noun}s", status=200).json[f"{noun}s"] == [first]


def test_record_that_the_caller_may_not_read_is_not_found(client: Client, noun: str) -> None:
    """As if it were absent (docs/interface.md#visibility)."""
    hidden = posted(client, noun, **{noun: "Hall", "status": "draft", "phone": "1"})

    own = posted(client, noun, "author", **{noun: "Hall"})

    assert own["id"] != hidden["id"]
    assert "phone" not in own
    assert posted(client, noun, "author", **{noun: "hall"}) == own
    assert posted(client, noun, "editor", **{noun: "hall"}) == hidden


def test_record_in_the_trash_is_not_found(client: Client, noun: str) -> None:
    first = posted(client, noun, **{noun: "Hall"})
    client.delete(f"/{noun}s/{first['id']}", as_="admin", status=200)

    again = posted(client, noun, **{noun: "Hall"})

    assert again["id"] != first["id"]
    assert again["slug"] == "hall"


def test_renaming_to_the_name_of_another_keeps_both(client: Client, noun: str) -> None:
    hall, bar = (posted(client, noun, **{noun: name}) for name in ("Hall", "Bar"))

    renamed = client.post(f"/{noun}s/{bar['id']}", {noun: "hall"}, as_="admin", status=200).json

    assert (renamed["id"], renamed[noun], renamed["slug"]) == (bar["id"], "hall", "bar")
    assert client.get(f"/{noun}s/{hall['id']}", status=200).json[noun] == "Hall"
    assert client.get(f"/{noun}s", status=200).json["total"] == 2


def test_new_name_is_the_one_that_counts(client: Client, noun: str) -> None:
    hall = posted(client, noun, **{noun: "Hall"})
    client.patch(f"/{noun}s/{hall['id']}", {noun: "Bar"}, as_="admin", status=200)

    assert posted(client, noun, **{noun: "bar"})["id"] == hall["id"]
    assert posted(client, noun, **{noun: "hall"})["id"] != hall["id"]
