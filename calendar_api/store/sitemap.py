"""The records of the sitemap: those that anonymous callers find in lists and that no password protects."""

from peewee import SQL, ModelSelect, fn

from calendar_api.database.models import Event, EventTerm, Organizer, PublishedRecord, Venue
from calendar_api.representations.rows import PublishedRow
from calendar_api.store.compiled_queries import CompiledQuery, Param
from calendar_api.store.query_hints import Clause
from calendar_api.store.visibility import listed, parameter_caller, unlocked

_MODELS: dict[str, type[PublishedRecord]] = {"event": Event, "venue": Venue, "organizer": Organizer}
NOUNS = tuple(_MODELS)


def total(noun: str, now: str) -> int:
    """The number of records of one of NOUNS; `now` is UTC as text."""
    return _total.number(noun, now=now)


def page(noun: str, first: int, count: int, now: str) -> list[PublishedRow]:
    """Rows of `id`, `slug` and `modified_utc` of `count` records from position `first`."""
    return _page.objects(noun, now=now, limit=count, offset=first)


def upcoming_terms(now: str) -> set[int]:
    """The ids of categories and tags with events that end at `now` or later."""
    return _upcoming.ids(now=now)


@CompiledQuery
def _total(noun: str, *, now: Param) -> ModelSelect:
    return _MODELS[noun].select(fn.COUNT(SQL("*"))).where(*_public(noun, now))


@CompiledQuery
def _page(noun: str, *, now: Param, limit: Param, offset: Param) -> ModelSelect:
    """Find the ids first, in an index alone, so that skipping many of them is fast."""
    model = _MODELS[noun]
    order = (Event.utc_start_date if model is Event else model.published_utc), model.id
    ids = model.select(model.id).where(*_public(noun, now)).order_by(*order).limit(limit).offset(offset)
    some = ids.alias("some")
    rows = model.select(model.id, model.slug, model.modified_utc)
    return rows.join(some, on=(model.id == some.c.id)).order_by(*order)


@CompiledQuery
def _upcoming(*, now: Param) -> ModelSelect:
    rows = Event.select(EventTerm.term).join(EventTerm, on=(EventTerm.event == Event.id))
    return rows.where(*_public("event", now), Event.utc_end_date >= now).distinct()


def _public(noun: str, now: Param) -> list[Clause]:
    anonymous = parameter_caller("", now, now)
    if noun != "event":
        return [listed(_MODELS[noun], anonymous)]
    # The range makes SQLite choose the index that covers all that decides, as in `date_range`.
    shown = Event.hide_from_listings.in_((False,)), listed(Event, anonymous), unlocked(anonymous)
    return [*shown, Event.utc_start_date > ""]
