"""POST may stand for PUT, PATCH or DELETE: by header or by `_method` (docs/interface.md#method-override)."""

import pytest

from tests import factories
from tests.client import Client

HEADER = "X-HTTP-Method-Override"


@pytest.fixture
def path(client: Client) -> str:
    return f"/venues/{factories.venue(client)['id']}"


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {HEADER: "PUT"}),
        ("", {HEADER: "Patch"}),
        ("?_method=put", {}),
        ("?_method=DELETE", {HEADER: "PUT"}),  # the header goes first
        ("?_method=DELETE&_method=PUT", {}),  # the last parameter counts
    ],
)
def test_post_stands_for_an_update(client: Client, path: str, query: str, headers: dict[str, str]) -> None:
    changed = client.post(path + query, {"city": "Rome"}, as_="admin", headers=headers, status=200)

    assert changed.json["city"] == "Rome"
    client.get(path, status=200)


@pytest.mark.parametrize("method", ["GET", "OPTIONS", "POST", "FOO", "", "DELETE,PUT", "DELETE "])
def test_other_methods_are_passed_over(client: Client, method: str) -> None:
    headers = {HEADER: method} if method.strip() == method else {}
    query = "" if headers else "?_method=DELETE%20"

    made = client.post(f"/tags{query}", {"name": "x"}, as_="admin", headers=headers, status=201)

    assert client.get(f"/tags/{made.json['id']}", status=200).json["name"] == "x"


def test_only_post_can_stand_for_another(client: Client, path: str) -> None:
    for method in ("GET", "HEAD", "OPTIONS", "PUT", "PATCH"):
        client.send(method, f"{path}?_method=DELETE", as_="admin", headers={HEADER: "DELETE"}, status=200)
    client.post(path, {"_method": "DELETE"}, as_="admin", status=200)
    client.post(path, form={"_method": "DELETE"}, as_="admin", status=200)

    client.get(path, status=200)


def test_answer_to_an_overridden_method_is_not_kept(client: Client, path: str) -> None:
    removed = client.post(path, as_="admin", headers={HEADER: "DELETE"}, status=200)

    assert removed.json["status"] == "trash"
    assert removed.headers["Cache-Control"] == "private, no-store"
    assert "ETag" not in removed.headers
