"""Reading one venue or organizer, by id and by slug alike."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.parametrize("noun", ["venue", "organizer"])


def addresses(noun: str, record: Any) -> list[str]:
    return [f"/{noun}s/{record['id']}", f"/{noun}s/by-slug/{record['slug']}"]


def test_json_ld_is_on_single_reads_only(client: Client, noun: str) -> None:
    record = getattr(factories, noun)(client)
    id = record["id"]

    others = [
        record,
        client.get(f"/{noun}s", status=200).json[f"{noun}s"][0],
        client.patch(f"/{noun}s/{id}", {"phone": "1"}, as_="admin", status=200).json,
        client.delete(f"/{noun}s/{id}", as_="admin", status=200).json,
    ]

    assert [body["id"] for body in others if "json_ld" not in body] == [id] * 4


def test_slug_of_nothing(client: Client, noun: str) -> None:
    """404 (docs/interface.md#not-found)."""
    getattr(factories, noun)(client, **{noun: "Hall"})

    for login in (None, "admin"):
        for slug in ("nothing", "hall-2", "hal", "%00", "%25", "%3Cscript%3E", "%20"):
            response = client.get(f"/{noun}s/by-slug/{slug}", as_=login, status=404)

            assert response.json["code"] == f"rest-{noun}-not-found"
            assert response.json["data"] == {"status": 404}


def test_scheduled_record_is_hidden_until_its_moment(client: Client, noun: str) -> None:
    record = getattr(factories, noun)(client, date_utc=factories.day(3))

    for address in addresses(noun, record):
        client.get(address, status=404)
        assert client.get(address, as_="editor", status=200).json["status"] == "future"
