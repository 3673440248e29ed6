"""Which records a caller may see: every read uses these conditions.

See docs/interface.md#visibility.
"""

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_
from typing import Any, TypeAlias

from peewee import Case, Expression, ModelSelect, fn

from calendar_api.database.models import Event, EventTerm, Organizer, PublishedRecord, Term, Venue
from calendar_api.domain.auth import Caller
from calendar_api.domain.translation import message
from calendar_api.store import query_hints
from calendar_api.store.compiled_queries import CompiledQuery, Param, padded
from calendar_api.store.query_hints import Clause

#: Checked parameters of a query string, with the types of its schema.
Params: TypeAlias = Mapping[str, Any]

LISTED = ("publish", "draft", "pending", "private")


def parameter_caller(role: str, now: Param, me: Param) -> Caller:
    """A caller whose time and id are parameters of a statement; without a role it is anonymous."""
    return Caller(now, me if role else None, role=role)


def public(model: type[PublishedRecord], now: str) -> Expression:
    """Published, and the publication date has come."""
    clause: Expression = (model.status == "publish") & (model.published_utc <= now)
    return clause


def scheduled(model: type[PublishedRecord], now: str) -> Expression:
    """Published, and the publication date has not come."""
    clause: Expression = (model.status == "publish") & (model.published_utc > now)
    return clause


def readable(model: type[PublishedRecord], caller: Caller) -> Clause:
    """What the caller may read: public records, own ones, or all; for all of them it is always true."""
    if caller.edits_others:
        return model.id.is_null(False)
    if caller.may_write:
        return public(model, caller.now) | (model.author == caller.id)
    return public(model, caller.now)


def unlocked(caller: Caller) -> Clause:
    """The events whose content this caller reads without their password (docs/interface.md#passwords).

    Filters, counts and lists of linked records must not reveal what a password masks either.
    """
    if caller.edits_others:
        return Event.id.is_null(False)
    if caller.anonymous:
        return Event.password == ""
    return (Event.password == "") | (Event.author == caller.id)


def listed(model: type[PublishedRecord], caller: Caller) -> Clause:
    """The records of a list without `status`: everything readable but the trash."""
    if caller.edits_others:
        return model.status.in_(LISTED)
    if caller.may_write:
        return public(model, caller.now) | ((model.author == caller.id) & model.status.in_(LISTED))
    return public(model, caller.now)


def in_status(model: type[PublishedRecord], statuses: Iterable[str], caller: Caller) -> Clause:
    """The records in one of these statuses that the caller may read."""
    clauses = [_status(model, status, caller.now) for status in dict.fromkeys(statuses)]
    return reduce(or_, clauses) & readable(model, caller)


def readable_ids(model: type[PublishedRecord], ids: Iterable[int], caller: Caller) -> set[int]:
    """Those of the ids that are records which the caller may read."""
    some = padded(sorted(ids))
    return _readable.ids(model, caller.role, ids=some, now=caller.now, me=caller.id) if some else set()


def event_is_readable(id: int, caller: Caller) -> bool:
    return bool(readable_ids(Event, {id}, caller))


@CompiledQuery
def _readable(
    model: type[PublishedRecord], role: str, *, ids: list[Param], now: Param, me: Param
) -> ModelSelect:
    visible = readable(model, parameter_caller(role, now, me))
    return model.select(model.id).where(*query_hints.first(model.id.in_(ids), visible))


def _status(model: type[PublishedRecord], status: str, now: str) -> Clause:
    if status == "publish":
        return public(model, now)
    if status == "future":
        return scheduled(model, now)
    return model.status == status


def published_events(now: str) -> Expression:
    """The number of published events of a term: all that count, minus the few that are still scheduled.

    Whether there are any is found once, and mostly there are none.
    """
    later = EventTerm.select(fn.COUNT(EventTerm.event)).where(
        EventTerm.term == Term.id, EventTerm.counted_from_utc > now
    )
    is_any_scheduled = fn.EXISTS(Event.select(Event.id).where(scheduled(Event, now)))
    return Case(None, [(is_any_scheduled, Term.counted - later)], Term.counted)


def next_publication(now: str) -> str | None:
    """The next publication date of a scheduled record, in UTC; needs a connection."""
    return min((instant for (instant,) in _next.rows(now=now) if instant is not None), default=None)


@CompiledQuery
def _next(*, now: Param) -> ModelSelect:
    events, *others = (
        model.select(fn.MIN(model.published_utc)).where(model.status == "publish", model.published_utc > now)
        for model in (Event, Venue, Organizer)
    )
    return reduce(lambda found, other: found.union_all(other), others, events)


def status_problem(query: Params, caller: Caller) -> dict[str, str]:
    """Only roles that write may list more than what is published (docs/interface.md#status-filter)."""
    if caller.may_write or set(query.get("status", ())) <= {"publish"}:
        return {}
    return {"status": message("{name} must be publish: you may not see anything else.", name="status")}
