"""The events before and after one, in the order of the public list."""

from typing import Any

from peewee import ModelSelect

from calendar_api.database.models import Event
from calendar_api.store.compiled_queries import CompiledQuery, Param
from calendar_api.store.visibility import public


def of(event: Any, now: str) -> tuple[Any, Any]:
    """The rows (id, slug, title) before and after the row of an event; None where there is none."""
    found = [
        _NEIGHBOUR.objects(later, start=event.utc_start_date, id=event.id, now=now) for later in (False, True)
    ]
    before, after = (rows[0] if rows else None for rows in found)
    return before, after


def _neighbour(later: bool, *, start: Param, id: Param, now: Param) -> ModelSelect:
    order = (Event.utc_start_date, Event.id)
    if later:
        beyond = (Event.utc_start_date >= start) & ((Event.utc_start_date > start) | (Event.id > id))
    else:
        beyond = (Event.utc_start_date <= start) & ((Event.utc_start_date < start) | (Event.id < id))
        order = tuple(column.desc() for column in order)
    listed = public(Event, now) & Event.hide_from_listings.in_((False,))
    rows = Event.select(Event.id, Event.slug, Event.title).where(beyond, listed)
    return rows.order_by(*order).limit(1)


_NEIGHBOUR = CompiledQuery(_neighbour)
