"""`_fields` on every kind of answer (docs/interface.md#field-selection)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

Json = dict[str, Any]


@pytest.fixture
def event(client: Client) -> Json:
    return factories.event(
        client,
        venue={"venue": "Hall", "city": "Rome"},
        organizer=[{"organizer": "Ann", "email": "ann@example.org"}, {"organizer": "Bo"}],
        categories="music",
        tags="a,b",
    )


def test_deep_path_is_no_trouble(client: Client, event: Json) -> None:
    deep = ".".join(["venue"] * 1500)

    assert client.get(f"/events/{event['id']}", {"_fields": deep}, status=200).json == {
        "venue": {"venue": "Hall"}
    }


def test_writes_answer_with_the_chosen_fields(client: Client) -> None:
    made = client.post("/venues?_fields=city", {"venue": "Hall", "city": "Rome"}, as_="admin", status=201)
    path = made.headers["Location"]
    changed = client.put(f"{path}?_fields=venue", {"city": "Bonn"}, as_="admin", status=200)
    removed = client.delete(f"{path}?_fields=status", as_="admin", status=200)

    assert made.json == {"city": "Rome"}
    assert changed.json == {"venue": "Hall"}
    assert removed.json == {"status": "trash"}


def test_index_options_and_description_can_be_cut_too(client: Client) -> None:
    assert client.get("/", {"_fields": "namespace"}, status=200).json == {"namespace": "calendar/events/v1"}
    assert client.send("OPTIONS", "/tags", params={"_fields": "methods"}, status=200).json == {
        "methods": ["GET", "POST"]
    }
    assert client.get("/doc", {"_fields": "openapi"}, status=200).json == {"openapi": "3.1.0"}


def test_masked_event_stays_masked(client: Client) -> None:
    event = factories.event(client, title="Open", description="hidden words", password="secret")

    listed = client.get("/events", {"_fields": "events.title,events.description"}, status=200)
    refused = client.get(f"/events/{event['id']}", {"_fields": "description"}, status=403)

    assert "hidden words" not in listed.text
    assert refused.json["code"] == "event-password-protected"


def test_links_of_the_list_do_not_carry_the_selection(client: Client, event: Json) -> None:
    factories.event(client, start_date=factories.day(2))

    address = client.get("/events", {"_fields": "next_rest_url", "per_page": 1}).json["next_rest_url"]

    assert "_fields" not in address
