"""Changing what an event is linked to (docs/interface.md#updates, #linked-records)."""

from typing import Any

import pytest

from calendar_api.database.models import Event, EventOrganizer, EventVenue
from tests import factories
from tests.client import Client

FACTORIES = {"venue": factories.venue, "organizer": factories.organizer}
LINKS: dict[str, Any] = {"venue": EventVenue, "organizer": EventOrganizer}
NOUNS = pytest.mark.parametrize("noun", ["venue", "organizer"])
BY = pytest.mark.parametrize("by", ["id", "slug"])


def ids(event: dict[str, Any], noun: str) -> list[int]:
    found = event[noun]
    return [record["id"] for record in ([found] if isinstance(found, dict) else found)]


def put(client: Client, event: dict[str, Any], by: str = "id", **fields: Any) -> dict[str, Any]:
    path = f"/events/{event['id']}" if by == "id" else f"/events/by-slug/{event['slug']}"
    answer: dict[str, Any] = client.put(path, fields, as_="admin", status=200).json
    return answer


@pytest.mark.both_databases
@NOUNS
@BY
def test_links_are_replaced(client: Client, noun: str, by: str) -> None:
    a, b, c = (FACTORIES[noun](client)["id"] for _ in range(3))
    event = factories.event(client, "admin", **{noun: [a, b]})

    one = put(client, event, by, **{noun: c})
    two = put(client, event, by, **{noun: [b, a]})

    assert (ids(event, noun), ids(one, noun), ids(two, noun)) == ([a, b], [c], [b, a])


@NOUNS
@BY
def test_records_are_created(client: Client, noun: str, by: str) -> None:
    a = FACTORIES[noun](client)["id"]
    event = factories.event(client)

    changed = put(client, event, by, **{noun: [{noun: "A", "phone": "1"}, a, {noun: "B"}]})

    new = {record[noun]: record["id"] for record in client.get(f"/{noun}s").json[f"{noun}s"]}
    assert ids(changed, noun) == [new["A"], a, new["B"]]


@NOUNS
def test_links_are_removed_and_the_records_stay(client: Client, noun: str) -> None:
    event = factories.event(client, "admin", **{noun: [{noun: "A"}, {noun: "B"}]})

    changed = put(client, event, "id", **{noun: []})

    assert changed[noun] == []
    assert client.get(f"/{noun}s").json["total"] == 2


@NOUNS
def test_links_that_are_not_sent_stay(client: Client, noun: str) -> None:
    event = factories.event(client, "admin", **{noun: [{noun: "B"}, {noun: "A"}]})

    for fields in ({"title": "New"}, {"status": "draft"}, {"all_day": True}, {"tags": "a"}, {}):
        assert ids(put(client, event, **fields), noun) == ids(event, noun)


def test_one_kind_of_link_leaves_the_other(client: Client) -> None:
    event = factories.event(client, venue={"venue": "A"}, organizer={"organizer": "B"})

    changed = put(client, event, venue=[])

    assert (changed["venue"], ids(changed, "organizer")) == ([], ids(event, "organizer"))


@NOUNS
def test_link_to_what_is_in_the_trash_is_kept_and_comes_back(client: Client, noun: str) -> None:
    a, b = FACTORIES[noun](client)["id"], FACTORIES[noun](client)["id"]
    event = factories.event(client, "admin", **{noun: [a, b]})

    client.delete(f"/{noun}s/{a}", as_="admin", status=200)
    without = put(client, event, title="New")
    client.put(f"/{noun}s/{a}", {"status": "publish"}, as_="admin", status=200)
    again = client.get(f"/events/{event['id']}").json

    assert (ids(without, noun), ids(again, noun)) == ([b], [a, b])


@NOUNS
def test_linking_anew_forgets_what_is_in_the_trash(client: Client, noun: str) -> None:
    a, b = FACTORIES[noun](client)["id"], FACTORIES[noun](client)["id"]
    event = factories.event(client, "admin", **{noun: [a]})
    client.delete(f"/{noun}s/{a}", as_="admin", status=200)

    put(client, event, "id", **{noun: [b]})

    assert [getattr(row, f"{noun}_id") for row in LINKS[noun].select()] == [b]


@NOUNS
def test_images_of_nested_records(client: Client, noun: str) -> None:
    image = "https://images.example/a.png"
    event = factories.event(client, image=image)

    changed = put(
        client,
        event,
        "id",
        **{noun: [{noun: "A", "image": image}, {noun: "B", "image": event["image"]["id"]}]},
    )

    records = changed[noun]
    assert [record["image"] for record in records] == [event["image"]] * 2


@pytest.mark.both_databases
def test_every_write_counts_one_version(client: Client) -> None:
    event = factories.event(client)

    versions = []
    updates: tuple[dict[str, Any], ...] = (
        {"title": "New"},
        {"venue": {"venue": "A"}, "organizer": [{"organizer": "B"}], "tags": "a,b", "categories": "c"},
        {"venue": []},
        {"status": "draft", "slug": "new", "image": "https://images.example/a.png"},
    )
    for fields in updates:
        put(client, event, **fields)
        versions.append(Event.get_by_id(event["id"]).version)
    client.delete(f"/events/{event['id']}", as_="admin", status=200)
    versions.append(Event.get_by_id(event["id"]).version)
    put(client, event, status="publish")
    versions.append(Event.get_by_id(event["id"]).version)

    assert versions == [2, 3, 4, 5, 6, 7]


def test_refused_write_counts_no_version(client: Client) -> None:
    event = factories.event(client, "author")

    client.put(f"/events/{event['id']}", {"title": ""}, as_="author", status=400)
    client.put(f"/events/{event['id']}", {"title": "x"}, as_="author2", status=403)

    assert Event.get_by_id(event["id"]).version == 1
