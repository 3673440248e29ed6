"""Category and tag lists: filters, order, pages and links.

See docs/interface.md#term-filters, #sorting, #list-envelope.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

MAKE = {"categories": factories.category, "tags": factories.tag}
both = pytest.mark.parametrize("plural", ["categories", "tags"])
pytestmark = pytest.mark.both_databases


def ids(client: Client, plural: str, as_: str | None = None, **filters: Any) -> list[int]:
    """The ids of the list, empty terms included unless told otherwise."""
    body = client.get(f"/{plural}", {"hide_empty": "false", **filters}, as_=as_, status=200).json
    assert body["total"] == len(body[plural])
    return [term["id"] for term in body[plural]]


def named(client: Client, plural: str, *names: str) -> list[int]:
    return [MAKE[plural](client, name=name)["id"] for name in names]


@pytest.mark.both_databases
@both
def test_search_looks_into_name_and_slug(client: Client, plural: str) -> None:
    by_name = MAKE[plural](client, name="A foo thing", slug="first", description="a needle")["id"]
    by_slug = MAKE[plural](client, name="B other", slug="has-foo-inside")["id"]
    bars = named(client, plural, "C bar", "D BAR")

    assert ids(client, plural, search="foo") == [by_name, by_slug]
    assert ids(client, plural, search="bar") == bars
    assert ids(client, plural, search="needle") == []


@pytest.mark.both_databases
@both
def test_search_folds_letters_and_takes_wildcards_as_plain_characters(client: Client, plural: str) -> None:
    """Text and query are folded alike (docs/interface.md#search)."""
    cafe, _, odd = named(client, plural, "Café Concert", "Kafka", "With % _ * \\ inside")

    for wanted in ("cafe", "CAFÉ", "Cafe\u0301", "afé c", "  café   concert "):
        assert ids(client, plural, search=wanted) == [cafe]
    for wanted in ("%", "_", "*", "\\"):
        assert ids(client, plural, search=wanted) == [odd]


@pytest.mark.both_databases
@both
def test_include_and_exclude(client: Client, plural: str) -> None:
    one, two, three, four = named(client, plural, "a", "b", "c", "d")

    assert ids(client, plural, exclude=one) == [two, three, four]
    assert ids(client, plural, exclude=f"{one},{two},{three},{four}") == []
    assert ids(client, plural, include=f"{four},{one},{three}") == [one, three, four]
    assert ids(client, plural, **{"include[]": [four, one]}) == [one, four]
    assert ids(client, plural, **{"include[0]": four, "include[1]": one}) == [one, four]
    assert ids(client, plural, include=f"{one},{two}", exclude=one) == [two]
    # A slug is known, and matches nothing.
    assert ids(client, plural, include="a") == []
    assert ids(client, plural, exclude="a") == [one, two, three, four]


@pytest.mark.both_databases
@both
def test_slug_matches_exactly(client: Client, plural: str) -> None:
    jazz, _, greek = named(client, plural, "Jazz", "Jazz Club", "Ελληνικά")

    for slug in ("jazz", "JAZZ", " jazz "):
        assert ids(client, plural, slug=slug) == [jazz]
    for slug in ("Ελληνικά", "ελληνικα\u0301"):
        assert ids(client, plural, slug=slug) == [greek]
    assert ids(client, plural, slug="jaz") == ids(client, plural, slug="jazz,jazz-club") == []


def letters(client: Client, plural: str, **query: object) -> str:
    """The first letters of the names in the order of the list."""
    body = client.get(f"/{plural}", {"hide_empty": "false", **query}, status=200).json
    return "".join(term["name"][0] for term in body[plural])


@pytest.fixture
def four(client: Client, plural: str) -> dict[str, int]:
    """Four terms by the first letter of their names, no two orders of theirs alike.

    By id bDCa, by name abCD, by slug DbaC, by description CabD, by count bCaD.
    """
    make = MAKE[plural]
    made = {
        "b": make(client, name="bean", slug="s2", description="three")["id"],
        "D": make(client, name="Date", slug="s1", description="zwo")["id"],
        "C": make(client, name="Corn", slug="s4", description="one")["id"],
        "a": make(client, name="apple", slug="s3", description="some")["id"],
    }
    for used in ("Ca", "aD", "D", "D"):
        fields: dict[str, Any] = {plural: [made[letter] for letter in used]}
        factories.event(client, **fields)
    return made


@both
def test_orderby(client: Client, plural: str, four: dict[str, int]) -> None:
    for orderby, expected in (
        ("id", "bDCa"), ("name", "abCD"), ("slug", "DbaC"), ("description", "CabD"), ("count", "bCaD"),
        ("unknown", "abCD"), ("include", "abCD"),
    ):  # fmt: skip
        assert letters(client, plural, orderby=orderby) == expected
        for order in ("asc", "ASC"):
            assert letters(client, plural, orderby=orderby, order=order) == expected
        for order in ("desc", "sideways"):
            assert letters(client, plural, orderby=orderby, order=order) == expected[::-1]
    for orderby in ("term_group", "parent"):  # all alike, so by id
        assert letters(client, plural, orderby=orderby) == "bDCa"
    assert letters(client, plural) == "abCD"
    pages = [letters(client, plural, orderby="slug", per_page=3, page=page) for page in (1, 2, 3)]
    assert pages == ["Dba", "C", ""]
    wanted = ",".join(str(four[letter]) for letter in "CabC")
    assert letters(client, plural, orderby="include", include=wanted) == "Cab"


@both
def test_names_that_fold_alike_are_in_the_order_of_their_ids(client: Client, plural: str) -> None:
    expected = [MAKE[plural](client, name=name)["id"] for name in ("Öl", "Ol")]

    for order in ("asc", "desc"):
        body = client.get(f"/{plural}?hide_empty=0&order={order}", status=200).json
        assert [term["id"] for term in body[plural]] == expected


def test_orderby_parent_puts_the_top_level_first(client: Client) -> None:
    top, other = (factories.category(client, name=name)["id"] for name in ("top", "upper"))
    below_other = factories.category(client, name="a", parent=other)["id"]
    below_top = factories.category(client, name="b", parent=top)["id"]

    for order, expected in (
        ("asc", [top, other, below_top, below_other]), ("desc", [below_other, below_top, top, other])
    ):  # fmt: skip
        body = client.get(f"/categories?hide_empty=0&orderby=parent&order={order}", status=200).json
        assert [term["id"] for term in body["categories"]] == expected


@both
def test_order_by_description_is_that_of_its_first_2000_characters(client: Client, plural: str) -> None:
    long = "🎷" * 2000
    for name, description in (
        ("f", "jazz\nnight"), ("e", "jazz night"), ("d", "jazz\tnight"), ("c", "jazz"), ("b", f"{long}b"),
        ("a", f"{long}a"),
    ):  # fmt: skip
        MAKE[plural](client, name=name, description=description)

    # What begins alike is in the order of its ids.
    assert letters(client, plural, orderby="description") == "cfedba"
    assert letters(client, plural, orderby="description", order="desc") == "bafedc"
