"""Parent event and tickets, fields of ours (docs/interface.md#event-filters, #own-fields)."""

from typing import Any

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client


def put(client: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.put(f"/events/{event['id']}", fields, as_="admin", status=200).json
    return answer


def test_parent_is_set_changed_and_removed(client: Client) -> None:
    a, b = factories.event(client), factories.event(client)

    event = factories.event(client, post_parent=a["id"])
    changed = put(client, event, post_parent=str(b["id"]))
    kept = put(client, event, title="New")
    removed = put(client, event, post_parent="0")

    assert [one["post_parent"] for one in (event, changed, kept, removed)] == [a["id"], b["id"], b["id"], 0]
    assert Event.get_by_id(event["id"]).parent_id is None


def test_parent_that_cannot_be_is_refused(client: Client) -> None:
    """A record of another kind, the event itself, and one below it."""
    top = factories.event(client)
    child = factories.event(client, post_parent=top["id"])
    grandchild = factories.event(client, post_parent=child["id"])

    for record in (factories.venue(client), top, child, grandchild):
        response = client.put(f"/events/{top['id']}", {"post_parent": record["id"]}, as_="admin", status=400)

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
