"""Statuses of venues and organizers: who lists which, and the trash with the way back.

See docs/interface.md#visibility, #trash, #scheduled-records.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.parametrize("noun", ["venue", "organizer"])


def found(client: Client, noun: str, as_: str | None, status: Any = None) -> set[int]:
    params = {} if status is None else {"status": status}
    body = client.get(f"/{noun}s", {"per_page": 50, **params}, as_=as_, status=200).json
    assert body["total"] == len(body[f"{noun}s"])
    return {record["id"] for record in body[f"{noun}s"]}


@pytest.mark.parametrize("ahead", [True, False])
@pytest.mark.parametrize("asked", ["publish", "future"])
def test_publication_date_decides_between_publish_and_future(
    client: Client, noun: str, asked: str, ahead: bool
) -> None:
    """A published record whose date lies ahead is `future` (docs/interface.md#scheduled-records)."""
    date = factories.day(10 if ahead else -10)

    record = getattr(factories, noun)(client, status=asked, date_utc=date)

    assert (record["status"], record["date_utc"]) == ("future" if ahead else "publish", date)
    assert found(client, noun, None) == (set() if ahead else {record["id"]})
    client.get(f"/{noun}s/{record['id']}", status=404 if ahead else 200)


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


def test_record_stays_in_the_trash_until_its_status_changes(client: Client, noun: str) -> None:
    record, other = made(client, noun), made(client, noun, "Bar")
    path = f"/{noun}s/by-slug/hall__trashed"

    for status in ("draft", "pending", "private", "publish"):
        trashed = client.delete(
            f"/{noun}s/{record['id']}?force=true&id={other['id']}", as_="admin", status=200
        ).json
        kept = client.patch(path, {"phone": status}, as_="admin", status=200).json
        body = client.patch(path, {"status": status}, as_="admin", status=200).json

        assert (trashed["status"], trashed["slug"]) == ("trash", "hall__trashed")
        assert (kept["status"], kept["slug"], kept["phone"]) == ("trash", "hall__trashed", status)
        assert (body["id"], body["status"], body["slug"]) == (record["id"], status, "hall")


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


@pytest.mark.both_databases
def test_restore_when_the_slug_is_taken(client: Client, noun: str) -> None:
    first = made(client, noun)
    slugs = [client.delete(f"/{noun}s/{first['id']}", as_="admin", status=200).json["slug"]]
    second = made(client, noun)
    slugs.append(client.delete(f"/{noun}s/{second['id']}", as_="admin", status=200).json["slug"])
    third = made(client, noun)

    restored = client.patch(f"/{noun}s/{first['id']}", {"status": "publish"}, as_="admin", status=200).json

    assert slugs == ["hall__trashed", "hall__trashed-2"]
    assert (second["slug"], third["slug"], restored["slug"]) == ("hall", "hall", "hall-2")
