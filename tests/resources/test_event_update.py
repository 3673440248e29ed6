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


def test_what_was_read_can_be_written_back(client: Client) -> None:
    event = factories.event(
        client,
        title="Tom & \"Jerry\"", description="One\nTwo\n\nThree", excerpt="<p>Own</p>", cost="$10 - $20",
        website="https://example.org/", timezone="Europe/Berlin", all_day=True, tags="a,b", categories="c",
        venue={"venue": "Hall & more", "address": "1 Main St"},
        organizer=[{"organizer": "B"}, {"organizer": "A"}],
        image="https://images.example/a.png", date_utc="2025-05-05 05:05:05",
    )  # fmt: skip
    body = {key: value for key, value in event.items() if key not in ("image", "categories", "tags")}
    body |= {key: [term["id"] for term in event[key]] for key in ("categories", "tags")}
    body["image"] = event["image"]["id"]

    answer = client.put(f"/events/{event['id']}", body, as_="admin", status=200).json

    changed = ("modified", "modified_utc")
    assert {key: value for key, value in answer.items() if key not in changed} == {
        key: value for key, value in event.items() if key not in changed
    }


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
