"""`search` on venues and organizers: all fragments of the query in one and the same field."""

from datetime import UTC
from typing import Any

import pytest

from calendar_api import database
from calendar_api.store.organizers import organizers
from calendar_api.store.venues import venues
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory

pytestmark = pytest.mark.both_databases

STORES = {"venue": venues, "organizer": organizers}

VENUES: tuple[dict[str, Any], ...] = (
    {
        "venue": "Middle Hall",
        "address": "12 Temple Avenue",
        "city": "London",
        "country": "United Kingdom",
        "province": "Greater London",
        "zip": "EC4Y 0HP",
        "phone": "+44 20 123",
        "website": "https://middle.example.org",
    },
    {"venue": "Boat", "city": "London", "province": "London, Greater", "zip": "EC4Y 1AA", "state": "LDN"},
    {"venue": "Wheel", "city": "Paris", "country": "France", "stateprovince": "Ile de France"},
)
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
def test_search_by_name(client: Client, noun: str) -> None:
    made(client, noun, {noun: "Foo One"}, {noun: "Foo Two"}, {noun: "Foo Three"})

    assert found(client, noun, "foo") == ["Foo One", "Foo Three", "Foo Two"]
    assert found(client, noun, "Foo Two") == ["Foo Two"]
    assert found(client, noun, "four") == []


@both
def test_search_by_description(client: Client, noun: str) -> None:
    made(
        client,
        noun,
        {noun: "A", "description": "<p>Foo <b>one</b></p>"},
        {noun: "B", "description": "foo two"},
        {noun: "C", "description": ""},
    )

    assert found(client, noun, "foo") == ["A", "B"]
    assert found(client, noun, "foo one") == ["A"]
    assert found(client, noun, "three") == []


@both
def test_search_by_excerpt(client: Client, caller: CallerFactory, noun: str) -> None:
    """No request can set it."""
    made(client, noun, {noun: "B"})
    with database.write():
        STORES[noun].create({noun: "A", "excerpt": "<p>Foo bar</p>"}, caller("admin"), UTC)

    assert found(client, noun, "bar foo") == ["A"]


@pytest.mark.parametrize(
    ("search", "names"),
    [
        ("london", ["Boat", "Middle Hall"]),
        ("temple avenue", ["Middle Hall"]),
        ("avenue temple", ["Middle Hall"]),
        ("greater london", ["Boat", "Middle Hall"]),
        ("+44 20", ["Middle Hall"]),
        ("20 123", ["Middle Hall"]),
        ("EC4Y", ["Boat", "Middle Hall"]),
        ("ec4y 1aa", ["Boat"]),
        ("ldn", ["Boat"]),
        ("france", ["Wheel"]),
        ("france, ile de", ["Wheel"]),
        ("paris", ["Wheel"]),
        ("wheel paris", []),  # a fragment here and a fragment there are not one field
        ("temple london", []),
        ("kingdom", []),  # neither country nor website is searched
        ("middle.example", []),
        ("nowhere", []),
    ],
)
def test_venues_by_their_fields(client: Client, search: str, names: list[str]) -> None:
    made(client, "venue", *VENUES)

    assert found(client, "venue", search) == names


@pytest.mark.parametrize(
    ("search", "names"),
    [
        ("555", ["Ann", "Bob"]),
        ("55512", ["Ann"]),
        ("55534", ["Bob"]),
        ("ann@tribe.example", ["Ann"]),
        ("tribe.example", ["Ann", "Bob"]),
        ("@tribe.example", ["Ann", "Bob"]),
        ("https://bob.example.net", ["Bob"]),
        ("cid", ["Cid"]),
        ("bob 55534", []),
        ("nobody", []),
    ],
)
def test_organizers_by_their_fields(client: Client, search: str, names: list[str]) -> None:
    made(client, "organizer", *ORGANIZERS)

    assert found(client, "organizer", search) == names


@both
@pytest.mark.parametrize("search", ["CAFÉ", "cafe", "Cafe\u0301", "café!", "(café)"])
def test_search_folds_letters_and_takes_punctuation_for_blanks(
    client: Client, noun: str, search: str
) -> None:
    """One folding for text and query (docs/interface.md#search)."""
    made(client, noun, {noun: "Le Café"}, {noun: "Le Cap"})

    assert found(client, noun, search) == ["Le Café"]


@both
def test_search_finds_no_markup(client: Client, noun: str) -> None:
    made(client, noun, {noun: "Plain", "description": '<p>Text <a href="https://x.example.org">link</a></p>'})

    assert [found(client, noun, search) for search in ("href", "example", "text link")] == [[], [], ["Plain"]]


@both
def test_search_of_punctuation_only_asks_for_nothing(client: Client, noun: str) -> None:
    made(client, noun, {noun: "Plain"})

    assert found(client, noun, "%_'\"&") == ["Plain"]


@both
def test_search_counts_and_pages_what_matches_only(client: Client, noun: str) -> None:
    made(client, noun, {noun: "Lorem", "description": "zork"}, {noun: "Zork two"}, {noun: "Other"})

    response = client.get(f"/{noun}s", {"search": "zork", "per_page": 1}, status=200)

    assert (response.json["total"], response.json["total_pages"]) == (2, 2)
    assert response.headers["X-TEC-Total"] == "2"
    assert found(client, noun, "lorem") == ["Lorem"]


@both
def test_search_does_not_find_what_the_caller_may_not_read(client: Client, noun: str) -> None:
    made(client, noun, {noun: "Foo open"}, {noun: "Foo hidden", "status": "draft"})

    assert found(client, noun, "foo") == ["Foo open"]
    assert found(client, noun, "foo", as_="author") == ["Foo open"]
    assert found(client, noun, "foo", as_="editor") == ["Foo hidden", "Foo open"]


@both
def test_search_follows_changes(client: Client, noun: str) -> None:
    record = getattr(factories, noun)(client, **{noun: "Old name"}, description="old words", phone="111")
    change = {noun: "New name", "description": None, "phone": ""}

    client.patch(f"/{noun}s/{record['id']}", change, as_="admin", status=200)

    assert [found(client, noun, search) for search in ("old", "words", "111", "new")] == [
        [], [], [], ["New name"],
    ]  # fmt: skip


@both
@pytest.mark.parametrize(
    "params", [{"search": ""}, {"search": "0"}, {"search[]": "a"}, {"search": "x" * 201}, {"search": "a\nb"}]
)
def test_search_that_is_no_text(client: Client, noun: str, params: dict[str, str]) -> None:
    response = client.get(f"/{noun}s", params, status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert list(response.json["data"]["params"]) == ["search"]
