"""Faults that are put into the service on purpose, one at a time: the model must find each of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from peewee import OP

from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.store import (
    compiled_queries,
    date_range,
    documents,
    event_filters,
    event_query,
    related_records,
    visibility,
)

_search = event_query.search
_replace = related_records.replace
_filters = event_filters.clauses
_dates = date_range.clauses
_may_edit = auth.may_edit
_links = event_filters.links


def _own_drafts_are_left_out(model: Any, caller: Caller) -> Any:
    return visibility.public(model, caller.now)


def _hidden_ones_too(*given: Any) -> dict[str, Any]:
    return {name: clause for name, clause in _filters(*given).items() if name != "hidden"}


def _every_other_page_starts_late(*given: Any) -> Any:
    page = _search(*given)
    return replace(page, records=page.records[1:]) if page.number == 2 else page


def _total_is_that_of_the_page(*given: Any) -> Any:
    page = _search(*given)
    return replace(page, total=min(page.total, page.size))


def _every_author_edits(caller: Caller, record: Any) -> bool:
    return _may_edit(caller, record) or (caller.may_write and record.author_id == caller.id)


def _whatever_is_asked_is_granted(caller: Caller, asked: str | None) -> str:
    return asked or ("publish" if caller.may_publish else "draft")


def _no_unlinking(event: Any, fields: dict[str, Any], *more: Any) -> None:
    _replace(event, {name: value for name, value in fields.items() if value or name != "venue"}, *more)


def _first_one_only(column: Any, ids: list[Any]) -> Any:
    return _links(column, ids[:1])


def _first_second_is_left_out(compared: Any, *more: Any) -> list[Any]:
    return _dates([(what, OP.GT if how == OP.GTE else how) for what, how in compared], *more)


def _everything(model: Any, caller: Caller) -> Any:
    return model.id.is_null(False)


#: What is replaced by what.
BUGS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "own drafts are not listed": (event_filters, "listed", _own_drafts_are_left_out),
    "the trash is listed": (event_filters, "listed", visibility.readable),
    "hidden events are listed": (event_filters, "clauses", _hidden_ones_too),
    "a page leaves out its first event": (event_query, "search", _every_other_page_starts_late),
    "the total is that of the page": (event_query, "search", _total_is_that_of_the_page),
    "contributors edit what is published": (auth, "may_edit", _every_author_edits),
    "contributors publish": (auth, "granted_status", _whatever_is_asked_is_granted),
    "venues cannot be unlinked": (related_records, "replace", _no_unlinking),
    "of several tags only one is looked for": (event_filters, "links", _first_one_only),
    "events on the first second are left out": (date_range, "clauses", _first_second_is_left_out),
    "single reads show what is hidden": (documents, "readable", _everything),
    "venues that are hidden can be linked": (visibility, "readable", _everything),
}


@contextmanager
def planted(name: str) -> Iterator[None]:
    with patch.object(*BUGS[name]):
        compiled_queries._compiled.cache_clear()  # statements that were built without the fault
        yield
    compiled_queries._compiled.cache_clear()
