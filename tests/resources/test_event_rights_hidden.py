"""What a caller may not read does not exist for that caller, whatever the method.

See docs/interface.md#visibility.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

BY = pytest.mark.parametrize("by", ["id", "slug"])
METHODS = pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
HIDDEN = pytest.mark.parametrize("status", ["draft", "pending", "private", "future", "trash"])


def hidden(client: Client, status: str, as_: str = "author2") -> dict[str, Any]:
    """An event that is not public, with a slug; `future` is a publication date that lies ahead."""
    fields = {"status": "publish", "date_utc": "2099-01-01"} if status == "future" else {"status": status}
    return factories.event(client, as_, slug="hidden", title="Secret", **fields)


def answer(response: Any) -> tuple[int, dict[str, str], bytes]:
    """All of an answer but the id of the request."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    headers.pop("x-request-id")
    return response.status_int, headers, response.body


@BY
@HIDDEN
@METHODS
@pytest.mark.parametrize("login", ["author", "contributor"])
def test_hidden_event_answers_as_an_absent_one(
    client: Client, by: str, status: str, method: str, login: str
) -> None:
    event = hidden(client, status)
    body = None if method in ("GET", "DELETE") else {"title": "Changed"}
    there = f"/events/{event['id']}" if by == "id" else f"/events/by-slug/{event['slug']}"
    absent = "/events/999999" if by == "id" else "/events/by-slug/nothing-here"

    response = client.send(method, there, body, as_=login, status=404)

    assert response.json["code"] == "rest-event-not-found"
    assert answer(response) == answer(client.send(method, absent, body, as_=login))
    assert client.get(f"/events/{event['id']}", as_="admin").json == client.get(there, as_="author2").json
    assert client.get(f"/events/{event['id']}", as_="admin").json["title"] == "Secret"


@BY
@HIDDEN
@pytest.mark.parametrize("login", [None, "subscriber"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_hidden_event_is_not_found_by_those_who_only_read(
    client: Client, by: str, status: str, login: str | None, method: str
) -> None:
    event = hidden(client, status)
    there = f"/events/{event['id']}" if by == "id" else f"/events/by-slug/{event['slug']}"
    absent = "/events/999999" if by == "id" else "/events/by-slug/nothing-here"

    response = client.send(method, there, as_=login, status=404)

    assert answer(response) == answer(client.send(method, absent, as_=login))


@BY
@HIDDEN
@pytest.mark.parametrize("login", ["author2", "editor", "admin"])
def test_hidden_event_is_read_by_its_author_and_by_editors(
    client: Client, by: str, status: str, login: str
) -> None:
    event = hidden(client, status)
    there = f"/events/{event['id']}" if by == "id" else f"/events/by-slug/{event['slug']}"

    response = client.get(there, as_=login, status=200)

    assert response.json["id"] == event["id"]
    assert response.json["status"] == status
    assert response.headers["Allow"] == "GET, DELETE, POST, PUT, PATCH"


@pytest.mark.parametrize(
    ("method", "status", "code"),
    [("PUT", 401, "rest_forbidden"), ("DELETE", 401, "rest_forbidden"), ("GET", 404, "rest-event-not-found")],
)
def test_hidden_event_is_the_same_as_an_absent_one_for_anonymous_callers(
    client: Client, method: str, status: int, code: str
) -> None:
    event = hidden(client, "draft")
    body = {"title": "Changed"} if method == "PUT" else None

    response = client.send(method, f"/events/{event['id']}", body, status=status)

    assert response.json["code"] == code
    assert answer(response) == answer(client.send(method, "/events/999999", body))


def test_right_key_does_not_open_a_protected_draft(client: Client) -> None:
    event = factories.event(client, "author2", status="draft", slug="hidden", password="key")

    by_id = client.get(f"/events/{event['id']}?password=key", status=404)
    by_slug = client.get("/events/by-slug/hidden?password=key", as_="author", status=404)

    assert by_id.json["code"] == "rest-event-not-found"
    assert by_slug.json["code"] == "rest-event-not-found"


def test_contributor_reads_an_own_private_event_and_cannot_change_it(client: Client) -> None:
    event = factories.event(client, author=client.ids["contributor"], status="private")

    read = client.get(f"/events/{event['id']}", as_="contributor", status=200)
    changed = client.put(f"/events/{event['id']}", {"title": "Mine"}, as_="contributor", status=403)

    assert read.headers["Allow"] == "GET"
    assert changed.json["code"] == "rest_forbidden"


def test_contributor_cannot_change_an_own_scheduled_event(client: Client) -> None:
    event = factories.event(client, author=client.ids["contributor"], date_utc="2099-01-01")

    assert client.get(f"/events/{event['id']}", as_="contributor").json["status"] == "future"
    changed = client.put(f"/events/{event['id']}", {"title": "Mine"}, as_="contributor", status=403)

    assert changed.json["code"] == "rest_forbidden"
