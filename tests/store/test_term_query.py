"""Lists of terms as statements: their number, and each filter by itself (docs/interface.md#term-filters)."""

from typing import Any

import pytest
from playhouse.test_utils import count_queries

from calendar_api import database
from calendar_api.database.models import Event, EventTerm, Record, Term, User
from calendar_api.domain.auth import Caller
from calendar_api.store import term_counts
from calendar_api.store.paging import Page
from calendar_api.store.terms import Terms, categories, tags

pytestmark = [pytest.mark.usefixtures("database_url"), pytest.mark.both_databases]

NOW = "2026-06-15 12:00:00"
EARLIER, LATER = "2026-01-01 00:00:00", "2026-06-15 12:00:01"
PLAIN = {"page": 1, "per_page": 10, "hide_empty": False}

both = pytest.mark.parametrize("store", [categories, tags], ids=["categories", "tags"])


def made(store: Terms, *names: str) -> list[int]:
    with database.write():
        return [int(store.create({"name": name}).id) for name in names]


def event_with(terms: list[int], status: str = "publish", published: str = EARLIER) -> int:
    with database.write():
        id = int(Record.create(kind="event").id)
        Event.insert(
            id=id, author=User.get(User.login == "author").id, status=status, published_utc=published,
            modified_utc=published, description="", excerpt="", title="x", all_day=False, timezone="UTC",
            start_date=EARLIER, end_date=EARLIER, utc_start_date=EARLIER, utc_end_date=EARLIER, cost="",
            show_map=False, show_map_link=False, hide_from_listings=False, sticky=False, featured=False,
            ticketed=False, password="",
        ).execute()  # fmt: skip
        for term in terms:
            counted = published if status == "publish" else None
            EventTerm.insert(event=id, term=term, utc_start_date=EARLIER, counted_from_utc=counted).execute()
        term_counts.count_terms_of(id, 1)
    return id


def searched(store: Terms, caller: Caller | None = None, **query: Any) -> Page[Term]:
    return store.search({**PLAIN, **query}, caller or Caller(NOW))


def ids(store: Terms, caller: Caller | None = None, **query: Any) -> list[int]:
    return [int(term.id) for term in searched(store, caller, **query).records]


@both
@pytest.mark.parametrize("hide_empty", [True, False])
def test_page_takes_two_statements_whatever_its_size(store: Terms, hide_empty: bool) -> None:
    event_with(made(store, *(f"name {number}" for number in range(12))))

    with count_queries() as counted:
        page = searched(store, per_page=10, hide_empty=hide_empty)

    assert (len(page.records), page.total, page.pages) == (10, 12, 2)
    assert counted.count == 2


@both
def test_page_past_the_end_takes_one_statement(store: Terms) -> None:
    made(store, "a")

    with count_queries() as counted:
        page = searched(store, page=2**62)

    assert (page.records, page.total) == ([], 1)
    assert counted.count == 1
