"""A page and its totals."""

import pytest
from playhouse.test_utils import count_queries

from calendar_api import database
from calendar_api.database.models import Record
from calendar_api.store.paging import Page, paginate


@pytest.fixture
def five(database_url: str) -> list[int]:
    with database.write():
        return [int(Record.create(kind="event").id) for _ in range(5)]


@pytest.mark.parametrize(
    ("total", "size", "pages"),
    [(0, 10, 0), (1, 10, 1), (10, 10, 1), (11, 10, 2), (9, 3, 3), (10, 3, 4), (5, 1, 5)],
)
def test_pages_are_rounded_up(total: int, size: int, pages: int) -> None:
    assert Page([], total, 1, size).pages == pages


@pytest.mark.parametrize(
    ("total", "number", "past"),
    [(0, 1, False), (0, 2, True), (3, 1, False), (3, 2, True), (4, 2, False), (6, 2, False), (6, 3, True)],
)
def test_first_page_is_never_past_the_end(total: int, number: int, past: bool) -> None:
    assert Page([], total, number, 3).past_the_end is past


def test_numbers_beyond_the_database_are_past_the_end(five: list[int]) -> None:
    with database.read():
        page = paginate(Record.select().order_by(Record.id), 2**63 - 1, 1000)

    assert (page.records, page.total, page.past_the_end) == ([], 5, True)


@pytest.mark.parametrize(
    ("number", "size", "statements"), [(1, 2, 2), (2, 2, 2), (3, 2, 2), (4, 2, 1), (1, 5, 2), (2, 5, 1)]
)
def test_two_statements_and_one_past_the_end(
    five: list[int], number: int, size: int, statements: int
) -> None:
    with database.read(), count_queries() as counter:
        paginate(Record.select().order_by(Record.id), number, size)

    assert counter.count == statements
