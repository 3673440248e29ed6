"""Venues and organizers of an event in every form, new or known.

See docs/interface.md#linked-records, #duplicates.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

FACTORIES = {"venue": factories.venue, "organizer": factories.organizer}
NOUNS = pytest.mark.parametrize("noun", ["venue", "organizer"])
DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}


def linked(event: dict[str, Any], noun: str) -> list[dict[str, Any]]:
    """The linked records as a list, whatever their number."""
    found = event[noun]
    return [found] if isinstance(found, dict) else list(found)


def ids(event: dict[str, Any], noun: str) -> list[int]:
    return [record["id"] for record in linked(event, noun)]


@NOUNS
def test_one_id_in_every_form(client: Client, noun: str) -> None:
    id = FACTORIES[noun](client)["id"]
    forms: list[Any] = [
        id, f" {id} ", {"id": id}, {"id": str(id)}, [str(id)], [{"id": id}], f"{id},", [id, id],
        [{"id": id}, id], f"{id},{id}", {"id": id, noun: "Ignored", "phone": "1"},
    ]  # fmt: skip

    made = [ids(factories.event(client, **{noun: form}), noun) for form in forms]

    assert made == [[id]] * len(forms)
    assert "phone" not in client.get(f"/{noun}s/{id}").json


@pytest.mark.both_databases
@NOUNS
def test_several_ids_keep_their_order(client: Client, noun: str) -> None:
    a, b, c = (FACTORIES[noun](client)["id"] for _ in range(3))
    forms: list[Any] = [
        [c, a, b], [str(c), a, str(b)], f"{c},{a},{b}", f" {c} , {a} ,{b}", [{"id": c}, a, {"id": str(b)}],
        [c, a, c, b, a],
    ]  # fmt: skip

    made = [factories.event(client, **{noun: form}) for form in forms]

    assert [ids(event, noun) for event in made] == [[c, a, b]] * len(forms)
    assert [ids(client.get(f"/events/{event['id']}").json, noun) for event in made] == [[c, a, b]] * len(
        forms
    )


@NOUNS
def test_empty_means_none(client: Client, noun: str) -> None:
    """A venue is unlinked as well (docs/interface.md#linked-records)."""
    id = FACTORIES[noun](client)["id"]

    for empty in (None, "", 0, "0", [], {}, False):
        event = factories.event(client, "admin", **{noun: id})
        changed = client.put(f"/events/{event['id']}", {noun: empty}, as_="admin", status=200).json
        assert (factories.event(client, "admin", **{noun: empty})[noun], changed[noun]) == ([], [])

    assert client.get(f"/{noun}s").json["total"] == 1


@NOUNS
def test_nested_data_keeps_the_rules_of_its_noun(client: Client, noun: str) -> None:
    wrong: list[tuple[str, Any]] = [
        ("website", "nowhere"), ("date", "never"), ("status", "any"), ("image", "nothing"),
        ("author", 999_999), ("image", 999_999), ("phone", 5),
    ]  # fmt: skip
    for field, value in wrong:
        body = {"title": "x", **DATES, noun: [{noun: "Good"}, {noun: "Bad", field: value}]}

        response = client.post("/events", body, as_="admin", status=400)

        assert response.json["code"] == f"could-not-create-{noun}"
        assert response.json["data"]["params"][noun].startswith(f"{noun}: {field} must be")
    assert client.get(f"/{noun}s", as_="admin").json["total"] == 0


@NOUNS
def test_code_names_the_nested_record_only_when_nothing_else_is_wrong(client: Client, noun: str) -> None:
    """So that a client that sends the event again without it is not refused again."""
    event = {"title": "x", **DATES}
    for bad in ({noun: "Bad", "website": "nobody"}, {noun: "Bad", "author": 999_999}):
        for body in (
            {noun: {"phone": "1"}},
            {noun: 999_999},
            {noun: bad, "image": "x"},
            {noun: bad, "author": 999_999},
        ):
            refused = client.post("/events", event | body, as_="admin", status=400)
            assert refused.json["code"] == "rest_invalid_param"
        lacking = client.post("/events", {noun: bad}, as_="admin", status=400)
        assert lacking.json["code"] == "rest_missing_callback_param"

        both = client.post(
            "/events", event | {"venue": {"venue": ""}, noun: bad}, as_="admin", status=400
        ).json
        assert both["code"] in ("could-not-create-venue", "could-not-create-organizer")
        assert set(both["data"]["params"]) == {"venue", noun}


@pytest.mark.both_databases
@NOUNS
def test_same_name_is_the_same_record(client: Client, noun: str) -> None:
    known = FACTORIES[noun](client, "author", **{noun: "The Name"}, description="Old", phone="1")
    before = client.get(f"/{noun}s/{known['id']}").json

    for name in ("The Name", "THE NAME", " The  Name ", "<b>The</b> Name"):
        data = {noun: name, "phone": "2", "status": "draft", "description": "old"}
        assert ids(factories.event(client, "contributor", **{noun: [data]}), noun) == [known["id"]]

    assert client.get(f"/{noun}s", as_="admin").json["total"] == 1
    assert client.get(f"/{noun}s/{known['id']}").json == before


@NOUNS
@pytest.mark.parametrize("status", ["draft", "private", "trash"])
def test_hidden_record_of_another_is_never_matched(client: Client, noun: str, status: str) -> None:
    hidden = FACTORIES[noun](client, "author2", **{noun: "Name"}, status=status, phone="secret")

    event = factories.event(client, "author", **{noun: [{noun: "Name"}]})

    [new] = ids(event, noun)
    assert new != hidden["id"]
    assert client.get(f"/{noun}s?status=publish,draft,private,trash", as_="admin").json["total"] == 2
    read = client.get(f"/events/{event['id']}", as_="admin")
    assert ids(read.json, noun) == [new]
    assert "secret" not in read.text


@NOUNS
def test_same_name_twice_in_one_request_is_one_record(client: Client, noun: str) -> None:
    event = factories.event(client, "admin", **{noun: [{noun: "Name"}, {noun: "Other"}, {noun: "NAME"}]})

    found = client.get(f"/{noun}s").json[f"{noun}s"]
    by_name = {record[noun]: record["id"] for record in found}
    assert ids(event, noun) == [by_name["Name"], by_name["Other"]]
    assert len(found) == 2
