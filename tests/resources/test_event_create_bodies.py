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


@KINDS
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_kinds_of_body_give_the_same_update(client: Client, kind: str, method: str) -> None:
    expected = sent(client, "json", "POST", "/events").json
    event = factories.event(client)

    response = sent(client, kind, method, f"/events/{event['id']}")

    own = (*OWN, "slug", "modified", "modified_utc")
    assert response.status_int == 200
    assert {key: value for key, value in response.json.items() if key not in own} == {
        key: value for key, value in expected.items() if key not in own
    }


@pytest.mark.parametrize("kind", ["json", "form", "multipart"])
def test_body_goes_before_the_query_string(client: Client, kind: str) -> None:
    query = {"title": "From the query", "excerpt": "Only there"}

    response = client.send(
        "POST",
        "/events",
        EVENT if kind == "json" else None,
        params=query,
        form=PAIRS if kind == "form" else None,
        raw=multipart(PAIRS) if kind == "multipart" else None,
        content_type="multipart/form-data; boundary=xyz" if kind == "multipart" else "",
        as_="admin",
        status=201,
    )

    assert response.json["title"] == "Café &#038; Concert"
    assert response.json["excerpt"] == "<p>Only there</p>"


@pytest.mark.parametrize("by", ["id", "slug"])
@pytest.mark.parametrize("where", ["body", "query", "form"])
def test_path_decides_which_event(client: Client, by: str, where: str) -> None:
    """`id` is ignored and `slug` renames (docs/interface.md#bodies)."""
    event, other = factories.event(client, slug="this"), factories.event(client, slug="that", title="Other")
    path = f"/events/{event['id']}" if by == "id" else "/events/by-slug/this"
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


@pytest.mark.parametrize("by", ["id", "slug"])
def test_slug_of_another_event_does_not_reach_that_event(client: Client, by: str) -> None:
    """A taken name gets a number (docs/interface.md#bodies)."""
    event, other = factories.event(client, slug="this"), factories.event(client, slug="that", title="Other")
    path = f"/events/{event['id']}" if by == "id" else "/events/by-slug/this"

    response = client.put(path, {"slug": "that", "title": "Changed"}, as_="admin", status=200)

    assert (response.json["id"], response.json["slug"]) == (event["id"], "that-2")
    assert client.get(f"/events/{other['id']}").json["title"] == "Other"


def test_scalar_that_is_repeated_keeps_its_last_value(client: Client) -> None:
    form = [*PAIRS, ("title", "Second"), ("title", "Third")]

    response = client.send("POST", "/events", form=form, as_="admin", status=201)

    assert response.json["title"] == "Third"


@pytest.mark.parametrize("raw", [b"[1]", b'"text"', b"5", b"null", b"true", b"", b"  "])
def test_json_without_names_means_no_fields(client: Client, raw: bytes) -> None:
    response = client.send(
        "POST", "/events", raw=raw, content_type="application/json", as_="admin", status=400
    )

    assert response.json["code"] == "rest_missing_callback_param"
    assert response.json["data"]["params"] == ["title", "start_date", "end_date"]


def test_body_of_an_unknown_type_is_refused(client: Client) -> None:
    response = client.send(
        "POST", "/events", raw=b"title: x", content_type="text/yaml", as_="admin", status=415
    )

    assert response.json["code"] == "rest_unsupported_media_type"


@pytest.mark.parametrize("raw", [b"{", b"{'title': 1}", b'{"title": NaN}', b'{"a": 1,}', b"\xff"])
def test_json_that_cannot_be_read_is_refused(client: Client, raw: bytes) -> None:
    response = client.send(
        "POST", "/events", raw=raw, content_type="application/json", as_="admin", status=400
    )

    assert response.json["code"] == "rest_invalid_json"
    assert response.json["data"]["json_error_code"] in (4, 5)


def test_file_of_a_form_is_passed_over(client: Client) -> None:
    part = '--xyz\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\nbytes\r\n'
    raw = part.encode() + multipart(PAIRS)

    response = client.send(
        "POST",
        "/events",
        raw=raw,
        content_type="multipart/form-data; boundary=xyz",
        as_="admin",
        status=201,
    )

    assert response.json["image"] is False


def test_multipart_body_that_cannot_be_read_is_refused(client: Client) -> None:
    response = client.send(
        "POST", "/events", raw=b"nothing", content_type="multipart/form-data", as_="admin", status=400
    )

    assert response.json["code"] == "rest_invalid_body"


def test_query_string_alone_changes_an_event(client: Client) -> None:
    event = factories.event(client, venue={"venue": "Hall"})

    response = client.send(
        "PATCH", f"/events/{event['id']}?title=New&venue=&tags[]=a", as_="admin", status=200
    )

    assert response.json["title"] == "New"
    assert response.json["venue"] == []
    assert [tag["name"] for tag in response.json["tags"]] == ["a"]
