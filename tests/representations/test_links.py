"""Every URL that is handed out (docs/interface.md#record-conventions, #base-url, #totals-and-links)."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.representations import documents
from calendar_api.representations.links import Links, RenderContext

SITE = "https://cal.example.test"
PREFIX = "calendar/events/v1"
LINKS = Links.of(SITE, "", PREFIX)
SUB_SITE = "http://cal.example.test:8080/sub"
SUB = Links.of(SUB_SITE, "", PREFIX)
PRINTABLE = st.text(
    st.characters(exclude_categories=["C", "Z"], include_characters=" "), min_size=1, max_size=20
)


def test_page_goes_by_slug_or_by_type_and_id() -> None:
    shown, hidden = ("publish", "private"), ("draft", "pending", "future", "trash")
    by_id = [*(("a-slug", status) for status in hidden), (None, "publish"), ("", "publish")]
    for noun in ("event", "organizer"):
        own = f"?post_type=tribe_{noun}{'s' * (noun == 'event')}&p=7"
        for links, site in ((LINKS, SITE), (SUB, SUB_SITE)):
            for status in shown:
                assert links.page(noun, 7, "a-slug", status) == f"{site}/{noun}/a-slug/"
            for slug, status in by_id:
                assert links.page(noun, 7, slug, status) == f"{site}/{own}"


def test_slugs_are_percent_encoded() -> None:
    for slug, encoded in (
        ("ωδείο", "%CF%89%CE%B4%CE%B5%CE%AF%CE%BF"), ("東京", "%E6%9D%B1%E4%BA%AC"),
        ("🎷", "%F0%9F%8E%B7"), ("a_b-c", "a_b-c"), ('"<>', "%22%3C%3E"),
    ):  # fmt: skip
        assert LINKS.page("event", 7, slug, "publish") == f"{SITE}/event/{encoded}/"
        assert LINKS.category_page([slug, "x", slug]) == f"{SITE}/events/category/{encoded}/x/{encoded}/"
        assert LINKS.tag_page(slug) == f"{SITE}/tag/{encoded}/"


def test_global_id_has_no_scheme_and_no_port() -> None:
    for site, expected in (
        ("https://cal.example.test", "cal.example.test?id=7"),
        ("http://cal.example.test:8080", "cal.example.test?id=7"),
        ("http://cal.example.test:8080/a/b", "cal.example.test/a/b?id=7"), ("http://[::1]:8080", "::1?id=7"),
    ):  # fmt: skip
        assert Links.of(site, "de", PREFIX).global_id(7) == expected


def test_listing_is_encoded() -> None:
    parameters: dict[str, Any]
    for parameters, query in (
        ({}, ""), ({"page": 2, "per_page": 10}, "?page=2&per_page=10"),
        ({"geoloc_lat": 41.9}, "?geoloc_lat=41.9"),
        ({"featured": True, "ticketed": False}, "?featured=1&ticketed=0"),
        ({"venue": [1, 2], "status": ("publish",)}, "?venue=1,2&status=publish"),
        ({"start_date": "2031-01-01 10:00:00"}, "?start_date=2031-01-01+10%3A00%3A00"),
        ({"search": "a&b=c#d %é+"}, "?search=a%26b%3Dc%23d+%25%C3%A9%2B"),
    ):  # fmt: skip
        assert LINKS.listing("events", parameters) == f"{SITE}/{PREFIX}/events/{query}"


@given(st.dictionaries(st.text("abc_", min_size=1, max_size=9), PRINTABLE, max_size=5))
def test_listing_can_be_read_back(parameters: dict[str, str]) -> None:
    address = LINKS.listing("events", parameters)
    assert address.isascii()
    assert " " not in address
    assert dict(parse_qsl(urlsplit(address).query)) == parameters


@pytest.mark.parametrize("number", [0, 1, 8, 9, 33])
def test_records_of_a_list_have_the_addresses_that_each_has_alone(number: int) -> None:
    context = RenderContext(SUB, "2026-06-15 12:00:00", "frei")
    records = [
        documents.encode({"id": id, "url": documents.LINKS.record("events", id), "cost": documents.FREE})
        for id in range(number)
    ]

    parts = documents.all_with_links(records, context)

    assert b",".join(parts) == b",".join(documents.with_links(record, context) for record in records)
    assert SUB.record("events", 0).encode() in b",".join(parts) or not records
