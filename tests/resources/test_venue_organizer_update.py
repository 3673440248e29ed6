"""Changing venues and organizers: absent is unchanged, empty is cleared, every method and address alike."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

LINES = {
    "venue": ("address", "city", "country", "province", "state", "zip", "phone", "stateprovince"),
    "organizer": ("phone",),
}
NEW: dict[str, dict[str, Any]] = {
    "venue": {
        "description": "<p>New</p>",
        "address": "2 Side",
        "city": "Paris",
        "country": "France",
        "province": "Ile de France",
        "state": "IDF",
        "zip": "75001",
        "phone": "777",
        "stateprovince": "Elsewhere",
        "website": "https://new.example.org/",
        "show_map": False,
        "show_map_link": False,
    },
    "organizer": {
        "description": "<p>New</p>",
        "phone": "777",
        "website": "https://new.example.org/",
        "email": "new@example.org",
    },
}
OLD: dict[str, dict[str, Any]] = {
    "venue": {
        "description": "<p>Old</p>",
        **{name: f"old {name}" for name in LINES["venue"]},
        "website": "https://old.example.org/",
        "image": "https://pics.example.org/old.png",
        "date_utc": "2026-01-01 10:00:00",
        "status": "private",
    },
    "organizer": {
        "description": "<p>Old</p>",
        "phone": "old phone",
        "website": "https://old.example.org/",
        "email": "old@example.org",
        "image": "https://pics.example.org/old.png",
        "date_utc": "2026-01-01 10:00:00",
        "status": "private",
    },
}
CLEARED = [
    (noun, name)
    for noun, names in LINES.items()
    for name in (*names, "website", "description", "image", *(["email"] if noun == "organizer" else []))
]
BOTH = ("venue", "organizer")

both = pytest.mark.parametrize("noun", BOTH)


def full(client: Client, noun: str, **fields: Any) -> Any:
    return getattr(factories, noun)(client, **{noun: "The Hall", **OLD[noun], **fields})


def read(client: Client, noun: str, id: int) -> Any:
    body = client.get(f"/{noun}s/{id}", as_="admin", status=200).json
    return without(body, "json_ld")


def without(body: Any, *names: str) -> Any:
    return {name: value for name, value in body.items() if name not in names}


@pytest.mark.parametrize(("noun", "name"), [(noun, name) for noun in BOTH for name in NEW[noun]])
def test_one_field_changes_and_the_others_stay(client: Client, noun: str, name: str) -> None:
    """`stateprovince`, which was sent, follows the fields that it stems from (docs/interface.md#updates)."""
    record = full(client, noun)
    changing = {name, "modified", "modified_utc"}
    if name in ("country", "province", "state"):
        changing.add("stateprovince")

    body = client.patch(f"/{noun}s/{record['id']}", {name: NEW[noun][name]}, as_="admin", status=200).json

    assert body[name] == NEW[noun][name]
    assert without(body, *changing) == without(record, *changing)


@pytest.mark.parametrize(("noun", "name"), CLEARED)
@pytest.mark.parametrize("empty", ["", None])
def test_empty_clears_one_field(client: Client, noun: str, name: str, empty: str | None) -> None:
    """An explicit null does as well (docs/interface.md#updates)."""
    record = full(client, noun)
    changing = {name, "modified", "modified_utc"}
    if name in ("country", "province", "state"):
        changing.add("stateprovince")

    body = client.patch(f"/{noun}s/{record['id']}", {name: empty}, as_="admin", status=200).json

    assert name in record
    assert name not in body
    assert without(body, *changing) == without(record, *changing)
    assert read(client, noun, record["id"]) == body


@both
def test_update_that_says_nothing_changes_nothing(client: Client, noun: str) -> None:
    record = full(client, noun)

    for sent in ({}, {"foo": "bar"}, {"id": 999_999}, {"slug": "other"}, {"excerpt": "Short"}):
        body = client.put(f"/{noun}s/{record['id']}", sent, as_="admin", status=200).json
        assert body == record


@both
def test_path_decides_which_record_is_changed(client: Client, noun: str) -> None:
    """Neither `id` nor `slug` of a body names the record (docs/interface.md#bodies)."""
    hall, bar = (getattr(factories, noun)(client, **{noun: name}) for name in ("Hall", "Bar"))
    aim = {"id": bar["id"], "slug": "bar", "phone": "1"}

    for address in (f"/{noun}s/{hall['id']}", f"/{noun}s/by-slug/hall"):
        assert client.patch(address, aim, as_="admin", status=200).json["id"] == hall["id"]
    assert client.patch(f"/{noun}s/{hall['id']}?id={bar['id']}", {}, as_="admin").json["id"] == hall["id"]

    assert read(client, noun, bar["id"]) == bar


@both
def test_modification_date_moves_and_publication_date_does_not(client: Client, noun: str) -> None:
    record = full(client, noun)

    body = client.patch(f"/{noun}s/{record['id']}", {"phone": "1"}, as_="admin", status=200).json

    assert body["date_utc"] == "2026-01-01 10:00:00"
    assert body["date_utc"] < record["modified_utc"] <= body["modified_utc"]


@both
def test_update_is_seen_in_the_events(client: Client, noun: str) -> None:
    record = getattr(factories, noun)(client)
    event = factories.event(client, **{noun: record["id"]})

    body = client.patch(f"/{noun}s/{record['id']}", {"phone": "1"}, as_="admin", status=200).json

    nested = client.get(f"/events/{event['id']}", status=200).json[noun]
    assert without(nested if noun == "venue" else nested[0], "json_ld") == body
