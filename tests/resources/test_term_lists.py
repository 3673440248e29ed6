"""Category and tag lists: filters, order, pages, and which terms are in use.

See docs/interface.md#term-filters, #term-keys, #sorting, #list-envelope; tests/golden/conformance has each
filter with each kind of term, `test_same_code.py` that both are listed by the same code.
"""

from collections.abc import Callable
from typing import Any

import pytest
import time_machine

from tests import factories
from tests.client import ROOT, Client
from tests.resources.records import ids, listed

MAKE: dict[str, Callable[..., Any]] = {"categories": factories.category, "tags": factories.tag}
both = pytest.mark.parametrize("plural", MAKE)


def named(client: Client, *names: str) -> list[int]:
    """The ids of new tags."""
    return [factories.tag(client, name=name)["id"] for name in names]


def tags(client: Client, **filters: Any) -> list[int]:
    """The ids of a list of tags, with those that no event has."""
    return ids(listed(client, "/tags", hide_empty="false", **filters))


# -- filters


@pytest.mark.both_databases
def test_search_folds_name_and_slug_and_takes_wildcards_as_plain_characters(client: Client) -> None:

    by_slug = factories.tag(client, name="A", slug="has-foo-inside", description="a needle")["id"]
    by_name, cafe, _, odd = named(client, "B foo thing", "Café Concert", "Kafka", "With % _ * \\ inside")
    for found, words in (
        ([by_slug, by_name], ("foo",)), ([], ("needle",)), ([odd], ("%", "_", "*", "\\")),
        ([cafe], ("cafe", "CAFÉ", "Cafe\u0301", "afé c", "  café   concert ")),
    ):  # fmt: skip
        assert [tags(client, search=search) for search in words] == [found] * len(words)


@pytest.mark.both_databases
def test_include_and_exclude(client: Client) -> None:
    one, two, three, four = named(client, "a", "b", "c", "d")

    assert tags(client, exclude=one) == [two, three, four]
    assert tags(client, exclude=f"{one},{two},{three},{four}") == []
    assert tags(client, include=f"{four},{one},{three}") == [one, three, four]
    assert tags(client, **{"include[0]": four, "include[1]": one}) == [one, four]
    assert tags(client, include=f"{one},{two}", exclude=one) == [two]
    # A slug is known, and matches nothing.
    assert tags(client, include="a") == []
    assert tags(client, exclude="a") == [one, two, three, four]


@pytest.mark.both_databases
def test_slug_matches_exactly(client: Client) -> None:
    jazz, _, greek = named(client, "Jazz", "Jazz Club", "Ελληνικά")
    for slugs, found in (
        (("jazz", "JAZZ", " jazz "), [jazz]), (("Ελληνικά", "ελληνικα\u0301"), [greek]),
        (("jaz", "jazz,jazz-club"), []),
    ):  # fmt: skip
        assert [tags(client, slug=slug) for slug in slugs] == [found] * len(slugs)


# -- order and pages


def letters(client: Client, **query: Any) -> str:
    """The first letters of the names of tags in the order of their list."""
    body = client.get("/tags", {"hide_empty": "false", **query}, status=200).json
    return "".join(term["name"][0] for term in body["tags"])


#: Orders of the tags that `test_orderby` makes, no two of them alike.
ORDERS = {
    "id": "bDCa", "name": "abCD", "slug": "DbaC", "description": "CabD", "count": "bCaD",
    "unknown": "abCD", "include": "abCD",
}  # fmt: skip


@pytest.mark.both_databases
def test_orderby(client: Client) -> None:
    made = {
        name[0]: factories.tag(client, name=name, slug=slug, description=description)["id"]
        for name, slug, description in (
            ("bean", "s2", "three"), ("Date", "s1", "zwo"), ("Corn", "s4", "one"), ("apple", "s3", "some"),
        )
    }  # fmt: skip
    for used in ("Ca", "aD", "D", "D"):
        factories.event(client, tags=[made[letter] for letter in used])

    for orderby, expected in ORDERS.items():
        for order in ("asc", "ASC"):
            assert letters(client, orderby=orderby, order=order) == expected
        for order in ("desc", "sideways"):
            assert letters(client, orderby=orderby, order=order) == expected[::-1]
    assert letters(client) == "abCD"
    for orderby in ("term_group", "parent"):  # all alike, so by id
        assert letters(client, orderby=orderby) == "bDCa"
    pages = [letters(client, orderby="slug", per_page=3, page=page) for page in (1, 2, 3)]
    assert pages == ["Dba", "C", ""]
    wanted = ",".join(str(made[letter]) for letter in "CabC")
    assert letters(client, orderby="include", include=wanted) == "Cab"


@pytest.mark.both_databases
def test_names_that_fold_alike_are_in_the_order_of_their_ids(client: Client) -> None:
    expected = named(client, "Öl", "Ol")
    assert [tags(client, order=order) for order in ("asc", "desc")] == [expected] * 2


@pytest.mark.both_databases
def test_order_by_description_is_that_of_its_first_2000_characters(client: Client) -> None:
    long = "🎷" * 2000
    described = ("jazz\nnight", "jazz night", "jazz\tnight", "jazz", f"{long}b", f"{long}a")
    for name, description in zip("fedcba", described, strict=True):
        factories.tag(client, name=name, description=description)

    # What begins alike is in the order of its ids.
    assert letters(client, orderby="description") == "cfedba"
    assert letters(client, orderby="description", order="desc") == "bafedc"


@pytest.mark.both_databases
def test_orderby_parent_puts_the_top_level_first(client: Client) -> None:
    top, other = (factories.category(client, name=name)["id"] for name in ("top", "upper"))
    below_other = factories.category(client, name="a", parent=other)["id"]
    below_top = factories.category(client, name="b", parent=top)["id"]
    for order, expected in (
        ("asc", [top, other, below_top, below_other]), ("desc", [below_other, below_top, top, other])
    ):  # fmt: skip
        found = listed(client, "/categories", hide_empty=0, orderby="parent", order=order)
        assert ids(found) == expected


@both
@pytest.mark.settings(base_url="http://localhost", per_page=2, per_page_max=3)
def test_links_lead_through_pages_of_the_size_that_is_set(client: Client, plural: str) -> None:
    expected = [MAKE[plural](client, name=f"Name {number}")["id"] for number in range(5)]
    MAKE["tags" if plural == "categories" else "categories"](client, name="Name of another kind")
    pages = []
    address = f"/{plural}?hide_empty=false&search=Name&order=asc"
    while address:
        body = client.get(address, status=200).json
        pages.append(ids(body[plural]))
        address = body.get("next_rest_url", "")
    largest = client.get(f"/{plural}?hide_empty=0&per_page=1000", status=200).json

    assert pages == [expected[:2], expected[2:4], expected[4:]]
    assert ids(largest[plural]) == expected[:3]
    assert largest["rest_url"] == f"http://localhost{ROOT}/{plural}/?hide_empty=0&per_page=3"


# -- what `count` and `hide_empty` take for used: published events


def count_of(client: Client, plural: str, id: int, as_: str | None = None) -> int:
    """The count on the single record, which the list has to repeat."""
    alone: int = client.get(f"/{plural}/{id}", as_=as_, status=200).json["count"]
    in_list = listed(client, f"/{plural}", as_, hide_empty=0, include=id)
    assert [term["count"] for term in in_list] == [alone]
    return alone


@pytest.mark.both_databases
@both
def test_count_takes_published_events_only(client: Client, plural: str) -> None:
    term, of_draft = (MAKE[plural](client)["id"] for _ in range(2))
    for status in ("draft", "pending", "private", "trash"):
        factories.event(client, **{plural: [term, of_draft]}, status=status)
    for fields in (
        {"date": factories.day(30)}, {"hide_from_listings": True}, {"start_date": factories.day(-900)}, {}
    ):  # fmt: skip
        event = factories.event(client, **{plural: [term]}, **fields)

    nested = client.get(f"/events/{event['id']}", status=200).json[plural]

    assert [count_of(client, plural, term, as_=as_) for as_ in (None, "admin")] == [3, 3]
    assert [one["count"] for one in nested] == [3]
    for query in ({}, {"hide_empty": "1"}, {"hide_empty": "TRUE"}):
        assert ids(listed(client, f"/{plural}", **query)) == [term]
    for value in ("0", "False"):
        assert sorted(ids(listed(client, f"/{plural}", hide_empty=value))) == [term, of_draft]


@both
def test_count_follows_the_clock(client: Client, plural: str) -> None:
    """The moment of publication needs no job (docs/interface.md#scheduled-records)."""
    term = MAKE[plural](client)["id"]
    fields: dict[str, Any] = {plural: [term]}
    event = factories.event(client, date=factories.day(30), **fields)
    assert (count_of(client, plural, term), listed(client, f"/{plural}")) == (0, [])
    with time_machine.travel(f"{event['date_utc']}Z", tick=False):
        assert (count_of(client, plural, term), ids(listed(client, f"/{plural}"))) == (1, [term])


def test_hide_empty_keeps_the_parents_of_a_used_category_and_counts_them(client: Client) -> None:
    def below(parent: int, name: str) -> int:
        return int(factories.category(client, name=name, parent=parent)["id"])

    top = below(0, "a top")
    used = below(middle := below(top, "b middle"), "c used")
    below(used, "d empty below")
    below(top, "e empty beside")
    factories.event(client, categories=[used])

    found = listed(client, "/categories")
    pages = [client.get(f"/categories?per_page=2&page={page}", status=200).json for page in (1, 2, 3)]

    assert [(term["id"], term["count"]) for term in found] == [(top, 0), (middle, 0), (used, 1)]
    assert [ids(page["categories"]) for page in pages] == [[top, middle], [used], []]
    assert [(page["total"], page["total_pages"]) for page in pages] == [(3, 2)] * 3
    for query, shown in (({"parent": top}, [middle]), ({"parent": 0}, [top]), ({"search": "used"}, [used])):
        assert ids(listed(client, "/categories", **query)) == shown
