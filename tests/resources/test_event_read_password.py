"""Events under a password: set, changed, removed, the key on reads, the mask in lists.

See docs/interface.md#passwords.
"""

import hashlib
from typing import Any

import pytest

from calendar_api import database
from calendar_api.database.models import Event
from tests import factories
from tests.client import Client

SECRET: dict[str, Any] = {
    "description": "Secret text", "excerpt": "Secret text", "cost": "77", "website": "https://secret.example",
    "image": "https://images.example/secret.png", "categories": "Secret category", "tags": "Secret tag",
    "venue": {"venue": "Secret hall"}, "organizer": [{"organizer": "Secret group"}], "show_map": True,
    "show_map_link": True, "sticky": True, "featured": True, "all_day": True, "ticketed": True,
}  # fmt: skip


def protected(client: Client, as_: str = "author", **fields: Any) -> dict[str, Any]:
    event = factories.event(client, "admin", slug="locked", title="Locked", password="the key", **fields)
    client.put(f"/events/{event['id']}", {"author": client.ids[as_]}, as_="admin", status=200)
    return event


@pytest.mark.parametrize("login", [None, "contributor", "author2"])
def test_without_the_key_it_is_refused(client: Client, login: str | None) -> None:
    event = protected(client, **SECRET)
    factories.event(client, password="other key")

    for query in (
        "",
        "?password=The%20key",
        "?password=the%20key%20",
        "?password=other%20key",
        "?pass=the%20key",
    ):
        response = client.get(f"/events/{event['id']}{query}", as_=login, status=403)

        assert response.json["code"] == "event-password-protected"
        assert response.json["data"] == {"status": 403}
        assert "Secret" not in response.text


def test_key_that_cannot_be_is_refused(client: Client) -> None:
    event = protected(client)

    for key in ("", "x" * 256, "a\nb"):
        response = client.get(f"/events/{event['id']}", {"password": key}, status=400)

        assert response.json["code"] == "rest_invalid_param"
        assert list(response.json["data"]["params"]) == ["password"]


def test_last_of_several_keys_counts(client: Client) -> None:
    event = protected(client)

    client.get(f"/events/{event['id']}?password=wrong&password=the%20key", status=200)
    client.get(f"/events/{event['id']}?password=the%20key&password=wrong", status=403)


def test_key_on_an_open_event_has_no_effect(client: Client) -> None:
    event = factories.event(client)

    plain = client.get(f"/events/{event['id']}").text

    assert client.get(f"/events/{event['id']}?password=anything").text == plain


def test_password_is_never_answered_and_never_stored_plain(client: Client) -> None:
    event = protected(client)
    changed = client.put(f"/events/{event['id']}", {"password": "new key"}, as_="admin", status=200)
    read = client.get(f"/events/{event['id']}", as_="admin")

    assert "password" not in event
    assert "new key" not in changed.text + read.text
    assert "scrypt$" not in changed.text + read.text
    stored = Event.get_by_id(event["id"]).password
    assert stored.startswith("scrypt$")
    assert "new key" not in stored


@pytest.mark.parametrize("path", ["/events/{id}", "/events"])
def test_older_digest_opens_and_is_replaced_when_it_is_used(client: Client, path: str) -> None:
    event = protected(client, **SECRET)
    old = "scrypt$" + "07" * 16 + "$" + hashlib.scrypt(b"the key", salt=b"\7" * 16, n=1024, r=8, p=1).hex()
    with database.write():
        Event.update(password=old).where(Event.id == event["id"]).execute()
    address = path.format(**event)
    modified = client.get(f"/events/{event['id']}", as_="admin").json["modified"]

    client.get(address, {"password": "wrong"})
    after_wrong = Event.get_by_id(event["id"]).password
    answers = [client.get(address, {"password": "the key"}, status=200).text for _ in range(2)]
    renewed = Event.get_by_id(event["id"])

    assert after_wrong == old
    assert "Secret hall" in answers[0]
    assert answers[0] == answers[1]
    assert renewed.password.startswith("scrypt$16384$")
    assert client.get(f"/events/{event['id']}", as_="admin").json["modified"] == modified


def test_password_is_changed_and_removed(client: Client) -> None:
    event = protected(client)
    path = f"/events/{event['id']}"

    client.put(path, {"password": "new key"}, as_="author", status=200)
    old, new = client.get(path, {"password": "the key"}), client.get(path, {"password": "new key"})
    client.put(path, {"password": ""}, as_="author", status=200)

    assert [response.status_int for response in (old, new, client.get(path))] == [403, 200, 200]


@pytest.mark.parametrize("password", ["ä ö 🎉", "x" * 255, "0", "a&b=c%20d"])
def test_any_printable_password(client: Client, password: str) -> None:
    event = factories.event(client, password=password)

    client.get(f"/events/{event['id']}", {"password": password}, status=200)


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_writers_need_no_key_and_get_the_whole_record(client: Client, method: str) -> None:
    event = protected(client, **SECRET)
    body = {"title": "New"} if method == "PUT" else None

    answer = client.send(method, f"/events/{event['id']}", body, as_="author", status=200).json

    assert answer["description"] == "<p>Secret text</p>"
    assert answer["venue"]["venue"] == "Secret hall"
    assert Event.get_by_id(event["id"]).password != ""
