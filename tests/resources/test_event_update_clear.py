"""Empty means cleared, or refused where a field cannot be empty (docs/interface.md#updates)."""

from typing import Any

import pytest

from calendar_api.contract import schemas
from calendar_api.database.models import Event
from tests import factories
from tests.client import Client

Json = dict[str, Any]

FULL: Json = {
    "title": "Concert",
    "description": "All night",
    "excerpt": "Come",
    "slug": "concert",
    "timezone": "Europe/Berlin",
    "start_date": "2031-01-10 10:00:00",
    "end_date": "2031-01-10 12:00:00",
    "image": "https://images.example/a.png",
    "cost": "$10",
    "website": "https://concert.example",
    "password": "key",
    "categories": ["Music"],
    "tags": ["loud"],
    "venue": {"venue": "Hall"},
    "organizer": [{"organizer": "Ann"}],
}

#: What stands in the answer after a field was cleared.
CLEARED: Json = {
    "description": "",
    "excerpt": "",
    "timezone": "UTC",
    "image": False,
    "cost": "",
    "website": "",
    "categories": [],
    "tags": [],
    "venue": [],
    "organizer": [],
}
NEVER_EMPTY = (
    "author", "date", "date_utc", "title", "slug", "status", "all_day", "start_date", "end_date",
    "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed",
)  # fmt: skip


def full(client: Client) -> Json:
    return factories.event(client, **FULL)


def test_every_field_is_covered() -> None:
    fields = schemas.schema("event", "update")["properties"]

    assert sorted([*CLEARED, *NEVER_EMPTY, "password", "post_parent"]) == sorted(fields)


@pytest.mark.parametrize("name", CLEARED)
@pytest.mark.parametrize("empty", ["", None])
def test_field_is_cleared_and_no_other(client: Client, name: str, empty: str | None) -> None:
    event = full(client)

    answer = client.patch(f"/events/{event['id']}", {name: empty}, as_="admin", status=200).json

    assert {key: answer[key] for key in CLEARED} == {
        key: CLEARED[key] if key == name else event[key] for key in CLEARED
    }
    assert client.get(f"/events/{event['id']}", as_="admin").json[name] == CLEARED[name]


@pytest.mark.parametrize("name", CLEARED)
def test_field_is_cleared_by_a_form(client: Client, name: str) -> None:
    event = full(client)

    answer = client.send("POST", f"/events/{event['id']}", form={name: ""}, as_="admin", status=200).json

    assert answer[name] == CLEARED[name]


@pytest.mark.parametrize("empty", ["", None])
def test_password_is_cleared(client: Client, empty: str | None) -> None:
    event = full(client)

    client.put(f"/events/{event['id']}", {"password": empty}, as_="admin", status=200)

    assert Event.get_by_id(event["id"]).password == ""
    client.get(f"/events/{event['id']}", status=200)


@pytest.mark.parametrize("name", NEVER_EMPTY)
@pytest.mark.parametrize("empty", ["", None])
def test_field_that_cannot_be_empty_is_refused(client: Client, name: str, empty: str | None) -> None:
    event = full(client)
    before = client.get(f"/events/{event['id']}", as_="admin").json

    response = client.put(f"/events/{event['id']}", {name: empty}, as_="admin", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert list(response.json["data"]["params"]) == [name]
    if empty is None:
        assert response.json["data"]["details"][name]["code"] == "rest_invalid_type"
    assert client.get(f"/events/{event['id']}", as_="admin").json == before


@pytest.mark.parametrize("name", CLEARED)
@pytest.mark.parametrize("empty", ["", None])
def test_empty_on_create_is_like_absent(client: Client, name: str, empty: str | None) -> None:
    event = factories.event(client, "admin", **{name: empty})

    assert event[name] == (event["url"] if name == "website" else CLEARED[name])
