"""Changing what an event is linked to (docs/interface.md#updates, #linked-records)."""

from typing import Any

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client

FACTORIES = {"venue": factories.venue, "organizer": factories.organizer}
NOUNS = pytest.mark.parametrize("noun", ["venue", "organizer"])


def ids(event: dict[str, Any], noun: str) -> list[int]:
    found = event[noun]
    return [record["id"] for record in ([found] if isinstance(found, dict) else found)]


def put(client: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.put(f"/events/{event['id']}", fields, as_="admin", status=200).json
    return answer


@pytest.mark.both_databases
@NOUNS
def test_links_are_replaced_and_removed(client: Client, noun: str) -> None:
    a, b, c = (FACTORIES[noun](client)["id"] for _ in range(3))
    event = factories.event(client, "admin", **{noun: [a, b]})

    one = put(client, event, **{noun: c})
    two = put(client, event, **{noun: [b, a]})
    new = put(client, event, **{noun: [{noun: "A", "phone": "1"}, a, {noun: "B"}]})
    none = put(client, event, **{noun: []})

    made = {record[noun]: record["id"] for record in client.get(f"/{noun}s").json[f"{noun}s"]}
    assert [ids(answer, noun) for answer in (event, one, two)] == [[a, b], [c], [b, a]]
    assert (ids(new, noun), none[noun]) == ([made["A"], a, made["B"]], [])
    assert len(made) == 5


@NOUNS
def test_links_that_are_not_sent_stay(client: Client, noun: str) -> None:
    event = factories.event(client, "admin", **{noun: [{noun: "B"}, {noun: "A"}]})

    for fields in ({"title": "New"}, {"status": "draft"}, {"all_day": True}, {"tags": "a"}, {}):
        assert ids(put(client, event, **fields), noun) == ids(event, noun)


def test_every_write_counts_one_version(client: Client) -> None:
    event = factories.event(client, "author")
    path = f"/events/{event['id']}"
    updates: tuple[dict[str, Any], ...] = (
        {"title": "New"},
        {"venue": {"venue": "A"}, "organizer": [{"organizer": "B"}], "tags": "a,b", "categories": "c"},
        {"venue": []},
        {"status": "draft", "slug": "new", "image": "https://images.example/a.png"},
        {"status": "trash"},
        {"status": "publish"},
    )

    versions = [Event.get_by_id(event["id"]).version]
    for fields in updates:
        client.put(path, {"title": ""}, as_="author", status=400)
        put(client, event, **fields)
        versions.append(Event.get_by_id(event["id"]).version)

    assert versions == [1, 2, 3, 4, 5, 6, 7]
