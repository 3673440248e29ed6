"""All problems of a request are reported at once, and nothing of it is stored.

See docs/interface.md#order-of-checks, #transactions.
"""

import pytest

from calendar_api import database
from calendar_api.database.models import Event, Image, Organizer, Record, Term, Venue
from tests import factories
from tests.client import Client

DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}


def counts() -> tuple[int, ...]:
    with database.read():
        return tuple(model.select().count() for model in (Event, Venue, Organizer, Term, Image, Record))


def test_all_missing_fields_are_named_together(client: Client) -> None:
    response = client.post("/events", {}, as_="admin", status=400)

    assert response.json == {
        "code": "rest_missing_callback_param",
        "message": "Missing parameters: title, start_date, end_date.",
        "data": {"status": 400, "params": ["title", "start_date", "end_date"]},
    }


def test_all_invalid_fields_are_named_together(client: Client) -> None:
    body = {"title": "", "start_date": "never", "end_date": "never", "website": "x", "featured": "maybe"}

    response = client.post("/events", body, as_="admin", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert sorted(response.json["data"]["params"]) == [
        "end_date",
        "featured",
        "start_date",
        "title",
        "website",
    ]
    assert response.json["data"]["details"] == {
        "featured": {
            "code": "rest_invalid_type",
            "message": response.json["data"]["params"]["featured"],
            "data": {"param": "featured"},
        }
    }


def test_problems_of_form_and_of_content_are_reported_together(client: Client) -> None:
    """What the schema finds and what only the database can tell."""
    body = {
        "title": "Concert",
        **DATES,
        "website": "x",
        "author": 999_999,
        "venue": 999_998,
        "organizer": [999_997],
        "image": 999_996,
        "post_parent": 999_995,
    }

    response = client.post("/events", body, as_="admin", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert sorted(response.json["data"]["params"]) == [
        "author", "image", "organizer", "post_parent", "venue", "website",
    ]  # fmt: skip
    assert "999998" in response.json["data"]["params"]["venue"]
    assert "999997" in response.json["data"]["params"]["organizer"]


def test_missing_and_invalid_fields_are_reported_together(client: Client) -> None:
    body = {"start_date": "never", "website": "x", "author": 999_999}

    response = client.post("/events", body, as_="admin", status=400)

    assert response.json["code"] == "rest_missing_callback_param"
    assert response.json["data"] == {"status": 400, "params": ["title", "end_date"]}
    [more] = response.json["additional_errors"]
    assert more["code"] == "rest_invalid_param"
    assert more["data"]["status"] == 400
    assert sorted(more["data"]["params"]) == ["author", "start_date", "website"]


def test_field_that_the_schema_refuses_is_not_looked_up(client: Client) -> None:
    """A value out of all range never reaches the database."""
    body = {
        "title": "Concert", **DATES,
        "author": 10**30, "image": 10**30, "post_parent": 10**30, "venue": [10**30],
        "organizer": {"id": 10**30},
    }  # fmt: skip

    response = client.post("/events", body, as_="admin", status=400)

    assert sorted(response.json["data"]["params"]) == ["author", "image", "organizer", "post_parent", "venue"]


NEW = {
    "title": "Concert",
    **DATES,
    "venue": {"venue": "New hall", "image": "https://images.example/hall.png"},
    "organizer": [{"organizer": "New group"}],
    "categories": ["New category"],
    "tags": ["New tag"],
    "image": "https://images.example/concert.png",
}


@pytest.mark.parametrize(
    "wrong",
    [
        {"post_parent": 999_999},
        {"end_date": "2031-01-09"},
        {"venue": [{"venue": "A"}, {"venue": "B", "date": "x"}]},
    ],
)
def test_nothing_is_stored_when_one_field_is_invalid(client: Client, wrong: dict[str, object]) -> None:
    before = counts()

    client.post("/events", {**NEW, **wrong}, as_="admin", status=400)

    assert counts() == before


@pytest.mark.both_databases
def test_nothing_is_changed_when_an_update_is_refused_half_way(client: Client) -> None:
    event = factories.event(client, "author", title="Before", venue={"venue": "Old hall"})
    before, read = counts(), client.get(f"/events/{event['id']}").json
    body = {
        "title": "After",
        "venue": {"venue": "New hall"},
        "organizer": [{"organizer": "New group", "author": client.ids["admin"]}],
    }

    client.put(f"/events/{event['id']}", body, as_="author", status=403)

    assert counts() == before
    assert client.get(f"/events/{event['id']}").json == read
