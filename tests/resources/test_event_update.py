"""Updating an event: who, what answers, what stays out (docs/interface.md#updates)."""

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client

METHODS = pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])


@METHODS
def test_anonymous_is_refused(client: Client, method: str) -> None:
    event = factories.event(client, title="Before")

    response = client.send(method, f"/events/{event['id']}", {"title": "After"}, status=401)

    assert response.json["code"] == "rest_forbidden"
    assert client.get(f"/events/{event['id']}").json["title"] == "Before"


@METHODS
def test_texts_and_dates_are_changed(client: Client, method: str) -> None:
    event = factories.event(client)
    body = {
        "title": "New & better",
        "description": "One\n\nTwo",
        "excerpt": "<b>Come</b>",
        "start_date": "2031-07-10 10:00:00",
        "end_date": "2031-07-10 12:00:00",
    }

    answer = client.send(method, f"/events/{event['id']}", body, as_="admin", status=200).json

    assert {name: answer[name] for name in body} == {
        **body,
        "title": "New &#038; better",
        "description": "<p>One</p>\n<p>Two</p>",
        "excerpt": "<p><b>Come</b></p>",
    }
    assert answer["utc_start_date"] == "2031-07-10 10:00:00"
    assert answer["id"] == event["id"]


@METHODS
@pytest.mark.parametrize(
    "path", ["/events/999999", "/events/0", "/events/by-slug/nothing", f"/events/{10**25}"]
)
def test_event_that_does_not_exist(client: Client, method: str, path: str) -> None:
    response = client.send(method, path, {"title": "New"}, as_="admin", status=404)

    assert response.json["code"] == "rest-event-not-found"


@pytest.mark.parametrize("plural", ["venue", "organizer", "category", "tag"])
def test_id_of_another_kind_of_record_is_no_event(client: Client, plural: str) -> None:
    record = getattr(factories, plural)(client)

    answers = [
        client.send(method, f"/events/{record['id']}", body, as_="admin", status=404).json["code"]
        for method, body in (("GET", None), ("PUT", {"title": "x"}), ("DELETE", None))
    ]

    assert answers == ["rest-event-not-found"] * 3


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_slug_of_another_kind_of_record_is_no_event(client: Client, noun: str) -> None:
    record = getattr(factories, noun)(client, **{noun: "Shared name"})

    response = client.put(f"/events/by-slug/{record['slug']}", {"title": "x"}, as_="admin", status=404)

    assert response.json["code"] == "rest-event-not-found"


@METHODS
def test_update_by_slug(client: Client, method: str) -> None:
    event = factories.event(client, slug="concert")

    answer = client.send(method, "/events/by-slug/concert", {"title": "New"}, as_="admin", status=200).json

    assert (answer["id"], answer["title"], answer["slug"]) == (event["id"], "New", "concert")


@METHODS
def test_slug_is_changed_by_slug(client: Client, method: str) -> None:
    """`slug` in a body renames (docs/interface.md#bodies)."""
    event = factories.event(client, slug="concert")

    answer = client.send(method, "/events/by-slug/concert", {"slug": "gig"}, as_="admin", status=200).json

    assert (answer["id"], answer["slug"]) == (event["id"], "gig")
    client.get("/events/by-slug/concert", status=404)
    client.get("/events/by-slug/gig", status=200)


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
