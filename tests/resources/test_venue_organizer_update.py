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
    noun: {
        "description": "<p>New</p>",
        **{name: f"new {name}" for name in lines},
        "website": "https://new.example.org/",
        **(
            {"email": "new@example.org"}
            if noun == "organizer"
            else {"show_map": False, "show_map_link": False}
        ),
    }
    for noun, lines in LINES.items()
}
OLD: dict[str, dict[str, Any]] = {
    noun: {
        "description": "<p>Old</p>",
        **{name: f"old {name}" for name in lines},
        **({"email": "old@example.org"} if noun == "organizer" else {}),
        "website": "https://old.example.org/",
        "image": "https://pics.example.org/old.png",
        "date_utc": "2026-01-01 10:00:00",
        "status": "private",
    }
    for noun, lines in LINES.items()
}

pytestmark = pytest.mark.parametrize("noun", LINES)


def full(client: Client, noun: str, **fields: Any) -> Any:
    return getattr(factories, noun)(client, **{noun: "The Hall", **OLD[noun], **fields})


def read(client: Client, noun: str, id: int) -> Any:
    body = client.get(f"/{noun}s/{id}", as_="admin", status=200).json
    return without(body, "json_ld")


def without(body: Any, *names: str) -> Any:
    return {name: value for name, value in body.items() if name not in names}


def test_one_field_changes_and_the_others_stay(client: Client, noun: str) -> None:
    """`stateprovince`, which was sent, follows the fields that it stems from (docs/interface.md#updates)."""
    record = full(client, noun)
    event = factories.event(client, **{noun: record["id"]})

    for name, value in NEW[noun].items():
        changing = {name, "modified", "modified_utc"}
        if name in ("country", "province", "state"):
            changing.add("stateprovince")
        body = client.patch(f"/{noun}s/{record['id']}", {name: value}, as_="admin", status=200).json

        assert body[name] == value
        assert without(body, *changing) == without(record, *changing)
        record = body
    assert record["date_utc"] == "2026-01-01 10:00:00" < record["modified_utc"]
    nested = client.get(f"/events/{event['id']}", as_="admin", status=200).json[noun]
    assert without(nested if noun == "venue" else nested[0], "json_ld") == record


@pytest.mark.parametrize("empty", ["", None])
def test_empty_clears_one_field(client: Client, noun: str, empty: str | None) -> None:
    """An explicit null does as well (docs/interface.md#updates)."""
    record = full(client, noun)

    for name in (name for name in OLD[noun] if name not in ("date_utc", "status")):
        changing = {name, "modified", "modified_utc"}
        if name in ("country", "province", "state"):
            changing.add("stateprovince")
        body = client.patch(f"/{noun}s/{record['id']}", {name: empty}, as_="admin", status=200).json

        assert name not in body
        assert without(body, *changing) == without(record, *changing)
        assert read(client, noun, record["id"]) == body
        record = body


def test_update_that_says_nothing_changes_nothing(client: Client, noun: str) -> None:
    record, other = full(client, noun), getattr(factories, noun)(client, **{noun: "Other"})

    for sent in ({}, {"foo": "bar"}, {"id": other["id"]}, {"slug": "other"}, {"excerpt": "Short"}):
        for address in (f"/{noun}s/{record['id']}?id={other['id']}", f"/{noun}s/by-slug/{record['slug']}"):
            assert client.put(address, sent, as_="admin", status=200).json == record
    assert read(client, noun, other["id"]) == other
