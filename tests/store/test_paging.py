"""A page and its totals."""

import pytest

from calendar_api.representations.archive import Page


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


@pytest.mark.parametrize(("number", "size"), [(1, 2), (2, 2), (3, 2), (4, 2), (1, 9), (2**63 - 1, 1000)])
def test_records_of_a_page_lie_between_its_bounds(number: int, size: int) -> None:
    first, last = Page([], 5, number, size).bounds

    assert list(range(5))[first:last] == list(range(5))[(number - 1) * size : number * size]
