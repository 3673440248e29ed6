"""One event in every kind of body, and which part of a request goes before which.

See docs/interface.md#bodies.
"""

import pytest

from tests import factories
from tests.client import Client


@pytest.mark.parametrize("where", ["body", "query", "form"])
def test_path_decides_which_event(client: Client, where: str) -> None:
    """`id` is ignored and `slug` renames (docs/interface.md#bodies)."""
    event, other = factories.event(client, slug="this"), factories.event(client, slug="that", title="Other")
    path = f"/events/{event['id']}"
    fields = {"id": str(other["id"]), "title": "Changed", "slug": "new-name"}

    response = client.send(
        "PUT",
        path,
        fields if where == "body" else None,
        form=fields if where == "form" else None,
        params=fields if where == "query" else None,
        as_="admin",
        status=200,
    )

    assert (response.json["id"], response.json["title"]) == (event["id"], "Changed")
    assert response.json["slug"] == "new-name"
    assert client.get("/events/by-slug/that").json["title"] == "Other"
    client.get("/events/by-slug/this", status=404)


def test_slug_of_another_event_does_not_reach_that_event(client: Client) -> None:
    """A taken name gets a number (docs/interface.md#bodies)."""
    event, other = factories.event(client, slug="this"), factories.event(client, slug="that", title="Other")
    path = f"/events/{event['id']}"

    response = client.put(path, {"slug": "that", "title": "Changed"}, as_="admin", status=200)

    assert (response.json["id"], response.json["slug"]) == (event["id"], "that-2")
    assert client.get(f"/events/{other['id']}").json["title"] == "Other"
