"""Deleting venues and organizers: the trash, a second time, and back with all their links."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.parametrize("noun", ["venue", "organizer"])


def made(client: Client, noun: str, name: str = "Hall", **fields: Any) -> Any:
    return getattr(factories, noun)(client, **{noun: name}, **fields)


def nested(client: Client, noun: str, event: Any, as_: str | None = None) -> list[int]:
    """Ids of what an event shows, alone and in the list alike."""
    alone = client.get(f"/events/{event['id']}", as_=as_, status=200).json
    listed = client.get("/events", as_=as_, status=200).json["events"]
    shown = []
    for body in (alone, *(one for one in listed if one["id"] == event["id"])):
        linked = body[noun] if isinstance(body[noun], list) else [body[noun]]
        shown.append([record["id"] for record in linked])
    assert len(shown) == 2
    assert shown[0] == shown[1]
    return shown[0]


def without_change(body: Any) -> Any:
    return {name: value for name, value in body.items() if name not in ("modified", "modified_utc")}


def test_delete_moves_to_the_trash(client: Client, noun: str) -> None:
    record, other = made(client, noun, phone="555"), made(client, noun, "Bar")
    address = f"/{noun}s/{record['id']}"

    body = client.delete(f"{address}?force=true&id={other['id']}", as_="admin", status=200).json
    trashed = client.patch(f"/{noun}s/{other['id']}", {"status": "trash"}, as_="admin", status=200).json

    assert [(one["status"], one["slug"]) for one in (body, trashed)] == [
        ("trash", "hall__trashed"), ("trash", "bar__trashed"),
    ]  # fmt: skip
    changing = ("status", "slug", "url", "modified", "modified_utc")
    assert list(body) == list(record)
    assert [body[name] for name in body if name not in changing] == [
        record[name] for name in record if name not in changing
    ]
    client.get(address, as_="admin", status=200)
    for id in (record["id"], other["id"]):
        gone = client.delete(f"/{noun}s/{id}", as_="admin", status=410).json
        assert gone["code"] == f"{noun}-is-in-trash"
    assert client.get(f"/{noun}s", as_="admin").json["total"] == 0


@pytest.mark.both_databases
def test_deleted_record_disappears_from_events_and_comes_back(client: Client, noun: str) -> None:
    """The links of a deleted record come back with it (docs/interface.md#trash)."""
    hall, bar = made(client, noun), made(client, noun, "Bar")
    one = factories.event(client, **{noun: hall["id"]})
    linked: dict[str, Any] = {noun: [bar["id"], hall["id"]]}
    two = factories.event(client, **linked)

    client.delete(f"/{noun}s/{hall['id']}", as_="admin", status=200)
    for login in (None, "admin"):
        assert nested(client, noun, one, login) == []
        assert nested(client, noun, two, login) == [bar["id"]]
        assert client.get(f"/{noun}s", {"event": one["id"]}, as_=login).json[f"{noun}s"] == []

    restored = client.patch(f"/{noun}s/{hall['id']}", {"status": "publish"}, as_="admin", status=200).json

    assert without_change(restored) == without_change(hall)
    for login in (None, "admin"):
        assert nested(client, noun, one, login) == [hall["id"]]
        assert nested(client, noun, two, login) == [bar["id"], hall["id"]]


@pytest.mark.both_databases
def test_link_that_was_replaced_while_in_the_trash_does_not_come_back(client: Client, noun: str) -> None:
    hall, bar = made(client, noun), made(client, noun, "Bar")
    event = factories.event(client, **{noun: hall["id"]})
    client.delete(f"/{noun}s/{hall['id']}", as_="admin", status=200)

    client.patch(f"/events/{event['id']}", {noun: [bar["id"]]}, as_="admin", status=200)
    client.patch(f"/{noun}s/{hall['id']}", {"status": "publish"}, as_="admin", status=200)

    assert nested(client, noun, event) == [bar["id"]]


def test_restore_to_any_status_by_slug_too(client: Client, noun: str) -> None:
    record = made(client, noun)
    path = f"/{noun}s/by-slug/hall__trashed"

    for status in ("draft", "pending", "private", "publish"):
        client.delete(f"/{noun}s/{record['id']}", as_="admin", status=200)
        kept = client.patch(path, {"phone": status}, as_="admin", status=200).json
        body = client.patch(path, {"status": status}, as_="admin", status=200).json

        assert (kept["status"], kept["slug"], kept["phone"]) == ("trash", "hall__trashed", status)
        assert (body["id"], body["status"], body["slug"]) == (record["id"], status, "hall")


@pytest.mark.both_databases
def test_restore_when_the_slug_is_taken(client: Client, noun: str) -> None:
    first = made(client, noun)
    trashed = [client.delete(f"/{noun}s/{first['id']}", as_="admin", status=200).json["slug"]]
    second = made(client, noun)

    restored = client.patch(f"/{noun}s/{first['id']}", {"status": "publish"}, as_="admin", status=200).json
    others = (second, made(client, noun, "Hall", description="Other"))
    trashed += [client.delete(f"/{noun}s/{one['id']}", as_="admin").json["slug"] for one in others]

    assert (second["slug"], restored["slug"]) == ("hall", "hall-2")
    assert trashed == ["hall__trashed", "hall__trashed", "hall__trashed-2"]
