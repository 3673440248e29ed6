"""Lists of terms as statements: their number, and each filter by itself (docs/interface.md#term-filters)."""

from typing import Any

import pytest
from playhouse.test_utils import count_queries

from calendar_api import database
from calendar_api.database.models import Event, EventTerm, Record, Term, User
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters
from calendar_api.store import term_counts
from calendar_api.store.paging import Page
from calendar_api.store.terms import Terms, categories, published_counts, tags

pytestmark = pytest.mark.usefixtures("database_url")

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


@both
def test_published_count_goes_by_the_clock(store: Terms) -> None:
    (term,) = made(store, "a")
    event_with([term])
    event_with([term], published=NOW)
    event_with([term], published=LATER)
    for status in ("draft", "pending", "private", "trash"):
        event_with([term], status=status)

    (found,) = searched(store).records
    (later,) = searched(store, Caller(LATER)).records

    assert (found.published_count, later.published_count) == (2, 3)
    assert published_counts({term}, NOW) == {term: 2}
    assert published_counts({term}, LATER) == {term: 3}


@both
def test_hide_empty_goes_by_the_clock(store: Terms) -> None:
    used, coming, _ = made(store, "a", "b", "c")
    event_with([used])
    event_with([coming], published=LATER)

    assert ids(store, hide_empty=True) == [used]
    assert ids(store, Caller(LATER), hide_empty=True) == [used, coming]


def test_hide_empty_climbs_to_the_top_and_not_sideways() -> None:
    top, middle, used, beside = made(categories, "a", "b", "c", "d")
    with database.write():
        for child, parent in ((middle, top), (used, middle), (beside, top)):
            categories.update(categories.by_id(child), {"parent": parent})
    event_with([used])
    event_with([middle])

    page = searched(categories, hide_empty=True)

    assert [int(term.id) for term in page.records] == [top, middle, used]
    assert page.total == 3


@both
def test_count_order_is_that_of_published_events(store: Terms) -> None:
    none, two, one = made(store, "a", "b", "c")
    for terms in ([two, one], [two]):
        event_with(terms)
    for _ in range(3):
        event_with([none], status="draft")

    assert ids(store, orderby="count") == [none, one, two]
    assert ids(store, orderby="count", order="desc") == [two, one, none]


@both
def test_event_filter_asks_whether_the_caller_may_read(store: Terms) -> None:
    (term,) = made(store, "a")
    author = int(User.get(User.login == "author").id)
    draft = event_with([term], status="draft")

    assert ids(store, Caller(NOW, author, "author", "author"), event=draft) == [term]
    assert ids(store, Caller(NOW, 999, "editor", "editor"), event=draft) == [term]
    for stranger in (Caller(NOW), Caller(NOW, 999, "author2", "author")):
        with pytest.raises(InvalidParameters) as refused:
            ids(store, stranger, event=draft)
        assert list(refused.value.problems) == ["event"]


@both
def test_filters_meet(store: Terms) -> None:
    jazz, _, soul = made(store, "jazz club", "rock club", "soul club")
    event = event_with([jazz, soul])

    assert ids(store, search="club", event=event, exclude=[str(soul)]) == [jazz]
    assert ids(store, search="club", include=[str(jazz)], slug="jazz-club") == [jazz]


@both
@pytest.mark.parametrize("injected", ["' OR 1=1 --", '"; DROP TABLE term; --', "%' --", "\\", "?"])
def test_texts_never_become_statements(store: Terms, injected: str) -> None:
    made(store, "a")

    assert ids(store, search=injected) == []
    assert ids(store, slug=injected) == []
    assert ids(store, orderby=injected, order=injected) == ids(store)
