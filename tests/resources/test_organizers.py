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


@pytest.mark.parametrize(
    "email",
    ["ann", "ann@", "@example.org", "ann@example", "a@b.org, c@d.org", "a b@example.org", "ann@example.org\n",
     "Ann <ann@example.org>", "ann@-example.org", "a@b@example.org", "x" * 65 + "@example.org",
     5, True, ["a"]],
)  # fmt: skip
def test_email_that_is_no_address(client: Client, email: Any) -> None:
    """See docs/interface.md#texts."""
    record = factories.organizer(client, email="ann@example.org")

    for address, body in (("/organizers", {"organizer": "New"}), (f"/organizers/{record['id']}", {})):
        response = client.post(address, {**body, "email": email}, as_="admin", status=400)
        assert response.json["code"] == "rest_invalid_param"
        assert list(response.json["data"]["params"]) == ["email"]
    assert client.get("/organizers", status=200).json["organizers"] == [record]


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


def test_organizer_has_no_map_and_no_place(client: Client) -> None:
    record = factories.organizer(client, show_map=False, city="Rome", geo_lat=1, geo_lng=1, venue="Hall")

    assert list(record) == [
        "id", "author", "status", "date", "date_utc", "modified", "modified_utc", "url", "organizer", "slug",
        "global_id", "global_id_lineage",
    ]  # fmt: skip


def test_phone_that_is_zero_counts_as_empty(client: Client) -> None:
    assert "phone" not in factories.organizer(client, phone="0")
