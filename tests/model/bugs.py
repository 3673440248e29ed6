"""Faults that are put into the service on purpose, one at a time: the model must find each of them."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from calendar_api.database.models import Event
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.bounded_cache import BoundedCache
from calendar_api.store import (
    compiled_queries,
    date_range,
    event_filters,
    event_query,
    paging,
    publishable,
    related_records,
    visibility,
)

_page = paging.Listing.page
_replace = related_records.replace
_clauses = date_range.clauses
_may_edit = auth.may_edit
_links = event_filters._links


def _own_drafts_are_left_out(model: Any, caller: Caller) -> Any:
    return visibility.public(model, caller.now)


def _every_other_page_starts_late(listing: Any, number: int, size: int, *more: Any) -> Any:
    page = _page(listing, number, size, *more)
    return paging.Page(page.records[1:], page.total, number, size) if number == 2 else page


def _total_is_that_of_the_page(listing: Any, number: int, size: int, *more: Any) -> Any:
    page = _page(listing, number, size, *more)
    return paging.Page(page.records, min(page.total, size), number, size)


def _every_author_edits(caller: Caller, record: Any) -> bool:
    return _may_edit(caller, record) or (caller.may_write and record.author_id == caller.id)


def _whatever_is_asked_is_granted(caller: Caller, asked: str | None) -> str:
    return asked or ("publish" if caller.may_publish else "draft")


def _no_unlinking(event: Any, fields: dict[str, Any], *more: Any) -> None:
    _replace(event, {name: value for name, value in fields.items() if value or name != "venue"}, *more)


def _first_one_only(column: Any, ids: Iterable[int]) -> Any:
    return _links(column, sorted(ids)[:1])


def _first_day_is_left_out(filters: Any, column: Any = Event.utc_start_date) -> list[Any]:
    clauses = _clauses(filters, column)
    start = filters.get("start_date")
    return clauses if start is None else [*clauses, column > str(start)[:19]]


#: What is replaced by what.
BUGS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "own drafts are not listed": (event_filters, "listed", _own_drafts_are_left_out),
    "the trash is listed": (event_filters, "listed", visibility.readable),
    "hidden events are listed": (event_filters, "not_hidden", lambda query: None),
    "a page leaves out its first event": (paging.Listing, "page", _every_other_page_starts_late),
    "the total is that of the page": (paging.Listing, "page", _total_is_that_of_the_page),
    "contributors edit what is published": (auth, "may_edit", _every_author_edits),
    "contributors publish": (auth, "granted_status", _whatever_is_asked_is_granted),
    "venues cannot be unlinked": (related_records, "replace", _no_unlinking),
    "of several tags only one is looked for": (event_filters, "_links", _first_one_only),
    "events on the first second are left out": (date_range, "clauses", _first_day_is_left_out),
    "single reads show what is hidden": (
        publishable,
        "readable",
        lambda model, caller: model.id.is_null(False),
    ),
    "venues that are hidden can be linked": (
        visibility,
        "readable",
        lambda model, caller: model.id.is_null(False),
    ),
}


@contextmanager
def planted(name: str) -> Iterator[None]:
    place, attribute, fault = BUGS[name]
    filters = event_filters.FILTERS
    if attribute == "not_hidden":  # the table of filters holds the functions themselves
        filters = tuple(fault if one is event_filters.not_hidden else one for one in filters)
    with patch.object(place, attribute, fault), patch.object(event_filters, "FILTERS", filters):
        _forget_statements()  # which were put together without the fault
        yield
    _forget_statements()


def _forget_statements() -> None:
    compiled_queries._compiled.cache_clear()
    event_query._listings = BoundedCache(event_query._listings.limit)
