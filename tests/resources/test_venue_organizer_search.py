"""`search` on venues and organizers: all fragments of the query in one and the same field."""

from typing import Any

import pytest

from calendar_api import database
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store.venue_organizer import organizers, venues
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory

STORES = {"venue": venues, "organizer": organizers}

VENUES: tuple[dict[str, Any], ...] = (
    {
        "venue": "Middle Hall", "address": "12 Temple Avenue", "city": "London", "country": "United Kingdom",
        "province": "Greater London", "zip": "EC4Y 0HP", "phone": "+44 20 123",
        "website": "https://middle.example.org",
    },
    {"venue": "Boat", "city": "London", "province": "London, Greater", "zip": "EC4Y 1AA", "state": "LDN"},
    {"venue": "Wheel", "city": "Paris", "country": "France", "stateprovince": "Ile de France"},
)  # fmt: skip
ORGANIZERS: tuple[dict[str, Any], ...] = (
    {
        "organizer": "Ann",
        "phone": "55512",
        "email": "ann@tribe.example",
        "website": "https://ann.example.org",
    },
    {
        "organizer": "Bob",
        "phone": "55534",
        "email": "bob@tribe.example",
        "website": "https://bob.example.net",
    },
    {"organizer": "Cid"},
)

both = pytest.mark.parametrize("noun", STORES)


def found(client: Client, noun: str, search: str, as_: str | None = None) -> list[str]:
    body = client.get(f"/{noun}s", {"search": search}, as_=as_, status=200).json
    assert body["total"] == len(body[f"{noun}s"])
    return sorted(record[noun] for record in body[f"{noun}s"])


def made(client: Client, noun: str, *records: dict[str, Any]) -> None:
    for record in records:
        getattr(factories, noun)(client, **record)


@both
def test_search_by_name_and_description(client: Client, noun: str) -> None:
    made(
        client, noun, {noun: "Foo One", "description": '<p>Word <a href="https://x.example.org">in</a></p>'},
        {noun: "Foo Two", "description": "words <b>out</b>"}, {noun: "Bar"},
    )  # fmt: skip

    assert found(client, noun, "foo") == found(client, noun, "word") == ["Foo One", "Foo Two"]
    assert found(client, noun, "Foo Two") == found(client, noun, "out words") == ["Foo Two"]
    assert found(client, noun, "word in") == ["Foo One"]
    for absent in ("four", "href", "example", "foo out"):
        assert found(client, noun, absent) == []
    assert found(client, noun, "%_'\"&") == ["Bar", "Foo One", "Foo Two"]


@both
def test_search_by_excerpt(client: Client, caller: CallerFactory, noun: str) -> None:
    """No request can set it."""
    made(client, noun, {noun: "B"})
    with database.write():
        record = {noun: "A", "excerpt": "<p>Foo bar</p>"}
        STORES[noun].find_or_create(record, caller("admin"), SiteSettings("UTC", "$"))

    assert found(client, noun, "bar foo") == ["A"]


def test_venues_by_their_fields(client: Client) -> None:
    made(client, "venue", *VENUES)

    for search, names in (
        ("london", ["Boat", "Middle Hall"]),
        ("avenue temple", ["Middle Hall"]),
        ("greater london", ["Boat", "Middle Hall"]),
        ("+44 20", ["Middle Hall"]),
        ("EC4Y", ["Boat", "Middle Hall"]),
        ("ec4y 1aa", ["Boat"]),
        ("ldn", ["Boat"]),
        ("france, ile de", ["Wheel"]),
        ("paris", ["Wheel"]),
        ("wheel paris", []),  # a fragment here and a fragment there are not one field
        ("kingdom", []),  # neither country nor website is searched
        ("middle.example", []),
    ):
        assert found(client, "venue", search) == names


def test_organizers_by_their_fields(client: Client) -> None:
    made(client, "organizer", *ORGANIZERS)

    for search, names in (
        ("555", ["Ann", "Bob"]),
        ("55534", ["Bob"]),
        ("@tribe.example", ["Ann", "Bob"]),
        ("https://bob.example.net", ["Bob"]),
        ("cid", ["Cid"]),
        ("bob 55534", []),
    ):
        assert found(client, "organizer", search) == names


@pytest.mark.both_databases
@both
def test_search_follows_changes(client: Client, noun: str) -> None:
    record = getattr(factories, noun)(client, **{noun: "Old name"}, description="old words", phone="111")
    change = {noun: "New name", "description": None, "phone": ""}

    client.patch(f"/{noun}s/{record['id']}", change, as_="admin", status=200)

    assert [found(client, noun, search) for search in ("old", "words", "111", "new")] == [
        [], [], [], ["New name"],
    ]  # fmt: skip
