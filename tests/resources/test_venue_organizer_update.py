"""Changing venues and organizers: absent is unchanged, empty is cleared; publication by date; trash and back.

See docs/interface.md#updates, #trash, #scheduled-records.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client
from tests.resources.records import MODIFIED, Json, change, ids, listed, path_of, read, trash, without

LINES = {
    "venue": ("address", "city", "country", "province", "state", "zip", "phone", "stateprovince"),
    "organizer": ("phone", "email"),
}


def fields(noun: str, word: str) -> Json:
    """A value for each text of a noun."""
    lines = {name: f"{word}@example.org" if name == "email" else f"{word} {name}" for name in LINES[noun]}
    return {"description": f"<p>{word}</p>", "website": f"https://{word}.example.org/", **lines}


def full(client: Client, noun: str) -> Json:
    return getattr(factories, noun)(
        client, **{noun: "The Hall"}, **fields(noun, "old"), image="https://pics.example.org/old.png",
        date_utc="2026-01-01 10:00:00", status="private",
    )  # fmt: skip


def changed_alone(client: Client, record: Json, name: str, value: Any) -> Json:
    """The record after a change of one field, which changes no other."""
    changing = {name, *MODIFIED}
    if name in ("country", "province", "state"):
        changing.add("stateprovince")  # which was sent, and follows what it stems from
    after = change(client, record, **{name: value})
    assert without(after, *changing) == without(record, *changing)
    assert without(read(client, record, "admin"), "json_ld") == after
    return after


@pytest.mark.parametrize("noun", LINES)
def test_one_field_changes_and_the_others_stay(client: Client, noun: str) -> None:
    record = full(client, noun)
    event = factories.event(client, **{noun: record["id"]})
    flags = {"show_map": False, "show_map_link": False} if noun == "venue" else {}

    for name, value in (fields(noun, "new") | flags).items():
        record = changed_alone(client, record, name, value)
        assert record[name] == value
    assert record["date_utc"] == "2026-01-01 10:00:00" < record["modified_utc"]
    nested = read(client, event, "admin")[noun]
    assert without(nested if noun == "venue" else nested[0], "json_ld") == record


@pytest.mark.parametrize("noun", LINES)
@pytest.mark.parametrize("empty", ["", None])
def test_empty_clears_one_field(client: Client, noun: str, empty: str | None) -> None:
    """An explicit null does as well (docs/interface.md#updates)."""
    record = full(client, noun)
    for name in (*fields(noun, "old"), "image"):
        record = changed_alone(client, record, name, empty)
        assert name not in record


@pytest.mark.parametrize("noun", LINES)
def test_update_that_says_nothing_changes_nothing(client: Client, noun: str) -> None:
    record, other = full(client, noun), getattr(factories, noun)(client, **{noun: "Other"})
    for sent in ({}, {"foo": "bar"}, {"id": other["id"]}, {"slug": "other"}, {"excerpt": "Short"}):
        for address in (f"{path_of(record)}?id={other['id']}", f"/{noun}s/by-slug/{record['slug']}"):
            assert client.put(address, sent, as_="admin", status=200).json == record
    assert without(read(client, other), "json_ld") == other


# -- statuses


def made(client: Client, noun: str, name: str = "Hall") -> Any:
    return getattr(factories, noun)(client, **{noun: name})


def nested(client: Client, noun: str, event: Json, as_: str | None = None) -> list[int]:
    """Ids of what an event shows, alone and in the list alike."""
    (in_list,) = (one for one in listed(client, "/events", as_) if one["id"] == event["id"])
    shown = ids(in_list[noun])
    assert ids(read(client, event, as_)[noun]) == shown
    return shown


@pytest.mark.parametrize("asked", ["publish", "future"])
def test_publication_date_decides_between_publish_and_future(client: Client, asked: str) -> None:
    """A published record whose date lies ahead is `future`."""
    for days, status in ((10, "future"), (-10, "publish")):
        record = factories.venue(client, status=asked, date_utc=factories.day(days))
        assert (record["status"], record["date_utc"]) == (status, factories.day(days))
        client.get(path_of(record), status=404 if status == "future" else 200)
    assert listed(client, "/venues") == [record]


def test_record_stays_in_the_trash_until_its_status_changes(client: Client) -> None:
    record, other = made(client, "venue"), made(client, "venue", "Bar")
    path = "/venues/by-slug/hall__trashed"
    for status in ("draft", "pending", "private", "publish"):
        address = f"{path_of(record)}?force=true&id={other['id']}"
        trashed = client.delete(address, as_="admin", status=200).json
        kept = client.patch(path, {"phone": status}, as_="admin", status=200).json
        back = client.patch(path, {"status": status}, as_="admin", status=200).json
        assert (trashed["status"], trashed["slug"]) == ("trash", "hall__trashed")
        assert (kept["status"], kept["slug"], kept["phone"]) == ("trash", "hall__trashed", status)
        assert (back["id"], back["status"], back["slug"]) == (record["id"], status, "hall")


@pytest.mark.both_databases
@pytest.mark.parametrize("noun", LINES)
def test_deleted_record_disappears_from_events_and_comes_back(client: Client, noun: str) -> None:
    """With its links, but for those that were replaced meanwhile."""
    hall, bar = made(client, noun), made(client, noun, "Bar")
    one = factories.event(client, **{noun: hall["id"]})
    two = factories.event(client, "admin", **{noun: [bar["id"], hall["id"]]})

    trash(client, hall)
    for login in (None, "admin"):
        assert nested(client, noun, one, login) == []
        assert nested(client, noun, two, login) == [bar["id"]]
        assert listed(client, f"/{noun}s", login, event=one["id"]) == []

    three = factories.event(client, **{noun: bar["id"]})
    restored = change(client, hall, status="publish")

    assert without(restored, *MODIFIED) == without(hall, *MODIFIED)
    for login in (None, "admin"):
        assert nested(client, noun, one, login) == [hall["id"]]
        assert nested(client, noun, two, login) == [bar["id"], hall["id"]]
    trash(client, bar)
    change(client, three, **{noun: [hall["id"]]})
    change(client, bar, status="publish")
    assert nested(client, noun, three) == [hall["id"]]


@pytest.mark.both_databases
def test_restore_when_the_slug_is_taken(client: Client) -> None:
    first = made(client, "venue")
    slugs = [trash(client, first)["slug"]]
    second = made(client, "venue")
    slugs.append(trash(client, second)["slug"])
    third = made(client, "venue")
    restored = change(client, first, status="publish")
    assert slugs == ["hall__trashed", "hall__trashed-2"]
    assert (second["slug"], third["slug"], restored["slug"]) == ("hall", "hall", "hall-2")
