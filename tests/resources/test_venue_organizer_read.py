"""Reading one venue or organizer, by id and by slug alike."""

from typing import Any

import pytest

from calendar_api.database.models import Organizer, Venue
from tests import factories
from tests.client import Client

MODELS = {"venue": Venue, "organizer": Organizer}

pytestmark = pytest.mark.parametrize("noun", MODELS)


def addresses(noun: str, record: Any) -> list[str]:
    return [f"/{noun}s/{record['id']}", f"/{noun}s/by-slug/{record['slug']}"]


def made(client: Client, noun: str, **fields: Any) -> Any:
    """A record with a slug, whatever its status."""
    status = fields.pop("status", "publish")
    record = getattr(factories, noun)(client, **fields)
    return client.patch(f"/{noun}s/{record['id']}", {"status": status}, as_="admin", status=200).json


def absent(client: Client, noun: str, address: str, as_: str | None) -> Any:
    response = client.get(address, as_=as_, status=404)
    assert response.json["code"] == f"rest-{noun}-not-found"
    assert response.json["data"] == {"status": 404}
    return response.json


def test_json_ld_is_on_single_reads_only(client: Client, noun: str) -> None:
    record = made(client, noun)
    id = record["id"]

    others = [
        record,
        client.get(f"/{noun}s", status=200).json[f"{noun}s"][0],
        client.patch(f"/{noun}s/{id}", {"phone": "1"}, as_="admin", status=200).json,
        client.delete(f"/{noun}s/{id}", as_="admin", status=200).json,
    ]

    assert [body["id"] for body in others if "json_ld" not in body] == [id] * 4


@pytest.mark.parametrize("login", [None, "admin"])
def test_slug_of_nothing(client: Client, noun: str, login: str | None) -> None:
    """404 (docs/interface.md#not-found)."""
    made(client, noun, **{noun: "Hall"})

    for slug in ("nothing", "hall-2", "hal", "%00", "%25"):
        absent(client, noun, f"/{noun}s/by-slug/{slug}", login)


@pytest.mark.both_databases
def test_slug_is_looked_up_decoded_and_in_any_case(client: Client, noun: str) -> None:
    latin, japanese = (made(client, noun, **{noun: name}) for name in ("Café à Paris", "東京ホール"))

    read = [
        client.get(f"/{noun}s/by-slug/{slug}", status=200).json["id"]
        for slug in (
            "cafe-a-paris",
            "CAFE-a-Paris",
            "%63afe-a-paris",
            "%E6%9D%B1%E4%BA%AC%E3%83%9B%E3%83%BC%E3%83%AB",
            "cafe-a-paris/",
        )
    ]

    assert read == [latin["id"], latin["id"], latin["id"], japanese["id"], latin["id"]]


def test_scheduled_record_is_hidden_until_its_moment(client: Client, noun: str) -> None:
    record = getattr(factories, noun)(client, date_utc=factories.day(3))

    for address in addresses(noun, record):
        absent(client, noun, address, None)
        assert client.get(address, as_="editor", status=200).json["status"] == "future"
