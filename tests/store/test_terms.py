"""The store of categories and tags: resolving, trees and keys (docs/interface.md#terms)."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playhouse.test_utils import count_queries

from calendar_api import database
from calendar_api.database.models import Term
from calendar_api.domain.errors import InvalidParameters
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store.terms import Terms, categories, tags

SITE = SiteSettings("UTC", "$")

pytestmark = [pytest.mark.usefixtures("database_url"), pytest.mark.both_databases]

both = pytest.mark.parametrize("store", [categories, tags], ids=["categories", "tags"])
one_database = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def made(store: Terms, name: str, **fields: Any) -> int:
    with database.write():
        return int(store.create({"name": name, **fields}, SITE).id)


def tree() -> dict[int, int]:
    """Parent by category; 0 at the top."""
    return {int(term.id): int(term.parent_id or 0) for term in Term.select()}


@both
def test_resolve_takes_ids_slugs_and_names(store: Terms) -> None:
    jazz, rock = made(store, "Jazz & Soul", slug="jazz"), made(store, "Rock")
    found = {
        jazz: jazz, str(rock): rock, "JAZZ": jazz, " rock ": rock, "jazz &amp; soul": jazz, "none": None,
        999_999: None, "999999": None, 2**63: None, "9" * 40: None, "٣": None, "²": None, "": None,
        "\x00": None, "%": None, "' OR 1=1 --": None,
    }  # fmt: skip

    with count_queries() as counted:
        resolved = store.resolve([*found])

    assert resolved == found
    assert counted.count == 1


@both
def test_update_raises_the_version_only_when_something_was_sent(store: Terms) -> None:
    id = made(store, "Jazz")

    with database.write():
        changes: list[dict[str, str]] = [{}, {"slug": "swing"}, {}]
        versions = [store.update(store.by_id(id), fields, SITE).version for fields in changes]

    assert versions == [1, 2, 2]


def test_key_of_a_name_cannot_be_forged_with_separators() -> None:
    one, other = made(categories, "x"), made(categories, "y")

    ids = [made(categories, name, parent=parent) for name in ("a\x001", "a 1") for parent in (one, other)]

    assert len(set(ids)) == 4


def test_descendants_are_found_by_one_statement_however_deep() -> None:
    chain = [made(categories, "0")]
    for number in range(1, 20):
        chain.append(made(categories, str(number), parent=chain[-1]))
    made(categories, "beside")

    with count_queries() as counted:
        found = categories.with_descendants_of([chain[5]])

    assert found == set(chain[5:])
    assert counted.count == 1


@one_database
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 5)), max_size=25))
def test_no_order_of_moves_makes_a_cycle(database_url: str, moves: list[tuple[int, int]]) -> None:
    with database.write():
        Term.update(parent=None).execute()
        Term.delete().execute()
        ids = [int(categories.create({"name": f"name {number}"}, SITE).id) for number in range(6)]

    for child, parent in moves:
        move(ids[child], ids[parent] if parent >= 0 else 0)

    parents = tree()
    for id in ids:
        steps = 0
        while id:
            id, steps = parents[id], steps + 1
            assert steps <= len(ids)


def move(child: int, parent: int) -> bool:
    try:
        with database.write():
            categories.update(categories.by_id(child), {"parent": parent}, SITE)
    except InvalidParameters:
        return False
    return True


@one_database
@given(st.permutations(range(7)))
def test_deleting_in_any_order_keeps_everybody_else(database_url: str, order: list[int]) -> None:
    """A chain in which every second category has the same name."""
    with database.write():
        Term.delete().execute()
    ids: list[int] = []
    for number in range(7):
        ids.append(made(categories, ("same", f"name {number}")[number % 2], parent=ids[-1] if ids else 0))

    for place, number in enumerate(order):
        with database.write():
            categories.remove(categories.by_id(ids[number]), SITE)
        left = [ids[other] for other in sorted(order[place + 1 :])]

        assert tree() == dict(zip(left, [0, *left[:-1]] if left else [], strict=True))
