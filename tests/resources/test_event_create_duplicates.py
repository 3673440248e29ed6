"""A nested record that is there already is linked and left as it is (docs/interface.md#duplicates)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

FACTORIES = {"venue": factories.venue, "organizer": factories.organizer}
NOUNS = pytest.mark.parametrize("noun", ["venue", "organizer"])


def ids(event: dict[str, Any], noun: str) -> list[int]:
    found = event[noun]
    return [record["id"] for record in ([found] if isinstance(found, dict) else found)]


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
