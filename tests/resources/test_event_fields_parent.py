"""Parent event and tickets, fields of ours (docs/interface.md#event-filters, #own-fields)."""

from typing import Any

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client


def put(client: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.put(f"/events/{event['id']}", fields, as_="admin", status=200).json
    return answer


@pytest.mark.parametrize("as_text", [False, True])
def test_parent_is_set_changed_and_removed(client: Client, as_text: bool) -> None:
    a, b = factories.event(client), factories.event(client)
    ids = [str(one["id"]) if as_text else one["id"] for one in (a, b)]

    event = factories.event(client, post_parent=ids[0])
    changed = put(client, event, post_parent=ids[1])
    kept = put(client, event, title="New")
    removed = put(client, event, post_parent="0" if as_text else 0)

    assert [one["post_parent"] for one in (event, changed, kept, removed)] == [a["id"], b["id"], b["id"], 0]
    assert Event.get_by_id(event["id"]).parent_id is None


@pytest.mark.parametrize("value", [999_999, -1, 1.5, "first", "", True, [], {}, 10**30])
def test_parent_that_cannot_be_is_refused(client: Client, value: object) -> None:
    parent = factories.event(client)
    event = factories.event(client, post_parent=parent["id"])

    response = client.put(f"/events/{event['id']}", {"post_parent": value}, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == ["post_parent"]
    assert client.get(f"/events/{event['id']}").json["post_parent"] == parent["id"]


def test_id_of_another_kind_of_record_is_no_parent(client: Client) -> None:
    venue, event = factories.venue(client), factories.event(client)

    response = client.put(f"/events/{event['id']}", {"post_parent": venue["id"]}, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == ["post_parent"]


def test_event_cannot_be_its_own_parent(client: Client) -> None:
    event = factories.event(client)

    response = client.put(f"/events/{event['id']}", {"post_parent": event["id"]}, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == ["post_parent"]


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_event_cannot_be_below_itself(client: Client, steps: int) -> None:
    top = factories.event(client)
    below = top
    for _ in range(steps):
        below = factories.event(client, post_parent=below["id"])

    response = client.put(f"/events/{top['id']}", {"post_parent": below["id"]}, as_="admin", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert list(response.json["data"]["params"]) == ["post_parent"]
    assert client.get(f"/events/{top['id']}").json["post_parent"] == 0


def test_hidden_parent_is_kept_and_not_shown(client: Client) -> None:
    parent = factories.event(client, "author")
    event = factories.event(client, "author2", post_parent=parent["id"])
    put(client, parent, status="private")

    seen = {
        login: client.get(f"/events/{event['id']}", as_=login).json["post_parent"]
        for login in (None, "author2", "author", "editor")
    }
    changed = client.put(f"/events/{event['id']}", {"title": "New"}, as_="author2", status=200).json
    put(client, parent, status="publish")

    assert seen == {None: 0, "author2": 0, "author": parent["id"], "editor": parent["id"]}
    assert changed["post_parent"] == 0
    assert client.get(f"/events/{event['id']}").json["post_parent"] == parent["id"]


def test_trashed_parent_is_kept_for_its_return(client: Client) -> None:
    parent = factories.event(client)
    event = factories.event(client, post_parent=parent["id"])

    client.delete(f"/events/{parent['id']}", as_="admin", status=200)
    meanwhile = client.get(f"/events/{event['id']}").json["post_parent"]
    put(client, parent, status="publish")

    assert meanwhile == 0
    assert client.get(f"/events/{event['id']}").json["post_parent"] == parent["id"]
