"""The one clause that every read goes through: which records a caller may see.

See docs/interface.md#visibility.
"""

from typing import Any

from peewee import Expression, fn

from calendar_api.database.models import Event, Organizer, PublishedRecord, Table, Venue
from calendar_api.domain.auth import Caller
from calendar_api.domain.translation import message
from calendar_api.store.compiled_queries import CompiledQuery

LISTED = ("publish", "draft", "pending", "private")
#: What serves finding, writing and removing a record only.
_NEVER_SHOWN = frozenset(
    {
        "version", "trashed_utc", "slug_before_trash", "name_caseless", "geo_x", "geo_y", "geo_z",
        "name_folded", "name_key", "counted", "url_digest",
    }
)  # fmt: skip


def columns(model: type[Table]) -> list[Any]:
    """The columns that an answer may be made of."""
    return [field for field in model._meta.sorted_fields if field.name not in _NEVER_SHOWN]


def public(model: type[PublishedRecord], now: str) -> Expression:
    """Published, and the publication date has come."""
    clause: Expression = (model.status == "publish") & (model.published_utc <= now)
    return clause


def readable(model: type[PublishedRecord], caller: Caller) -> Any:
    """What `auth.may_read` says of a record, as a clause; True when everything may be read."""
    if caller.edits_others:
        return model.id.is_null(False)
    if caller.writes:
        return public(model, caller.now) | (model.author == caller.id)
    return public(model, caller.now)


def unlocked(caller: Caller) -> Any:
    """The events whose content this caller reads without a key (docs/interface.md#passwords).

    What a password masks must not show through a filter, a count or a list of linked records either.
    """
    if caller.edits_others:
        return Event.id.is_null(False)
    if caller.anonymous:
        return Event.password == ""
    return (Event.password == "") | (Event.author == caller.id)


def listed(model: type[PublishedRecord], caller: Caller) -> Any:
    """What a list shows when no status is asked for: everything readable but the trash."""
    if caller.edits_others:
        return model.status.in_(LISTED)
    if caller.writes:
        return public(model, caller.now) | ((model.author == caller.id) & model.status.in_(LISTED))
    return public(model, caller.now)


def in_status(model: type[PublishedRecord], statuses: list[str], caller: Caller) -> Any:
    """The records of these statuses among those that the caller may read."""
    clause: Any = None
    for status in dict.fromkeys(statuses):
        one = _status(model, status, caller.now)
        clause = one if clause is None else clause | one
    return clause & readable(model, caller)


def _status(model: type[PublishedRecord], status: str, now: str) -> Any:
    if status == "publish":
        return public(model, now)
    if status == "future":
        return (model.status == "publish") & (model.published_utc > now)
    return model.status == status


def next_publication(now: str) -> str | None:
    """The instant, in UTC, at which something that is scheduled comes out next; needs a connection."""
    found = [_NEXT.rows(model, now=now)[0][0] for model in (Event, Venue, Organizer)]
    return min((instant for instant in found if instant is not None), default=None)


def _next(model: Any, *, now: Any) -> Any:
    return model.select(fn.MIN(model.published_utc)).where(
        model.status == "publish", model.published_utc > now
    )


_NEXT = CompiledQuery(_next)


def status_problem(query: dict[str, Any], caller: Caller) -> dict[str, str]:
    """Only those who write may ask for more than what is published (docs/interface.md#status-filter)."""
    if caller.writes or set(query.get("status", ())) <= {"publish"}:
        return {}
    return {"status": message("{name} must be publish: you may not see anything else.", name="status")}
