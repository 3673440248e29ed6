"""POST may stand for PUT, PATCH or DELETE: by header or by `_method` (docs/interface.md#method-override)."""

import pytest

from tests import factories
from tests.client import Client

HEADER = "X-HTTP-Method-Override"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "put", "Patch"])
@pytest.mark.parametrize("way", ["header", "parameter"])
def test_post_stands_for_an_update(client: Client, way: str, method: str) -> None:
    venue = factories.venue(client)
    path = f"/venues/{venue['id']}"

    if way == "header":
        changed = client.post(path, {"city": "Rome"}, as_="admin", headers={HEADER: method}, status=200)
    else:
        changed = client.post(f"{path}?_method={method}", {"city": "Rome"}, as_="admin", status=200)

    assert changed.json["city"] == "Rome"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "FOO", "", "DELETE,PUT", "DELETE "])
def test_other_methods_are_passed_over(client: Client, method: str) -> None:
    headers = {HEADER: method} if method.strip() == method else {}
    query = "" if headers else "?_method=DELETE%20"

    made = client.post(f"/tags{query}", {"name": "x"}, as_="admin", headers=headers, status=201)

    assert client.get(f"/tags/{made.json['id']}", status=200).json["name"] == "x"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT", "PATCH"])
def test_only_post_can_stand_for_another(client: Client, method: str) -> None:
    path = f"/venues/{factories.venue(client)['id']}"

    client.send(method, f"{path}?_method=DELETE", as_="admin", headers={HEADER: "DELETE"}, status=200)

    client.get(path, status=200)


def test_header_goes_before_the_parameter(client: Client) -> None:
    path = f"/venues/{factories.venue(client)['id']}"

    client.post(f"{path}?_method=DELETE", {"city": "x"}, as_="admin", headers={HEADER: "PUT"}, status=200)

    assert client.get(path, status=200).json["city"] == "x"


def test_last_of_several_parameters_counts(client: Client) -> None:
    path = f"/venues/{factories.venue(client)['id']}"

    client.post(f"{path}?_method=DELETE&_method=PUT", {"city": "x"}, as_="admin", status=200)

    assert client.get(path, status=200).json["city"] == "x"


def test_field_of_the_body_does_not_count(client: Client) -> None:
    path = f"/venues/{factories.venue(client)['id']}"

    client.post(path, {"_method": "DELETE"}, as_="admin", status=200)
    client.post(path, form={"_method": "DELETE"}, as_="admin", status=200)

    client.get(path, status=200)


def test_answer_to_an_overridden_method_is_not_kept(client: Client) -> None:
    path = f"/venues/{factories.venue(client)['id']}"

    removed = client.post(path, as_="admin", headers={HEADER: "DELETE"}, status=200)

    assert removed.headers["Cache-Control"] == "private, no-store"
    assert "ETag" not in removed.headers
