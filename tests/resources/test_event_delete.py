"""Deleting an event: to the trash, 410, and back (docs/interface.md#deleting)."""

import pytest

from calendar_api.database.models import Event, EventTerm
from tests import factories
from tests.client import Client

BY = pytest.mark.parametrize("by", ["id", "slug"])


def path(event: dict[str, object], by: str, slug: object = None) -> str:
    return f"/events/{event['id']}" if by == "id" else f"/events/by-slug/{slug or event['slug']}"


@BY
def test_event_goes_to_the_trash(client: Client, by: str) -> None:
    event = factories.event(
        client, slug="concert", tags="a", venue={"venue": "Hall"}, organizer={"organizer": "Ann"}
    )

    answer = client.delete(path(event, by), as_="admin", status=200).json

    changing = ("status", "slug", "url", "website", "modified", "modified_utc", "tags")
    assert {key: value for key, value in answer.items() if key not in changing} == {
        key: value for key, value in event.items() if key not in changing
    }
    assert (answer["status"], answer["slug"]) == ("trash", "concert__trashed")
    assert [(tag["name"], tag["count"]) for tag in answer["tags"]] == [("a", 0)]
    assert list(answer) == list(event)
    row = Event.get_by_id(event["id"])
    assert (row.status, row.trashed_utc) == ("trash", answer["modified_utc"])


@BY
def test_second_delete_is_gone(client: Client, by: str) -> None:
    event = factories.event(client, slug="concert")
    client.delete(path(event, by), as_="admin", status=200)

    response = client.delete(path(event, by, "concert__trashed"), as_="admin", status=410)

    assert response.json == {
        "code": "event-is-in-trash",
        "message": response.json["message"],
        "data": {"status": 410},
    }
    assert Event.get_by_id(event["id"]).version == 2


def test_trashed_event_leaves_the_lists(client: Client) -> None:
    event = factories.event(client, "author")
    client.delete(f"/events/{event['id']}", as_="author", status=200)

    totals = {
        login: [client.get("/events", as_=login).json["total"],
                client.get("/events?status=trash", as_=login).json.get("total")]
        for login in (None, "author2", "author", "admin")
    }  # fmt: skip

    assert totals == {None: [0, None], "author2": [0, 0], "author": [0, 1], "admin": [0, 1]}


@pytest.mark.both_databases
def test_links_and_terms_come_back_with_the_event(client: Client) -> None:
    event = factories.event(
        client, tags="a", categories="b", venue={"venue": "Hall"}, organizer=[{"organizer": "Ann"}],
        image="https://images.example/a.png", cost="5", password="key",
    )  # fmt: skip
    client.delete(f"/events/{event['id']}", as_="admin", status=200)

    restored = client.put(f"/events/{event['id']}", {"status": "publish"}, as_="admin", status=200).json

    changing = ("modified", "modified_utc")
    assert {key: value for key, value in restored.items() if key not in changing} == {
        key: value for key, value in event.items() if key not in changing
    }
    assert EventTerm.select().count() == 2
    client.get(f"/events/{event['id']}", status=403)


@BY
@pytest.mark.parametrize("query", ["?password=anything", "?password=", "?force=true"])
def test_password_and_force_have_no_effect(client: Client, by: str, query: str) -> None:
    """See docs/interface.md#passwords and #deleting."""
    event = factories.event(client, password="key")

    answer = client.delete(path(event, by) + query, as_="admin", status=200).json

    assert (answer["id"], answer["status"]) == (event["id"], "trash")
    assert Event.get_by_id(event["id"]).password != ""


def test_venue_and_organizer_of_a_deleted_event_stay(client: Client) -> None:
    event = factories.event(client, venue={"venue": "Hall"}, organizer=[{"organizer": "Ann"}])

    client.delete(f"/events/{event['id']}", as_="admin", status=200)

    assert client.get("/venues").json["total"] == 1
    assert client.get("/organizers").json["total"] == 1
