"""Deleting an event: to the trash, 410, and back (docs/interface.md#deleting)."""

import pytest

from calendar_api.database.models import Event, EventTerm
from tests import factories
from tests.client import Client


def test_event_goes_to_the_trash_and_a_second_time_is_gone(client: Client) -> None:
    event = factories.event(
        client, slug="concert", tags="a", venue={"venue": "Hall"}, organizer={"organizer": "Ann"}
    )
    path = f"/events/{event['id']}"

    answer = client.delete(path, as_="admin", status=200).json
    gone = client.delete(path, as_="admin", status=410).json

    changing = ("status", "slug", "url", "website", "modified", "modified_utc", "tags")
    assert {key: value for key, value in answer.items() if key not in changing} == {
        key: value for key, value in event.items() if key not in changing
    }
    assert (answer["status"], answer["slug"]) == ("trash", "concert__trashed")
    assert [(tag["name"], tag["count"]) for tag in answer["tags"]] == [("a", 0)]
    assert list(answer) == list(event)
    row = Event.get_by_id(event["id"])
    assert (row.status, row.trashed_utc, row.version) == ("trash", answer["modified_utc"], 2)
    assert gone == {"code": "event-is-in-trash", "message": gone["message"], "data": {"status": 410}}
    assert [client.get(f"/{kind}").json["total"] for kind in ("venues", "organizers")] == [1, 1]


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


@pytest.mark.parametrize("query", ["?password=anything", "?force=true"])
def test_password_and_force_have_no_effect(client: Client, query: str) -> None:
    """See docs/interface.md#passwords and #deleting."""
    event = factories.event(client, password="key")

    answer = client.delete(f"/events/{event['id']}{query}", as_="admin", status=200).json

    assert (answer["id"], answer["status"]) == (event["id"], "trash")
    assert Event.get_by_id(event["id"]).password != ""
