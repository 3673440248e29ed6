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
    record = made(client, noun, phone="555")
    address = f"/{noun}s/{record['id']}"

    body = client.delete(address, as_="admin", status=200).json

    assert (body["status"], body["slug"]) == ("trash", "hall__trashed")
    changing = ("status", "slug", "url", "modified", "modified_utc")
    assert list(body) == list(record)
    assert [body[name] for name in body if name not in changing] == [
        record[name] for name in record if name not in changing
    ]


def test_trashed_record_is_listed_only_when_it_is_asked_for(client: Client, noun: str) -> None:
    record, other = made(client, noun), made(client, noun, "Bar")
    client.delete(f"/{noun}s/{record['id']}", as_="admin", status=200)

    seen = {
        (login, status): [
            one["id"]
            for one in client.get(f"/{noun}s", {"status": status} if status else {}, as_=login).json[
                f"{noun}s"
            ]
        ]
        for login, status in ((None, None), ("admin", None), ("admin", "trash"), ("author", "trash"))
    }

    assert seen == {
        (None, None): [other["id"]],
        ("admin", None): [other["id"]],
        ("admin", "trash"): [record["id"]],
        ("author", "trash"): [],
    }


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


@pytest.mark.parametrize("status", ["draft", "pending", "private", "publish"])
def test_restore_to_any_status_by_slug_too(client: Client, noun: str, status: str) -> None:
    record = made(client, noun)
    client.delete(f"/{noun}s/{record['id']}", as_="admin", status=200)

    body = client.patch(f"/{noun}s/by-slug/hall__trashed", {"status": status}, as_="admin", status=200).json

    assert (body["id"], body["status"], body["slug"]) == (record["id"], status, "hall")


def test_update_without_a_status_leaves_it_in_the_trash(client: Client, noun: str) -> None:
    record = made(client, noun)
    client.delete(f"/{noun}s/{record['id']}", as_="admin", status=200)

    body = client.patch(f"/{noun}s/{record['id']}", {"phone": "1"}, as_="admin", status=200).json

    assert (body["status"], body["slug"], body["phone"]) == ("trash", "hall__trashed", "1")


@pytest.mark.both_databases
def test_restore_when_the_slug_is_taken(client: Client, noun: str) -> None:
    first = made(client, noun)
    client.delete(f"/{noun}s/{first['id']}", as_="admin", status=200)
    second = made(client, noun)

    restored = client.patch(f"/{noun}s/{first['id']}", {"status": "publish"}, as_="admin", status=200).json

    assert (second["slug"], restored["slug"]) == ("hall", "hall-2")


@pytest.mark.both_databases
def test_two_of_one_slug_in_the_trash(client: Client, noun: str) -> None:
    slugs = []
    for _ in range(2):
        record = made(client, noun)
        slugs.append(client.delete(f"/{noun}s/{record['id']}", as_="admin", status=200).json["slug"])

    assert slugs == ["hall__trashed", "hall__trashed-2"]


def test_status_trash_in_an_update_is_the_same_as_delete(client: Client, noun: str) -> None:
    record = made(client, noun)

    body = client.patch(f"/{noun}s/{record['id']}", {"status": "trash"}, as_="admin", status=200).json

    assert (body["status"], body["slug"]) == ("trash", "hall__trashed")
    client.delete(f"/{noun}s/{record['id']}", as_="admin", status=410)


@pytest.mark.parametrize("params", [{"force": "true"}, {"id": "1"}, {"password": "x"}])
def test_parameters_of_a_delete_have_no_effect(client: Client, noun: str, params: dict[str, str]) -> None:
    record = made(client, noun)

    body = client.delete(f"/{noun}s/{record['id']}", params=params, as_="admin", status=200).json

    assert (body["id"], body["status"]) == (record["id"], "trash")
    client.get(f"/{noun}s/{record['id']}", as_="admin", status=200)
