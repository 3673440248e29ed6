"""A nested record that is there already is linked and left as it is (docs/interface.md#duplicates)."""

from typing import Any

import pytest

from calendar_api.database.models import Organizer, Venue
from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases

FACTORIES = {"venue": factories.venue, "organizer": factories.organizer}
MODELS: dict[str, Any] = {"venue": Venue, "organizer": Organizer}
NOUNS = pytest.mark.parametrize("noun", ["venue", "organizer"])


def ids(event: dict[str, Any], noun: str) -> list[int]:
    found = event[noun]
    return [record["id"] for record in ([found] if isinstance(found, dict) else found)]


@NOUNS
@pytest.mark.parametrize("name", ["The Name", "the name", "THE NAME", " The  Name ", "<b>The</b> Name"])
def test_same_name_is_the_same_record(client: Client, noun: str, name: str) -> None:
    known = FACTORIES[noun](client, **{noun: "The Name"})

    event = factories.event(client, "admin", **{noun: [{noun: name}]})

    assert ids(event, noun) == [known["id"]]
    assert client.get(f"/{noun}s").json["total"] == 1


@NOUNS
@pytest.mark.parametrize("login", ["contributor", "admin"])
def test_nothing_is_written_onto_the_record(client: Client, noun: str, login: str) -> None:
    known = FACTORIES[noun](client, "author", **{noun: "Name"}, description="Old", phone="1")
    before = client.get(f"/{noun}s/{known['id']}").json
    data = {
        noun: "NAME",
        "phone": "2",
        "website": "https://new.example",
        "status": "draft",
        "description": "old",
    }

    event = factories.event(client, login, **{noun: [data]})

    assert ids(event, noun) == [known["id"]]
    assert client.get(f"/{noun}s/{known['id']}").json == before
    assert MODELS[noun].get_by_id(known["id"]).version == 1


@NOUNS
@pytest.mark.parametrize("status", ["draft", "pending", "private", "trash"])
@pytest.mark.parametrize("login", ["author", "contributor"])
def test_hidden_record_of_another_is_never_matched(
    client: Client, noun: str, status: str, login: str
) -> None:
    hidden = FACTORIES[noun](client, "author2", **{noun: "Name"}, status=status, phone="secret")

    event = factories.event(client, login, **{noun: [{noun: "Name"}]})

    [new] = ids(event, noun)
    assert new != hidden["id"]
    assert MODELS[noun].select().count() == 2
    assert ids(client.get(f"/events/{event['id']}", as_="admin").json, noun) == [new]
    assert "secret" not in client.get(f"/events/{event['id']}", as_="admin").text


@NOUNS
def test_own_draft_is_matched(client: Client, noun: str) -> None:
    own = FACTORIES[noun](client, "contributor", **{noun: "Name"})

    event = factories.event(client, "contributor", **{noun: [{noun: "Name"}]})

    assert own["status"] == "draft"
    assert ids(event, noun) == [own["id"]]


@NOUNS
def test_same_name_twice_in_one_request_is_one_record(client: Client, noun: str) -> None:
    event = factories.event(client, "admin", **{noun: [{noun: "Name"}, {noun: "Other"}, {noun: "NAME"}]})

    found = client.get(f"/{noun}s").json[f"{noun}s"]
    by_name = {record[noun]: record["id"] for record in found}
    assert ids(event, noun) == [by_name["Name"], by_name["Other"]]
    assert len(found) == 2


@NOUNS
def test_oldest_of_several_is_taken(client: Client, noun: str) -> None:
    first = FACTORIES[noun](client, **{noun: "Name"}, description="One")
    FACTORIES[noun](client, **{noun: "Name"}, description="Two")

    event = factories.event(client, "admin", **{noun: [{noun: "Name"}]})

    assert ids(event, noun) == [first["id"]]


@NOUNS
def test_update_of_an_event_links_what_is_there(client: Client, noun: str) -> None:
    known = FACTORIES[noun](client, **{noun: "Name"})
    event = factories.event(client)

    changed = client.put(f"/events/{event['id']}", {noun: [{noun: "name"}]}, as_="admin", status=200).json

    assert ids(changed, noun) == [known["id"]]
