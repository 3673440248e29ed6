"""Venues and organizers inside an event: changed, hidden, and their images.

See docs/interface.md#visibility, #nested-records, #linked-records.
"""

from typing import Any

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client

NOUNS = pytest.mark.parametrize("noun", ["venue", "organizer"])
IMAGE = "https://images.example/secret.png"
NEW = {"title": "Mine", "start_date": "2031-01-10", "end_date": "2031-01-10"}


def ids(event: dict[str, Any], noun: str) -> list[int]:
    found = event[noun]
    return [record["id"] for record in ([found] if isinstance(found, dict) else found)]


def put(client: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.put(f"/events/{event['id']}", fields, as_="admin", status=200).json
    return answer


def test_every_write_counts_one_version(client: Client) -> None:
    event = factories.event(client, "author")
    path = f"/events/{event['id']}"
    updates: tuple[dict[str, Any], ...] = (
        {"title": "New"},
        {"venue": {"venue": "A"}, "organizer": [{"organizer": "B"}], "tags": "a,b", "categories": "c"},
        {"venue": []},
        {"status": "draft", "slug": "new", "image": "https://images.example/a.png"},
        {"status": "trash"},
        {"status": "publish"},
    )

    versions = [Event.get_by_id(event["id"]).version]
    for fields in updates:
        client.put(path, {"title": ""}, as_="author", status=400)
        put(client, event, **fields)
        versions.append(Event.get_by_id(event["id"]).version)

    assert versions == [1, 2, 3, 4, 5, 6, 7]


def test_one_of_two_venues_that_may_be_read_is_an_object(client: Client) -> None:
    hidden, public = factories.venue(client, status="draft"), factories.venue(client)
    event = factories.event(client, venue=[hidden["id"], public["id"]])
    path = f"/events/{event['id']}"

    anonymous, editor = client.get(path).json, client.get(path, as_="editor").json
    client.patch(path, {"venue": hidden["id"]}, as_="editor", status=200)
    none = client.get(path).json

    assert anonymous["venue"]["id"] == public["id"]
    assert anonymous["json_ld"]["location"]["name"] == public["venue"]
    assert [venue["id"] for venue in editor["venue"]] == [hidden["id"], public["id"]]
    assert editor["json_ld"]["location"]["name"] == hidden["venue"]
    assert none["venue"] == []
    assert "location" not in none["json_ld"]


def test_json_ld_names_the_first_organizer_that_may_be_read(client: Client) -> None:
    hidden = factories.organizer(client, status="private", organizer="Hidden", email="hidden@example.org")
    public = factories.organizer(client, organizer="Public", email="public@example.org")
    event = factories.event(client, organizer=[hidden["id"], public["id"]])

    anonymous, editor = (client.get(f"/events/{event['id']}", as_=login).json for login in (None, "editor"))

    assert [one["json_ld"]["organizer"]["name"] for one in (anonymous, editor)] == ["Public", "Hidden"]
    assert "hidden@" not in str(anonymous)


@NOUNS
def test_answers_of_writes_leave_hidden_records_out_as_well(client: Client, noun: str) -> None:
    hidden = getattr(factories, noun)(client, status="private", **{noun: "Secret"})["id"]
    event = factories.event(client, "author")
    client.put(f"/events/{event['id']}", {noun: hidden}, as_="editor", status=200)

    changed = client.put(f"/events/{event['id']}", {"title": "New"}, as_="author", status=200)
    kept = client.get(f"/events/{event['id']}", as_="editor").json
    removed = client.delete(f"/events/{event['id']}", as_="author", status=200)

    assert (changed.json[noun], removed.json[noun]) == ([], [])
    assert "Secret" not in changed.text + removed.text
    assert ids(kept, noun) == [hidden]


@NOUNS
def test_image_of_a_hidden_record_stays_hidden(client: Client, noun: str) -> None:
    """It is not shown, and nobody puts it into another record by its id, which can be guessed."""
    hidden = getattr(factories, noun)(client, "author2", image=IMAGE, status="draft")
    event = factories.event(client, **{noun: hidden["id"]})
    own = getattr(factories, noun)(client, "author")
    image = {"image": hidden["image"]["id"]}

    changed = client.patch(f"/{noun}s/{own['id']}", image, as_="author", status=400)
    nested = client.post("/events", {**NEW, noun: {noun: "New", **image}}, as_="author", status=400)

    assert "secret.png" not in client.get(f"/events/{event['id']}").text
    assert "secret.png" in client.get(f"/events/{event['id']}", as_="admin").text
    assert list(changed.json["data"]["params"]) == ["image"]
    assert list(nested.json["data"]["params"]) == [noun]
    assert "secret.png" not in changed.text + nested.text


def test_image_becomes_known_with_a_record_that_shows_it(client: Client) -> None:
    event = factories.event(client, "author2", image=IMAGE, status="draft")
    body = {**NEW, "image": event["image"]["id"]}

    client.post("/events", body, as_="contributor", status=400)
    client.patch(f"/events/{event['id']}", {"status": "publish"}, as_="author2", status=200)
    client.post("/events", body, as_="contributor", status=201)
