"""What the links of an event repeat of it, so that lists and counts need no look at the event itself."""

from typing import Any

from peewee import fn

from calendar_api.database.models import EventOrganizer, EventTerm, EventVenue, Term
from calendar_api.store.compiled_queries import CompiledQuery


def of_terms(event: Any) -> dict[str, str | None]:
    """What its links to terms repeat: a term counts the events that are published without a password.

    They count from their publication on, for every caller alike (docs/interface.md#visibility).
    """
    public = event.status == "publish" and not event.password
    return {
        "utc_start_date": event.utc_start_date,
        "counted_from_utc": event.published_utc if public else None,
    }


def sync(event: Any, before: Any) -> None:
    """Make the links say what the event says, where that is not what it said before."""
    own = of_terms(event)
    if own == of_terms(before):
        return
    count_terms_of(event.id, -1)
    _SETTLED.run(EventTerm, tuple(own), event=event.id, values=list(own.values()))
    count_terms_of(event.id, 1)
    if event.utc_start_date != before.utc_start_date:
        for link in (EventVenue, EventOrganizer):
            _SETTLED.run(link, ("utc_start_date",), event=event.id, values=[event.utc_start_date])


def count_terms_of(event_id: int, by: int, taxonomy: str = "") -> None:
    """Count this event once more, or once less, for its terms; for those of one taxonomy if it is named.

    Around everything that changes links to terms, so that `Term.counted` is the number of such links.
    """
    _COUNTED.run(taxonomy, event=event_id, by=by)


def counted(now: Any) -> Any:
    """The links of events that count for their terms."""
    return EventTerm.counted_from_utc <= now


def count(now: Any) -> Any:
    """How many events count for a term: all that ever will, without the few that are still to come."""
    to_come = EventTerm.select(fn.COUNT(EventTerm.event)).where(
        EventTerm.term == Term.id, EventTerm.counted_from_utc > now
    )
    return Term.counted - to_come


def _counted(taxonomy: str, *, event: Any, by: Any) -> Any:
    links = EventTerm.select(EventTerm.term).where(
        EventTerm.event == event, EventTerm.counted_from_utc.is_null(False)
    )
    own = (Term.taxonomy == taxonomy,) if taxonomy else ()
    return Term.update(counted=Term.counted + by).where(Term.id.in_(links), *own)


def _settled(link: Any, names: tuple[str, ...], *, event: Any, values: list[Any]) -> Any:
    return link.update(dict(zip(names, values, strict=True))).where(link.event == event)


_COUNTED = CompiledQuery(_counted)
_SETTLED = CompiledQuery(_settled)
