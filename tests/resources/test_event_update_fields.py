"""Absent means unchanged, for every single field (docs/interface.md#updates)."""

from typing import Any

import pytest

from calendar_api.contract import schemas
from calendar_api.database.models import Event
from tests import factories
from tests.client import Client
from tests.resources.records import Json, change, path_of, read, refused

FULL: Json = {
    "title": "Concert", "description": "All night", "excerpt": "Come", "slug": "concert",
    "date_utc": "2025-05-05 05:05:05", "status": "publish", "timezone": "Europe/Berlin", "all_day": False,
    "start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00",
    "image": "https://images.example/a.png", "cost": "$10", "website": "https://concert.example",
    "show_map": True, "show_map_link": True, "hide_from_listings": True, "sticky": True, "featured": True,
    "ticketed": True, "categories": ["Music"], "tags": ["loud"], "venue": {"venue": "Hall"},
    "organizer": [{"organizer": "Ann"}, {"organizer": "Bob"}], "event_status": "canceled",
    "event_status_reason": "Rain",
}  # fmt: skip
START = ("start_date", "start_date_details", "utc_start_date", "utc_start_date_details")
END = ("end_date", "end_date_details", "utc_end_date", "utc_end_date_details")

#: Field, new value, and what of the answer it changes; terms count the public events without a password.
CHANGES: list[tuple[str, Any, tuple[str, ...]]] = [
    ("author", None, ("author",)),
    ("date", "2024-04-04 04:04:04", ("date", "date_utc", "json_ld.offers")),
    ("date_utc", "2024-04-04 04:04:04", ("date", "date_utc", "json_ld.offers")),
    ("title", "New", ("title", "json_ld.name")),
    ("description", "New", ("description",)),
    ("excerpt", "New", ("excerpt", "json_ld.description")),
    ("slug", "new", ("slug", "url", "json_ld.url", "json_ld.offers")),
    ("status", "private", ("status", "categories", "tags")),
    ("timezone", "Asia/Tokyo", ("timezone", "timezone_abbr", *START[2:], *END[2:], "json_ld.startDate",
                                "json_ld.endDate")),
    ("all_day", True, ("all_day", *START, *END, "json_ld.startDate", "json_ld.endDate")),
    ("start_date", "2031-01-10 09:00:00", (*START, "json_ld.startDate")),
    ("end_date", "2031-01-10 13:00:00", (*END, "json_ld.endDate")),
    ("image", "https://images.example/b.png", ("image", "json_ld.image")),
    ("cost", "20 €", ("cost", "cost_details", "json_ld.offers")),
    ("website", "https://new.example", ("website",)),
    ("show_map", False, ("show_map",)),
    ("show_map_link", False, ("show_map_link",)),
    ("hide_from_listings", False, ("hide_from_listings",)),
    ("sticky", False, ("sticky",)),
    ("featured", False, ("featured",)),
    ("ticketed", False, ("ticketed",)),
    ("password", "key", ("categories", "tags")),
    ("post_parent", 0, ("post_parent",)),
    ("categories", [], ("categories",)),
    ("tags", ["soft"], ("tags",)),
    ("venue", [], ("venue", "json_ld.location")),
    ("organizer", {"organizer": "Cid"}, ("organizer", "json_ld.organizer")),
    ("event_status", "postponed", ("event_status",)),
    ("event_status_reason", "Snow", ("event_status_reason",)),
]  # fmt: skip


#: What stands in the answer after a field was cleared, and on a new event.
CLEARED: Json = {
    "description": "", "excerpt": "", "timezone": "UTC", "image": False, "cost": "", "website": "",
    "categories": [], "tags": [], "venue": [], "organizer": [], "event_status": "scheduled",
    "event_status_reason": "", "post_parent": 0,
}  # fmt: skip
NEVER_EMPTY = (
    "author", "date", "date_utc", "title", "slug", "status", "all_day", "start_date", "end_date",
    "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed",
)  # fmt: skip


def full(client: Client) -> Json:
    """An event in which no field is empty."""
    parent = factories.event(client)
    return factories.event(client, **FULL, post_parent=parent["id"])


def flat(event: Json) -> Json:
    """The answer of a single read with the parts of `json_ld` beside the rest, without the last change."""
    body = {key: value for key, value in event.items() if key not in ("modified", "modified_utc", "json_ld")}
    return body | {f"json_ld.{key}": value for key, value in event["json_ld"].items()}


def test_every_field_is_covered() -> None:
    fields = sorted(schemas.schema("event", "update")["properties"])
    assert sorted(name for name, _, _ in CHANGES) == fields
    assert sorted([*CLEARED, *NEVER_EMPTY, "password"]) == fields


@pytest.mark.parametrize(("name", "value", "changes"), CHANGES, ids=[name for name, _, _ in CHANGES])
def test_one_field_is_changed_and_all_others_stay(
    client: Client, name: str, value: Any, changes: tuple[str, ...]
) -> None:
    event = full(client)
    before = flat(read(client, event, "admin"))
    password = Event.get_by_id(event["id"]).password
    sent = client.ids["author2"] if name == "author" else value
    change(client, event, **{name: sent})

    after = flat(read(client, event, "admin"))
    assert {key for key in before | after if before.get(key) != after.get(key)} == set(changes)
    assert (Event.get_by_id(event["id"]).password == password) is (name != "password")
    assert Event.get_by_id(event["id"]).version == 2


def test_update_without_a_field_changes_nothing(client: Client) -> None:
    event = full(client)
    before = read(client, event, "admin")
    answer = change(client, event)
    assert read(client, event, "admin") == before
    for record in (before, before["venue"], *before["organizer"]):
        record.pop("json_ld")
    assert list(answer.items()) == list(before.items())
    assert Event.get_by_id(event["id"]).version == 1


@pytest.mark.parametrize("empty", ["", None])
def test_field_is_cleared_and_no_other(client: Client, empty: str | None) -> None:
    event = full(client)
    expected = {name: event[name] for name in CLEARED}
    for name in CLEARED:
        sent: Json = {"body": {name: empty}} if empty is None else {"form": {name: empty}}
        answer = client.send("PATCH", path_of(event), as_="admin", status=200, **sent).json
        expected[name] = CLEARED[name]
        assert {key: answer[key] for key in CLEARED} == expected
    made = factories.event(client, "admin", **dict.fromkeys(CLEARED, empty))
    assert {name: made[name] for name in CLEARED} == {**CLEARED, "website": made["url"]}


@pytest.mark.parametrize("empty", ["", None])
def test_field_that_cannot_be_empty_is_refused(client: Client, empty: str | None) -> None:
    event = full(client)
    before = read(client, event, "admin")
    for name in NEVER_EMPTY:
        answer = client.put(path_of(event), {name: empty}, as_="admin", status=400)
        assert refused(answer) == [name]
        if empty is None:
            assert answer.json["data"]["details"][name]["code"] == "rest_invalid_type"
    assert read(client, event, "admin") == before


@pytest.mark.parametrize("where", ["body", "params", "form"])
def test_path_decides_which_event(client: Client, where: str) -> None:
    """`id` is ignored and `slug` renames (docs/interface.md#bodies)."""
    event, other = factories.event(client, slug="this"), factories.event(client, slug="that", title="Other")
    sent: Json = {where: {"id": str(other["id"]), "title": "Changed", "slug": "new-name"}}
    answer = client.send("PUT", path_of(event), as_="admin", status=200, **sent).json
    assert [answer[name] for name in ("id", "title", "slug")] == [event["id"], "Changed", "new-name"]
    assert client.get("/events/by-slug/that").json["title"] == "Other"
    client.get("/events/by-slug/this", status=404)
