"""Reading one venue or organizer, by id and by slug alike."""

from typing import Any

import pytest

from calendar_api import database
from calendar_api.database.models import Organizer, Venue
from tests import factories
from tests.client import Client

MODELS = {"venue": Venue, "organizer": Organizer}
FULL: dict[str, dict[str, Any]] = {
    "venue": {
        "address": "1 Main",
        "city": "Rome",
        "country": "Italy",
        "province": "Lazio",
        "state": "RM",
        "zip": "00100",
        "phone": "555",
        "website": "https://hall.example.org/",
        "stateprovince": "Lazio",
        "geo_lat": 41.9,
        "geo_lng": 12.5,
    },
    "organizer": {"phone": "555", "website": "https://ann.example.org/", "email": "ann@example.org"},
}
FLAGS: dict[str, list[str]] = {"venue": ["show_map", "show_map_link"], "organizer": []}

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


def test_all_keys_by_id_and_by_slug(client: Client, noun: str) -> None:
    record = made(
        client,
        noun,
        **{noun: "The Hall"},
        description="Big",
        image="https://pics.example.org/a.png",
        date_utc="2026-01-01 10:00:00",
        **FULL[noun],
    )
    with database.write():
        MODELS[noun].update(excerpt="Short").where(MODELS[noun].id == record["id"]).execute()

    by_id, by_slug = (client.get(address, status=200).json for address in addresses(noun, record))

    assert by_id == by_slug
    assert list(by_id) == list(by_slug) == [
        "id", "author", "status", "date", "date_utc", "modified", "modified_utc", "url", noun,
        "description", "excerpt", "slug", "image", *FULL[noun], "json_ld", *FLAGS[noun],
        "global_id", "global_id_lineage",
    ]  # fmt: skip
    assert {name: by_id[name] for name in FULL[noun]} == FULL[noun]
    assert (by_id["id"], by_id["author"]) == (record["id"], str(client.ids["admin"]))
    assert (by_id[noun], by_id["description"], by_id["excerpt"]) == (
        "The Hall", "<p>Big</p>", "<p>Short</p>",
    )  # fmt: skip
    assert (by_id["date"], by_id["status"], by_id["slug"]) == ("2026-01-01 10:00:00", "publish", "the-hall")
    assert by_id["json_ld"]["name"] == "The Hall"
    assert by_id["json_ld"]["@type"] == {"venue": "Place", "organizer": "Person"}[noun]


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
