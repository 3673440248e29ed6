"""Statuses of venues and organizers: who lists which, and the trash with the way back.

See docs/interface.md#visibility, #trash, #scheduled-records.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

LOGINS = (None, "subscriber", "contributor", "author", "editor", "admin")
STORED = ("publish", "future", "draft", "pending", "private", "trash")
pytestmark = pytest.mark.parametrize("noun", ["venue", "organizer"])


def one_of_each(client: Client, noun: str, author: str) -> dict[str, int]:
    """Ids by status of records of this author."""
    made = {}
    for status in STORED:
        sent: dict[str, Any] = {"status": "publish" if status == "future" else status}
        if status == "future":
            sent["date"] = factories.day(10)
        name = {noun: f"{author} {status}"}
        record = getattr(factories, noun)(client, "admin", author=client.ids[author], **name, **sent)
        assert (record["status"], record["author"]) == (status, str(client.ids[author]))
        made[status] = record["id"]
    return made


def found(client: Client, noun: str, as_: str | None, status: Any = None) -> set[int]:
    params = {} if status is None else {"status": status}
    body = client.get(f"/{noun}s", {"per_page": 50, **params}, as_=as_, status=200).json
    assert body["total"] == len(body[f"{noun}s"])
    return {record["id"] for record in body[f"{noun}s"]}


def test_lists_show_what_the_caller_may_read(client: Client, noun: str) -> None:
    """Own ones for contributors and authors, everything but the trash for editors.

    See docs/interface.md#visibility.
    """
    own = {login: one_of_each(client, noun, login) for login in ("contributor", "author", "admin")}
    public = {made["publish"] for made in own.values()}
    everything = {id for made in own.values() for id in made.values()}

    for login in LOGINS:
        readable = (
            everything if login in ("editor", "admin") else public | set(own.get(login or "", {}).values())
        )
        trash = {made["trash"] for made in own.values()}
        assert found(client, noun, login) == readable - trash
        for status in STORED if login in ("contributor", "author", "editor") else ():
            asked = {made[status] for made in own.values()}
            assert found(client, noun, login, status) == readable & asked


def test_status_filter_with_several(client: Client, noun: str) -> None:
    ids = one_of_each(client, noun, "admin")

    for query in ("status=draft,trash", "status=draft,%20trash", "status[]=draft&status[]=trash"):
        body = client.get(f"/{noun}s?per_page=1&{query}", as_="editor", status=200).json
        second = client.get(f"/{noun}s?per_page=1&page=2&{query}", as_="editor", status=200).json

        found = {record["id"] for page in (body, second) for record in page[f"{noun}s"]}
        assert (body["total"], found) == (2, {ids["draft"], ids["trash"]})
        assert body["rest_url"].endswith(f"/{noun}s/?page=1&per_page=1&status=draft,trash")
        assert body["next_rest_url"].endswith(f"/{noun}s/?per_page=1&status=draft,trash&page=2")


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


def test_scheduled_record_is_published_now_when_asked_for_without_a_date(client: Client, noun: str) -> None:
    record = getattr(factories, noun)(client, date_utc=factories.day(10))

    published = client.patch(f"/{noun}s/{record['id']}", {"status": "publish"}, as_="admin", status=200).json

    assert published["status"] == "publish"
    assert published["date_utc"] == published["modified_utc"] < record["date_utc"]


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
