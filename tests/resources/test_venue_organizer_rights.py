"""Who may do what to a venue or an organizer: role, owner and publication against every method."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

WRITES = ("POST", "PUT", "PATCH", "DELETE")

# Status of a read, and of every write, on: own published, own draft, other's published, other's draft
# (docs/interface.md#roles, #order-of-checks, #visibility: nobody gets 401 for any write, hidden is 404,
# readable only is 403).
RIGHTS = {
    "subscriber": ((200, 403), (404, 403), (200, 403), (404, 403)),
    "contributor": ((200, 403), (200, 200), (200, 403), (404, 404)),
    "author": ((200, 200), (200, 200), (200, 403), (404, 404)),
    "editor": ((200, 200), (200, 200), (200, 200), (200, 200)),
    "admin": ((200, 200), (200, 200), (200, 200), (200, 200)),
    None: (None, None, (200, 401), (404, 401)),
}
RECORDS = (("own", "publish"), ("own", "draft"), ("other", "publish"), ("other", "draft"))
MATRIX = [
    (login, owner, status, *allowed)
    for login, row in RIGHTS.items()
    for (owner, status), allowed in zip(RECORDS, row, strict=True)
    if allowed is not None
]


def made(client: Client, noun: str, owner: str, status: str) -> Any:
    """A record of this user; it has been public once, so that a draft has a slug as well."""
    record = getattr(factories, noun)(client, author=client.ids[owner], phone="1")
    return client.patch(f"/{noun}s/{record['id']}", {"status": status}, as_="admin", status=200).json


def code(noun: str, status: int) -> str:
    return f"rest-{noun}-not-found" if status == 404 else "rest_forbidden"


@pytest.mark.parametrize(("login", "owner", "published", "read", "write"), MATRIX)
@pytest.mark.parametrize("by", ["id", "slug"])
@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_rights_by_id_and_by_slug(
    client: Client, noun: str, by: str, login: str | None, owner: str, published: str, read: int, write: int
) -> None:
    other = "author2" if login != "author2" else "author"
    record = made(client, noun, str(login) if owner == "own" else other, published)
    by_id = f"/{noun}s/{record['id']}"
    address = by_id if by == "id" else f"/{noun}s/by-slug/{record['slug']}"
    before = client.get(by_id, as_="admin", status=200).json

    answer = client.get(address, as_=login, status=read)
    assert (answer.json["id"] if read == 200 else answer.json["code"]) == (
        record["id"] if read == 200 else code(noun, read)
    )
    for method in WRITES:
        body = None if method == "DELETE" else {"phone": method}
        answer = client.send(method, address, body, as_=login, status=write)
        after = client.get(by_id, as_="admin", status=200).json
        if write != 200:
            assert answer.json["code"] == code(noun, write)
            assert after == before
        elif method == "DELETE":
            assert (after["id"], after["status"]) == (record["id"], "trash")
        else:
            assert (after["phone"], after["status"]) == (method, published)


@pytest.mark.parametrize("noun", ["venue", "organizer"])
@pytest.mark.parametrize("status", ["private", "future"])
def test_contributor_does_not_change_own_private_and_scheduled_records(
    client: Client, noun: str, status: str
) -> None:
    record = made(client, noun, "contributor", "publish")
    change = {"status": "private"} if status == "private" else {"date": factories.day(9)}
    client.patch(f"/{noun}s/{record['id']}", change, as_="admin", status=200)

    for address in (record["id"], f"by-slug/{record['slug']}"):
        read = client.get(f"/{noun}s/{address}", as_="contributor", status=200).json
        assert read["status"] == status
        for method in WRITES:
            answer = client.send(method, f"/{noun}s/{address}", {}, as_="contributor", status=403)
            assert answer.json["code"] == "rest_forbidden"


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_contributor_trashes_and_restores_an_own_draft(client: Client, noun: str) -> None:
    record = made(client, noun, "contributor", "draft")

    trashed = client.delete(f"/{noun}s/{record['id']}", as_="contributor", status=200).json
    restored = client.patch(
        f"/{noun}s/{record['id']}", {"status": "publish"}, as_="contributor", status=200
    ).json

    assert (trashed["status"], restored["status"]) == ("trash", "pending")


@pytest.mark.parametrize("noun", ["venue", "organizer"])
@pytest.mark.parametrize(
    ("login", "status"),
    [
        (None, 401),
        ("subscriber", 403),
        ("contributor", 201),
        ("author", 201),
        ("editor", 201),
        ("admin", 201),
    ],
)
def test_right_to_create(client: Client, noun: str, login: str | None, status: int) -> None:
    response = client.post(f"/{noun}s", {noun: "Hall"}, as_=login, status=status)

    if status == 201:
        assert response.json["author"] == str(client.ids[str(login)])
    else:
        assert response.json["code"] == "rest_forbidden"


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_refusals_tell_nothing_apart_that_the_caller_may_not_read(client: Client, noun: str) -> None:
    """The answer for a hidden record is the answer for none, byte for byte (docs/interface.md#visibility)."""
    hidden = made(client, noun, "admin", "draft")

    for login in ("contributor", "author"):
        for method in ("GET", *WRITES):
            answers = [
                client.send(method, f"/{noun}s/{address}", as_=login, status=404).body
                for address in (hidden["id"], f"by-slug/{hidden['slug']}", 999_999, "by-slug/nothing")
            ]
            assert answers == [answers[0]] * 4


@pytest.mark.parametrize("noun", ["venue", "organizer"])
@pytest.mark.parametrize("method", ["GET", *WRITES])
def test_wrong_credentials_fail_everywhere(client: Client, noun: str, method: str) -> None:
    """On public routes too (docs/interface.md#authentication)."""
    record = made(client, noun, "admin", "publish")
    wrong = {"Authorization": "Basic YWRtaW46d3Jvbmc="}

    for address in (record["id"], f"by-slug/{record['slug']}"):
        response = client.send(method, f"/{noun}s/{address}", headers=wrong, status=401)
        assert response.json["code"] == "rest_not_authenticated"
