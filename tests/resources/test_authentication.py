"""Credentials: Basic, Bearer, what counts as none, and what is refused (docs/interface.md#authentication)."""

from typing import Any

import pytest
from webtest import TestResponse

from calendar_api import database
from calendar_api.store import users
from tests import factories
from tests.client import Client, basic
from tests.templates import path_of

BEARER = 'Bearer realm="calendar"'


def get(client: Client, authorization: str, path: str = "/tags", **more: Any) -> TestResponse:
    return client.get(path, headers={"Authorization": authorization}, **more)


def allowed(client: Client, authorization: str) -> bool:
    """Whether these credentials are those of a user who may create tags."""
    return bool(get(client, authorization, status=200).headers["Allow"] == "GET, POST")


def test_basic_and_bearer_in_every_spelling(client: Client) -> None:
    """Schemes in any letter case; spaces in the secret do not count."""
    encoded, secret = client.basic("admin").removeprefix("Basic "), client.secrets["admin"]
    assert " " in secret
    for header in (f"bAsIc {encoded}", f"  BASIC   {encoded}  ", f"bEARER {secret}"):
        assert allowed(client, header), header
    for spelling in (secret.replace(" ", ""), f"  {secret}  ", " ".join(secret.replace(" ", ""))):
        assert allowed(client, basic("admin", spelling))
        assert allowed(client, f"Bearer {spelling}")


def test_every_password_of_a_user_works_until_it_is_revoked(client: Client) -> None:
    """The next request knows, also when the role has changed."""
    with database.write():
        user = users.by_login("editor")
        second = basic("editor", users.add_password(user, "second", "2026-01-01 00:00:00"))
        first_id = users.passwords_of(user)[0].id
    assert allowed(client, client.basic("editor"))
    assert allowed(client, second)

    with database.write():
        users.revoke_password(user, first_id)
    assert get(client, client.basic("editor")).status_int == 401
    assert allowed(client, second)

    with database.write():
        users.set_role("editor", "subscriber")
    assert not allowed(client, second)


def test_wrong_credentials_fail_on_every_route(client: Client) -> None:
    wrong = {"Authorization": basic("admin", "wrong")}
    for method, path in (
        ("GET", "/"), ("POST", "/events"), ("PUT", "/events/by-slug/x"), ("DELETE", "/tags/1"),
        ("HEAD", "/events"), ("OPTIONS", "/tags"),
    ):  # fmt: skip
        response = client.send(method, path, headers=wrong, status=401)
        assert response.headers.getall("WWW-Authenticate") == [BEARER]
        assert method == "HEAD" or response.json["code"] == "rest_not_authenticated"


def test_wrong_user_and_wrong_secret_answer_alike(client: Client) -> None:
    secret = client.secrets["admin"]
    logins = (
        ("nobody", "wrong"), ("nobody", secret), ("admin", "wrong"), ("editor", secret), ("ADMIN", secret),
        ("admin", secret[:-1]), ("admin", secret.swapcase()), ("admin\x00", secret), ("admin", "ä" * 5000),
    )  # fmt: skip
    seen = set()
    for one in (*(basic(*login) for login in logins), "Bearer wrong", f"Bearer admin:{secret}"):
        answer = get(client, one, "/tags/999999", status=401)
        del answer.headers["X-Request-Id"]
        seen.add((answer.body, tuple(answer.headers.items())))
    assert len(seen) == 1


def test_malformed_and_other_credentials_count_as_none(client: Client) -> None:
    tag = factories.tag(client)["id"]

    for header in (
        "", "Basic", "Basic !!!", basic("no", "")[:-4], basic("", "secret"), basic("admin", ""),
        "Basic //46/w==", "Bearer ", "Digest username=admin", "=== ,,,",
    ):  # fmt: skip
        read = get(client, header, f"/tags/{tag}", status=200)
        write = client.delete(f"/tags/{tag}", headers={"Authorization": header}, status=401)
        assert read.headers["Allow"] == "GET"
        assert write.json["code"] == "rest_forbidden"


def test_secret_in_the_query_string_is_no_credential(client: Client) -> None:
    secret = client.secrets["admin"]
    response = client.post("/tags", {"name": "x"}, params={"access_token": secret, "password": secret})
    assert (response.status_int, response.json["code"]) == (401, "rest_forbidden")


@pytest.mark.sqlite
def test_secrets_are_not_stored(client: Client, database_url: str) -> None:
    content = path_of(database_url).read_bytes()
    for secret in client.secrets.values():
        assert secret.encode() not in content
        assert secret.replace(" ", "").encode() not in content
