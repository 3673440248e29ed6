"""Links of a list to its next and previous page (docs/interface.md#totals-and-links)."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.representations import archive
from calendar_api.representations.links import Links

ROOT = "https://cal.example.test/calendar/events/v1"
LINKS = Links("https://cal.example.test", "https://cal.example.test", ROOT)
LIST = f"{ROOT}/things/"


def addresses(page: int, pages: int, /, **parameters: Any) -> list[str | None]:
    numbers: Any = SimpleNamespace(number=page, pages=pages, total=25)
    envelope, terms = (
        make("things", [], numbers, parameters, LINKS) for make in (archive.envelope, archive.term_envelope)
    )
    assert envelope == terms
    return [envelope.get(name) for name in ("rest_url", "next_rest_url", "previous_rest_url")]


@pytest.mark.parametrize(
    ("page", "pages", "next_page", "previous_page"),
    [
        (1, 0, None, None),
        (1, 1, None, None),
        (1, 2, "?a=x&page=2", None),
        (2, 2, None, "?a=x"),
        (3, 4, "?a=x&page=4", "?a=x&page=2"),
        (9, 3, None, "?a=x&page=8"),
    ],
)
def test_page_moves_to_the_end_and_is_dropped_for_the_first(
    page: int, pages: int, next_page: str | None, previous_page: str | None
) -> None:
    assert addresses(page, pages, page=page, a="x") == [
        f"{LIST}?page={page}&a=x",
        *(None if query is None else LIST + query for query in (next_page, previous_page)),
    ]


def test_links_without_filters_have_no_query() -> None:
    assert addresses(2, 2) == [LIST, None, LIST]


@given(st.integers(1, 60), st.integers(0, 50))
def test_links_are_there_exactly_when_there_is_something(page: int, pages: int) -> None:
    _, following, previous = addresses(page, pages, page=page)

    assert (following is not None, previous is not None) == (page < pages, page > 1)
