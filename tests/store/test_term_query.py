"""The number of statements of lists of terms."""

import pytest
from playhouse.test_utils import count_queries

from calendar_api import database
from calendar_api.domain.auth import Caller
from calendar_api.store.terms import Terms, categories, tags
from tests import factories
from tests.client import Client

LATER = Caller("2099-01-01 00:00:00")

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.parametrize("store", [categories, tags], ids=["categories", "tags"]),
]


@pytest.mark.parametrize("hide_empty", [True, False])
def test_page_takes_two_statements_whatever_its_size(client: Client, store: Terms, hide_empty: bool) -> None:
    names = [f"name {number}" for number in range(12)]
    factories.event(client, categories=names, tags=names)

    with database.read(), count_queries() as counted:
        page = store.search({"page": 1, "per_page": 10, "hide_empty": hide_empty}, LATER)

    assert (len(page.records), page.total, page.pages) == (10, 12, 2)
    assert counted.count == 2


def test_page_past_the_end_takes_one_statement(client: Client, store: Terms) -> None:
    factories.event(client, categories=["a"], tags=["a"])

    with database.read(), count_queries() as counted:
        page = store.search({"page": 2**62, "per_page": 10, "hide_empty": False}, LATER)

    assert (page.records, page.total) == ([], 1)
    assert counted.count == 1
