"""Who may change and delete which event, venue and organizer, by id and by slug (docs/interface.md#roles)."""

import pytest

from tests import factories
from tests.client import Client
from tests.factories import Json

BY = pytest.mark.parametrize("by", ["id", "slug"])
WRITES = pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
NOUNS = {"venue": factories.venue, "organizer": factories.organizer}


def address(record: Json, by: str, plural: str = "events") -> str:
    return f"/{plural}/{record['id']}" if by == "id" else f"/{plural}/by-slug/{record['slug']}"


def stored(client: Client, record: Json) -> Json:
    body: Json = client.get(f"/events/{record['id']}", as_="admin", status=200).json
    return body


@BY
@WRITES
def test_contributor_cannot_change_an_event_of_another(client: Client, by: str, method: str) -> None:
    event = factories.event(client, "author", title="Theirs")

    response = client.send(method, address(event, by), {"title": "Mine"}, as_="contributor", status=403)

    assert response.json["code"] == "rest_forbidden"
    assert response.headers["Allow"] == "GET"
    assert stored(client, event)["title"] == "Theirs"


@BY
@WRITES
def test_contributor_cannot_change_an_own_published_event(client: Client, by: str, method: str) -> None:
    event = factories.event(client, title="Published", author=client.ids["contributor"])

    response = client.send(method, address(event, by), {"title": "Changed"}, as_="contributor", status=403)

    assert response.json["code"] == "rest_forbidden"
    assert stored(client, event)["title"] == "Published"


@BY
def test_contributor_cannot_delete_an_event_of_another(client: Client, by: str) -> None:
    event = factories.event(client, "author")

    response = client.delete(address(event, by), as_="contributor", status=403)

    assert response.json["code"] == "rest_forbidden"
    assert stored(client, event)["status"] == "publish"


@BY
def test_contributor_cannot_delete_an_own_published_event(client: Client, by: str) -> None:
    event = factories.event(client, author=client.ids["contributor"])

    response = client.delete(address(event, by), as_="contributor", status=403)

    assert response.json["code"] == "rest_forbidden"
    assert stored(client, event)["status"] == "publish"


@BY
@WRITES
@pytest.mark.parametrize("status", ["draft", "pending"])
def test_contributor_changes_an_own_unpublished_event(
    client: Client, by: str, method: str, status: str
) -> None:
    event = factories.event(client, "contributor", status=status, slug="mine")

    response = client.send(method, address(event, by), {"title": "Changed"}, as_="contributor", status=200)

    assert response.json["title"] == "Changed"
    assert response.json["status"] == status


@BY
def test_contributor_deletes_an_own_draft(client: Client, by: str) -> None:
    event = factories.event(client, "contributor", status="draft", slug="mine")

    response = client.delete(address(event, by), as_="contributor", status=200)

    assert response.json["id"] == event["id"]
    assert response.json["status"] == "trash"


@BY
@WRITES
@pytest.mark.parametrize("login", ["editor", "admin"])
def test_editor_changes_an_event_of_another(client: Client, by: str, method: str, login: str) -> None:
    event = factories.event(client, "author")

    response = client.send(method, address(event, by), {"title": "Edited"}, as_=login, status=200)

    assert response.json["title"] == "Edited"
    assert response.json["author"] == str(client.ids["author"])


@BY
def test_editor_deletes_an_event_of_another(client: Client, by: str) -> None:
    event = factories.event(client, "author")

    response = client.delete(address(event, by), as_="editor", status=200)

    assert response.json["id"] == event["id"]
    assert response.json["status"] == "trash"


@BY
@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_contributor_cannot_change_a_linked_record_of_another(client: Client, by: str, noun: str) -> None:
    record = NOUNS[noun](client, "author", **{noun: "Theirs"})

    response = client.put(address(record, by, f"{noun}s"), {noun: "Mine"}, as_="contributor", status=403)

    assert response.json["code"] == "rest_forbidden"
    assert client.get(f"/{noun}s/{record['id']}").json[noun] == "Theirs"


@BY
@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_contributor_cannot_delete_a_linked_record_of_another(client: Client, by: str, noun: str) -> None:
    record = NOUNS[noun](client, "author")

    response = client.delete(address(record, by, f"{noun}s"), as_="contributor", status=403)

    assert response.json["code"] == "rest_forbidden"
    assert client.get(f"/{noun}s/{record['id']}").json["status"] == "publish"


@BY
@pytest.mark.parametrize("status", ["publish", "draft"])
@WRITES
def test_anonymous_cannot_change_an_event(client: Client, by: str, status: str, method: str) -> None:
    event = factories.event(client, status=status, slug="here", title="Before")

    response = client.send(method, address(event, by), {"title": "After"}, status=401)

    assert response.json["code"] == "rest_forbidden"
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="calendar"'
    assert stored(client, event)["title"] == "Before"


@BY
@pytest.mark.parametrize("status", ["publish", "draft"])
def test_anonymous_cannot_delete_an_event(client: Client, by: str, status: str) -> None:
    event = factories.event(client, status=status, slug="here")

    response = client.delete(address(event, by), status=401)

    assert response.json["code"] == "rest_forbidden"
    assert stored(client, event)["status"] == status


@BY
def test_author_cannot_write_to_an_event_of_another(client: Client, by: str) -> None:
    event = factories.event(client, "author2", title="Theirs")

    changed = client.patch(address(event, by), {"title": "Mine"}, as_="author", status=403)
    removed = client.delete(address(event, by), as_="author", status=403)

    assert (changed.json["code"], removed.json["code"]) == ("rest_forbidden", "rest_forbidden")
    assert stored(client, event)["title"] == "Theirs"
    assert stored(client, event)["status"] == "publish"


@BY
def test_author_changes_and_deletes_an_own_published_event(client: Client, by: str) -> None:
    event = factories.event(client, "author")

    changed = client.put(address(event, by), {"title": "Mine"}, as_="author", status=200)
    removed = client.delete(address(event, by), as_="author", status=200)

    assert changed.json["title"] == "Mine"
    assert removed.json["status"] == "trash"


@BY
def test_subscriber_cannot_write_even_to_an_event_of_their_own(client: Client, by: str) -> None:
    event = factories.event(client, author=client.ids["subscriber"])

    changed = client.put(address(event, by), {"title": "Mine"}, as_="subscriber", status=403)
    removed = client.delete(address(event, by), as_="subscriber", status=403)

    assert (changed.json["code"], removed.json["code"]) == ("rest_forbidden", "rest_forbidden")


def test_subscriber_cannot_create_an_event(client: Client) -> None:
    body = {"title": "New", "start_date": "2031-01-10", "end_date": "2031-01-10"}

    response = client.post("/events", body, as_="subscriber", status=403)

    assert response.json["code"] == "rest_forbidden"
    assert client.get("/events?start_date=2031-01-01&end_date=2031-12-31", as_="admin").json["total"] == 0
