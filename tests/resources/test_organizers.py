"""What only organizers have: an e-mail address; and their website."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client


def patched(client: Client, id: int, **fields: Any) -> Any:
    return client.patch(f"/organizers/{id}", fields, as_="admin", status=200).json


@pytest.mark.parametrize(
    "email",
    ["ann@example.org", "a.b+c@mail.example.co.uk", "ü@example.org", "ann@bücher.example", "A@EXAMPLE.org"],
)
def test_email_is_echoed(client: Client, email: str) -> None:
    record = factories.organizer(client, email=email)

    assert record["email"] == email
    assert client.get(f"/organizers/{record['id']}", status=200).json["json_ld"]["email"] == email


@pytest.mark.parametrize("empty", ["", None])
def test_email_phone_and_website_are_cleared(client: Client, empty: str | None) -> None:
    """An explicit null clears as well (docs/interface.md#updates)."""
    sent = {"email": "ann@example.org", "phone": "555", "website": "https://ann.example.org/"}
    record = factories.organizer(client, **sent)

    cleared = patched(client, record["id"], **dict.fromkeys(sent, empty))

    assert {name: record[name] for name in sent} == sent
    assert list(cleared) == [name for name in record if name not in sent]


def test_fields_that_are_not_sent_are_kept(client: Client) -> None:
    sent = {"email": "ann@example.org", "phone": "555", "website": "https://ann.example.org/"}
    record = factories.organizer(client, **sent)

    kept = patched(client, record["id"], description="New")

    assert {name: kept[name] for name in sent} == sent


def test_phone_that_is_zero_counts_as_empty(client: Client) -> None:
    assert "phone" not in factories.organizer(client, phone="0")
