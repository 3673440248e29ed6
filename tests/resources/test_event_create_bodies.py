"""One event in every kind of body, and which part of a request goes before which.

See docs/interface.md#bodies.
"""

import json
from typing import Any

import pytest

from tests import factories
from tests.client import Client

EVENT: dict[str, Any] = {
    "title": "Café & <i>Concert</i>",
    "description": "First line\nSecond line",
    "status": "draft",
    "date_utc": "2030-05-01 12:00:00",
    "timezone": "Europe/Berlin",
    "start_date": "2031-01-10 10:00:00",
    "end_date": "2031-01-10 12:00:00",
    "all_day": "false",
    "featured": "true",
    "ticketed": "1",
    "cost": ["10", "20"],
    "website": "https://example.org/?a=1&b=2",
    "categories": ["Music", "Old & new"],
    "tags": "live,loud",
    "venue": {"venue": "Hall", "city": "Köln", "show_map": "no"},
    "organizer": [{"organizer": "Ann", "email": "ann@example.org"}, {"organizer": "Bob", "phone": "1"}],
}
PAIRS = [
    ("title", "Café & <i>Concert</i>"),
    ("description", "First line\nSecond line"),
    ("status", "draft"),
    ("date_utc", "2030-05-01 12:00:00"),
    ("timezone", "Europe/Berlin"),
    ("start_date", "2031-01-10 10:00:00"),
    ("end_date", "2031-01-10 12:00:00"),
    ("all_day", "false"),
    ("featured", "true"),
    ("ticketed", "1"),
    ("cost[]", "10"),
    ("cost[]", "20"),
    ("website", "https://example.org/?a=1&b=2"),
    ("categories[0]", "Music"),
    ("categories[1]", "Old & new"),
    ("tags", "live,loud"),
    ("venue[venue]", "Hall"),
    ("venue[city]", "Köln"),
    ("venue[show_map]", "no"),
    ("organizer[0][organizer]", "Ann"),
    ("organizer[0][email]", "ann@example.org"),
    ("organizer[1][organizer]", "Bob"),
    ("organizer[1][phone]", "1"),
]
OWN = ("id", "global_id", "global_id_lineage", "url", "rest_url")


def multipart(pairs: list[tuple[str, str]]) -> bytes:
    parts = [
        f'--xyz\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in pairs
    ]
    return ("".join(parts) + "--xyz--\r\n").encode()


def sent(client: Client, kind: str, method: str, path: str) -> Any:
    match kind:
        case "json":
            return client.send(method, path, EVENT, as_="admin")
        case "other json":
            raw = json.dumps(EVENT).encode()
            return client.send(method, path, raw=raw, content_type="application/vnd.x+json", as_="admin")
        case "form":
            return client.send(method, path, form=PAIRS, as_="admin")
        case "multipart":
            raw, kind = multipart(PAIRS), "multipart/form-data; boundary=xyz"
            return client.send(method, path, raw=raw, content_type=kind, as_="admin")
        case _:
            return client.send(method, path, params=PAIRS, as_="admin")


KINDS = pytest.mark.parametrize("kind", ["other json", "form", "multipart", "query"])


@KINDS
def test_kinds_of_body_give_the_same_event(client: Client, kind: str) -> None:
    expected = sent(client, "json", "POST", "/events").json

    response = sent(client, kind, "POST", "/events")

    assert response.status_int == 201
    assert {key: value for key, value in response.json.items() if key not in OWN} == {
        key: value for key, value in expected.items() if key not in OWN
    }
    assert response.json["title"] == "Café &#038; Concert"
    assert response.json["venue"]["city"] == "Köln"
    assert [person["organizer"] for person in response.json["organizer"]] == ["Ann", "Bob"]
    assert response.json["cost_details"]["values"] == ["10", "20"]


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
