"""Columns of events that their links repeat, so that lists and counts need not read the events."""

from typing import Any

from peewee import Expression, ModelSelect, ModelUpdate, fn

from calendar_api.database.models import EventOrganizer, EventTerm, EventVenue, Table, Term
from calendar_api.store.compiled_queries import CompiledQuery, Param


def of_terms(event: Any) -> dict[str, str | None]:
    """The columns that links to terms repeat.

    A term counts events that are published without a password, from their publication date on, for all
    callers alike (docs/interface.md#visibility).
    """
    public = event.status == "publish" and not event.password
    return {
        "utc_start_date": event.utc_start_date,
        "counted_from_utc": event.published_utc if public else None,
    }


def sync(event: Any, before: Any) -> None:
    """Update the links of an event if columns that they repeat differ from `before`."""
    own = of_terms(event)
    if own == of_terms(before):
        return
    count_terms_of(event.id, -1)
    _SYNCED.run(EventTerm, tuple(own), event=event.id, values=list(own.values()))
    count_terms_of(event.id, 1)
    if event.utc_start_date != before.utc_start_date:
        for link in (EventVenue, EventOrganizer):
            _SYNCED.run(link, ("utc_start_date",), event=event.id, values=[event.utc_start_date])


def count_terms_of(event_id: int, by: int, taxonomy: str = "") -> None:
    """Add `by` to the counts of the terms of this event, or of those of one taxonomy.

    Call it before and after changing links to terms: `Term.counted` is the number of links that count.
    """
    _COUNTED.run(taxonomy, event=event_id, by=by)


def count(now: str) -> Expression:
    """The number of published events of a term: all that count, minus the few that are still scheduled."""
    scheduled = EventTerm.select(fn.COUNT(EventTerm.event)).where(
        EventTerm.term == Term.id, EventTerm.counted_from_utc > now
    )
    return Term.counted - scheduled


def recount(term_id: int) -> None:
    """Count the links of a term again, after many of them were changed."""
    Term.update(counted=_counting()).where(Term.id == term_id).execute()


def wrong() -> list[int]:
    """The ids of terms whose stored count is not the number of links that count."""
    return [int(id) for (id,) in Term.select(Term.id).where(Term.counted != _counting()).tuples()]


def _counting() -> ModelSelect:
    """The number of links of a term that count."""
    return EventTerm.select(fn.COUNT(EventTerm.event)).where(
        EventTerm.term == Term.id, EventTerm.counted_from_utc.is_null(False)
    )


def _counted(taxonomy: str, *, event: Param, by: Param) -> ModelUpdate:
    links = EventTerm.select(EventTerm.term).where(
        EventTerm.event == event, EventTerm.counted_from_utc.is_null(False)
    )
    own = (Term.taxonomy == taxonomy,) if taxonomy else ()
    return Term.update(counted=Term.counted + by).where(Term.id.in_(links), *own)


def _synced(link: type[Table], names: tuple[str, ...], *, event: Param, values: list[Param]) -> ModelUpdate:
    return link.update(dict(zip(names, values, strict=True))).where(link.event == event)


_COUNTED = CompiledQuery(_counted)
_SYNCED = CompiledQuery(_synced)
