"""Updating an event: who, what answers, what stays out (docs/interface.md#updates)."""

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client


def test_last_of_two_writers_wins_per_field(client: Client) -> None:
    event = factories.event(client, title="A", excerpt="A")

    client.put(f"/events/{event['id']}", {"title": "B"}, as_="admin", status=200)
    client.put(f"/events/{event['id']}", {"excerpt": "C"}, as_="editor", status=200)

    read = client.get(f"/events/{event['id']}").json
    assert (read["title"], read["excerpt"]) == ("B", "<p>C</p>")
    assert Event.get_by_id(event["id"]).version == 3


@pytest.mark.parametrize("way", ["create", "id", "slug"])
def test_everything_nested_at_once(client: Client, way: str) -> None:
    venue = factories.venue(client)["id"]
    a, b = factories.organizer(client)["id"], factories.organizer(client)["id"]
    body = {"venue": venue, "organizer": [b, a], "categories": ["Music", "Art"], "tags": ["loud"]}

    if way == "create":
        answer = factories.event(client, "admin", **body)
    else:
        event = factories.event(client, slug="concert")
        path = f"/events/{event['id']}" if way == "id" else "/events/by-slug/concert"
        answer = client.put(path, body, as_="admin", status=200).json

    assert answer["venue"]["id"] == venue
    assert [organizer["id"] for organizer in answer["organizer"]] == [b, a]
    assert [category["name"] for category in answer["categories"]] == ["Art", "Music"]
    assert [tag["name"] for tag in answer["tags"]] == ["loud"]
