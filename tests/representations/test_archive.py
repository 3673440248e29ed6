"""What stands around the records of a page (docs/interface.md#list-envelope, #totals-and-links)."""

from collections.abc import Callable
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

Envelope = Callable[..., dict[str, Any]]
both = pytest.mark.parametrize("envelope", [archive.envelope, archive.term_envelope])


def page_of(number: int, pages: int) -> Any:
    return SimpleNamespace(number=number, pages=pages, total=25)


def shown(envelope: Envelope, page: int, pages: int, /, **parameters: Any) -> dict[str, Any]:
    return envelope("things", [{"id": 1}], page_of(page, pages), parameters, LINKS)


def test_record_keys_stand_in_wire_order() -> None:
    assert list(shown(archive.envelope, 2, 3)) == [
        "things", "rest_url", "next_rest_url", "previous_rest_url", "total", "total_pages",
    ]  # fmt: skip


def test_terms_keys_stand_in_wire_order() -> None:
    assert list(shown(archive.term_envelope, 2, 3)) == [
        "rest_url", "total", "total_pages", "things", "next_rest_url", "previous_rest_url",
    ]  # fmt: skip


@both
def test_values(envelope: Envelope) -> None:
    assert shown(envelope, 1, 1, page=1, per_page=25) == {
        "things": [{"id": 1}],
        "rest_url": f"{LIST}?page=1&per_page=25",
        "total": 25,
        "total_pages": 1,
    }


@both
@pytest.mark.parametrize(
    ("page", "pages", "next_page", "previous_page"),
    [
        (1, 0, None, None),
        (1, 1, None, None),
        (1, 2, "?a=x&page=2", None),
        (2, 2, None, "?a=x"),
        (2, 3, "?a=x&page=3", "?a=x"),
        (3, 3, None, "?a=x&page=2"),
        (9, 3, None, "?a=x&page=8"),
    ],
)
def test_links(
    envelope: Envelope, page: int, pages: int, next_page: str | None, previous_page: str | None
) -> None:
    """The page moves to the end, and goes altogether on the way back to the first."""
    found = shown(envelope, page, pages, page=page, a="x")

    assert found["rest_url"] == f"{LIST}?page={page}&a=x"
    assert found.get("next_rest_url") == (None if next_page is None else LIST + next_page)
    assert found.get("previous_rest_url") == (None if previous_page is None else LIST + previous_page)


@both
def test_links_without_filters_have_no_query(envelope: Envelope) -> None:
    found = shown(envelope, 2, 2)

    assert (found["rest_url"], found["previous_rest_url"]) == (LIST, LIST)


@given(st.integers(1, 60), st.integers(0, 50))
def test_links_are_there_exactly_when_there_is_something(page: int, pages: int) -> None:
    found = shown(archive.envelope, page, pages, page=page)

    assert ("next_rest_url" in found) == (page < pages)
    assert ("previous_rest_url" in found) == (page > 1)


def test_parameters_are_left_as_they_were() -> None:
    parameters = {"page": 2, "a": "x"}

    archive.envelope("things", [], page_of(2, 3), parameters, LINKS)

    assert parameters == {"page": 2, "a": "x"}
