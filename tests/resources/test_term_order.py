"""The order of category and tag lists: every value of `orderby`, both ways (docs/interface.md#sorting)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases

MAKE = {"categories": factories.category, "tags": factories.tag}

both = pytest.mark.parametrize("plural", ["categories", "tags"])


def having(plural: str, terms: list[int]) -> dict[str, Any]:
    """The fields of an event with these categories or tags."""
    return {plural: terms}


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
        factories.event(client, **having(plural, [made[letter] for letter in used]))
    return made


@both
@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(
    ("orderby", "expected"),
    [
        ("id", "bDCa"),
        ("name", "abCD"),
        ("slug", "DbaC"),
        ("description", "CabD"),
        ("count", "bCaD"),
        ("unknown", "abCD"),
    ],
)
def test_orderby(client: Client, plural: str, orderby: str, expected: str) -> None:
    assert letters(client, plural, orderby=orderby) == expected
    assert letters(client, plural, orderby=orderby, order="asc") == expected
    assert letters(client, plural, orderby=orderby, order="desc") == expected[::-1]


@both
@pytest.mark.usefixtures("four")
@pytest.mark.parametrize("orderby", ["term_group", "parent"])
def test_orderby_without_a_difference_is_by_id(client: Client, plural: str, orderby: str) -> None:
    assert letters(client, plural, orderby=orderby) == "bDCa"


@both
@pytest.mark.usefixtures("four")
def test_default_is_by_name_ascending_in_any_letter_case(client: Client, plural: str) -> None:
    assert letters(client, plural) == "abCD"


@both
@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(
    ("order", "expected"),
    [("asc", "abCD"), ("ASC", "abCD"), ("desc", "DCba"), ("DESC", "DCba"), ("sideways", "DCba")],
)
def test_order_is_ascending_for_asc_only(client: Client, plural: str, order: str, expected: str) -> None:
    assert letters(client, plural, order=order) == expected


@both
def test_orderby_include_keeps_the_order_of_the_ids(
    client: Client, plural: str, four: dict[str, int]
) -> None:
    wanted = ",".join(str(four[letter]) for letter in "CabC")

    assert letters(client, plural, orderby="include", include=wanted) == "Cab"


@both
@pytest.mark.usefixtures("four")
def test_orderby_include_without_include_is_by_name(client: Client, plural: str) -> None:
    assert letters(client, plural, orderby="include") == "abCD"


@both
def test_names_that_fold_alike_are_in_the_order_of_their_ids(client: Client, plural: str) -> None:
    first = MAKE[plural](client, name="Öl")["id"]
    second = MAKE[plural](client, name="Ol")["id"]

    for order in ("asc", "desc"):
        body = client.get(f"/{plural}?hide_empty=0&order={order}", status=200).json
        assert [term["id"] for term in body[plural]] == [first, second]


def test_orderby_parent_puts_the_top_level_first(client: Client) -> None:
    top = factories.category(client, name="top")["id"]
    other = factories.category(client, name="upper")["id"]
    below_other = factories.category(client, name="a", parent=other)["id"]
    below_top = factories.category(client, name="b", parent=top)["id"]

    rising = client.get("/categories?hide_empty=0&orderby=parent", status=200).json["categories"]
    falling = client.get("/categories?hide_empty=0&orderby=parent&order=desc", status=200).json["categories"]

    assert [term["id"] for term in rising] == [top, other, below_top, below_other]
    assert [term["id"] for term in falling] == [below_other, below_top, top, other]


@both
@pytest.mark.usefixtures("four")
def test_pages_follow_the_order(client: Client, plural: str) -> None:
    pages = [letters(client, plural, orderby="slug", per_page=3, page=page) for page in (1, 2, 3)]

    assert pages == ["Dba", "C", ""]


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
