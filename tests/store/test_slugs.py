"""Free slugs, and the keys that slugs are looked up by."""

import pytest

from calendar_api import database
from calendar_api.database.models import Event, Term
from calendar_api.store import compiled_queries, identifiers
from calendar_api.store.identifiers import next_id
from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases


@pytest.mark.parametrize(
    ("taken", "found"),
    [
        (["a"], "a-2"),
        (["a", "a-2", "a-3"], "a-4"),
        (["a", "a-3"], "a-2"),
        (["a", "a-b", "a-2b", "a2", "a_2"], "a-2"),
        (["a", *(f"a-{number}" for number in range(2, 12))], "a-12"),
    ],
)
def test_taken_slug_gets_the_first_free_number(client: Client, taken: list[str], found: str) -> None:
    for slug in taken:
        factories.event(client, slug=slug, status="draft")

    with database.read():
        assert identifiers.free_slug(Event, "a") == found


def test_each_taxonomy_has_slugs_of_its_own(client: Client) -> None:
    factories.category(client, name="A")

    with database.read():
        assert identifiers.free_slug(Term, "a", taxonomy="tribe_events_cat") == "a-2"
        assert identifiers.free_slug(Term, "a", taxonomy="post_tag") == "a"


@pytest.mark.parametrize(
    ("taken", "wanted", "found"),
    [
        (["x" * 191], "x" * 191, "x" * 189 + "-2"),
        (["x" * 188 + "-yz"], "x" * 188 + "-yz", "x" * 188 + "-2"),
        # Two long slugs with the same beginning are cut to the same text.
        (["x" * 189 + "aa", "x" * 189 + "aa", "x" * 189 + "bb"], "x" * 189 + "bb", "x" * 189 + "-3"),
    ],
)
def test_number_fits_into_the_length(client: Client, taken: list[str], wanted: str, found: str) -> None:
    for slug in taken:
        factories.event(client, slug=slug)

    with database.read():
        assert identifiers.free_slug(Event, wanted) == found


@pytest.mark.parametrize("count", [100, 257])
def test_next_number_is_found_among_many(client: Client, count: int) -> None:
    named(["a", *(f"a-{number}" for number in range(2, count + 1))])

    with database.read():
        assert identifiers.free_slug(Term, "a", taxonomy="post_tag") == f"a-{count + 1}"
        assert identifiers.free_slug(Term, "b", taxonomy="post_tag") == "b"


def test_free_number_is_found_among_many_with_gaps(client: Client) -> None:
    numbers = [number for number in range(2, 400) if number % 7]
    named(["a", *(f"a-{number}" for number in numbers)])

    with database.read():
        found = identifiers.free_slug(Term, "a", taxonomy="post_tag")

    number = int(found.removeprefix("a-"))
    assert number not in numbers
    assert number - 1 in numbers


def named(taken: list[str]) -> None:
    """Tags with these slugs."""
    with database.write():
        for slug in taken:
            id = next_id("tag")
            row = {"id": id, "name": slug, "name_folded": slug, "name_key": f"{id:064}", "slug": slug}
            compiled_queries.insert(Term, [{**row, "taxonomy": "post_tag", "description": "", "version": 1}])
