"""A page far from both ends is found from a mark, and is the page that it would be without."""

import random
from datetime import UTC
from itertools import product
from typing import Any

import pytest
from playhouse.test_utils import count_queries

from calendar_api import database
from calendar_api.database.models import Event, Record
from calendar_api.domain.bounded_cache import BoundedCache
from calendar_api.store import event_query, paging
from calendar_api.store.event_query import Counted
from calendar_api.store.paging import Marks
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory

QUERIES: tuple[dict[str, Any], ...] = (
    {"starts_after": "1960-01-01"},
    {"starts_after": "1970-01-01 00:00:00", "strict_dates": "1"},
    {"starts_after": "1970-01-01 00:00:00", "starts_before": "2032-01-20", "strict_dates": "1"},
    {"start_date": "1970-01-01 00:00:00", "end_date": "2033-03-03 03:03:03", "strict_dates": "1"},
    {"ends_before": "2033-01-01"},
    {"ends_after": "1960-01-01"},
    {"starts_after": "1960-01-01", "featured": True},
    {"starts_after": "2033-03-02"},
)


def test_the_nearest_mark_before_a_place() -> None:
    marks = Marks(["a", "b", "c", "d"], [0, 3, 3, 7])

    found = [marks.near(place) for place in range(9)]

    assert found == [
        ("a", 0), ("a", 1), ("a", 2), ("c", 0), ("c", 1), ("c", 2), ("c", 3), ("d", 0), ("d", 1),
    ]  # fmt: skip


@pytest.fixture(params=[128, 3], ids=["fine", "coarse"], autouse=True)
def stretches(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Lists that are short enough for a test have marks all the same."""
    monkeypatch.setattr(paging, "FAR", 4)
    monkeypatch.setattr(paging, "FEW", 0)
    monkeypatch.setattr(paging, "_STRETCHES", request.param)
    monkeypatch.setattr(event_query, "_listings", BoundedCache[Any](4_000_000))
    return int(request.param)


@pytest.fixture
def many(client: Client) -> None:
    """Some begin together, most of them lately, one of them long before; in no order of their ids."""
    chance = random.Random(7)  # noqa: S311 - not for secrets
    starts = [f"2031-0{chance.randint(1, 9)}-01 10:00:00" for _ in range(30)]
    starts += [f"2032-01-{chance.randint(1, 31):02} {chance.randint(0, 23):02}:15:00" for _ in range(45)]
    starts += ["1970-01-01 00:00:00", *["2033-03-03 03:03:03"] * 12]
    chance.shuffle(starts)
    first = factories.event(client, start_date=starts[0], end_date=starts[0], date="2026-01-01")
    with database.write():
        columns = Event.get_by_id(first["id"]).__data__
        for number, start in enumerate(starts[1:]):
            id = int(Record.create(kind="event").id)
            more = {"featured": bool(number % 2), "status": "draft" if number % 9 == 8 else "publish"}
            instants = {"utc_start_date": start, "utc_end_date": start}
            Event.insert({**columns, **instants, **more, "id": id, "slug": f"one-{id}"}).execute()


def test_every_page_is_the_one_that_it_is_without(many: None, caller: CallerFactory) -> None:
    def search(query: dict[str, Any], number: int, totals: BoundedCache[Counted] | None) -> paging.Page[int]:
        asked = {"page": number, **query}
        return event_query.search(asked, caller(None), UTC, totals)

    with database.read():
        for query, size in product(QUERIES, (1, 4, 7)):
            asked = {"per_page": size, "status": ["publish"], **query}
            totals: BoundedCache[Counted] = BoundedCache(1_000_000)
            pages = range(1, search(asked, 1, None).pages + 2)
            expected = [search(asked, number, None) for number in pages]

            assert len(pages) > 2, query
            assert [search(asked, number, totals) for number in pages] == expected
            assert [search(asked, number, totals) for number in reversed(pages)] == expected[::-1]


def test_marks_are_made_once_and_spare_what_comes_before(
    many: None, caller: CallerFactory, stretches: int
) -> None:
    totals: BoundedCache[Counted] = BoundedCache(1_000_000)
    asked = {"page": 5, "per_page": 7, "starts_after": "1960-01-01"}
    statements = []
    with database.read():
        event_query.search(asked, caller(None), UTC, totals)  # by now it is known what the list is
        for _ in range(2):
            with count_queries() as counter:
                event_query.search(asked, caller(None), UTC, totals)
            statements.append([query.msg for query in counter.get_queries()])
        totals = BoundedCache(1_000_000)
        with count_queries() as counter:
            event_query.search(asked, caller(None), UTC, totals)

    [[[_, values]], again] = statements
    assert len(again) == 1
    assert 28 not in values  # only what is between the mark and the page is left out, not all before the page
    assert counter.count == (6 if stretches > 64 else 5)  # the total, both ends, the marks, the page
    most = max(len(query.msg[1] or ()) for query in counter.get_queries())
    assert most < 999  # as many as any SQLite takes


def test_a_list_that_changes_on_the_way_has_no_marks(many: None, caller: CallerFactory) -> None:
    """Outside of a transaction somebody may write between two statements: what does not add up is left."""
    query = {"page": 5, "per_page": 7, "starts_after": "1960-01-01"}
    with database.write():
        understood = event_query.understood(query, caller(None), UTC)
        total = understood.listing.total(caller(None).now)

        assert understood.listing.marks(caller(None).now, total) is not None
        assert understood.listing.marks(caller(None).now, total + 1) is None

        Event.delete().execute()
        assert understood.listing.marks(caller(None).now, total) is None


@pytest.mark.sqlite
def test_a_list_that_begins_with_no_date_has_no_marks(many: None, caller: CallerFactory) -> None:
    query = {"page": 5, "per_page": 7, "starts_after": "1960-01-01"}
    with database.write():
        understood = event_query.understood(query, caller(None), UTC)
        total = understood.listing.total(caller(None).now)
        first = understood.listing.page(1, 1, total, caller(None).now).records
        Event.update(utc_start_date="1970-00-00 00:00:00").where(Event.id.in_(first)).execute()

        assert understood.listing.marks(caller(None).now, total) is None
