"""The website of a venue and of an organizer: http and https only (docs/interface.md#texts)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.parametrize("noun", ["venue", "organizer"])


@pytest.mark.parametrize(
    "website",
    [
        "http://x.example.org",
        "https://x.example.org/a?b=c&d=%20#e",
        "HTTPS://X.example.org/",
        "http://localhost:8080/",
        "https://user@x.example.org/~a/'b'",
        "http://[::1]/",
    ],
)
def test_website_is_echoed_as_it_was_sent(client: Client, noun: str, website: str) -> None:
    record = getattr(factories, noun)(client, website=website)

    assert record["website"] == website
    assert client.get(f"/{noun}s/{record['id']}", status=200).json["json_ld"]["sameAs"] == website


@pytest.mark.parametrize(
    "website",
    [
        "x.example.org", "//x.example.org", "foo", " ", "0", "http://", "https:///path", "http:x.example.org",
        "javascript:alert(1)", "javascript://x.example.org/%0aalert(1)", "ftp://x.example.org",
        "mailto:a@b.org",
        "data:text/html,x", "http://a b.example.org/", "http://x.example.org/\n", 'http://x.example.org/"',
        "http://x.example.org/<b>", "http://straße.example", "http://x.example.org:99999", "http://x:y/",
        "https://x.example.org/" + "a" * 2048, 5, True, ["http://x.example.org"], {"a": "b"},
    ],
)  # fmt: skip
def test_website_that_is_no_address(client: Client, noun: str, website: Any) -> None:
    record = getattr(factories, noun)(client, website="https://x.example.org/")

    for address, body in ((f"/{noun}s", {noun: "New"}), (f"/{noun}s/{record['id']}", {})):
        response = client.post(address, {**body, "website": website}, as_="admin", status=400)
        assert response.json["code"] == "rest_invalid_param"
        assert list(response.json["data"]["params"]) == ["website"]
    assert client.get(f"/{noun}s", status=200).json[f"{noun}s"] == [record]
