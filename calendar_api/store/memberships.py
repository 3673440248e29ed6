"""What the links of an event repeat of it, so that lists and counts need no look at the event itself."""

from typing import Any

from calendar_api.models import EventOrganizer, EventTerm, EventVenue
from calendar_api.store.prepared import Prepared


def of_terms(event: Any) -> dict[str, str | None]:
    """What its links to terms repeat: a term counts the events that are published without a password.

    They count from their publication on, for every caller alike (decisions §3.3).
    """
    public = event.status == "publish" and not event.password
    return {
        "utc_start_date": event.utc_start_date,
        "counted_from_utc": event.published_utc if public else None,
    }


def settle(event: Any, before: Any) -> None:
    """Make the links say what the event says, where that is not what it said before."""
    own = of_terms(event)
    if own == of_terms(before):
        return
    _SETTLED.run(EventTerm, tuple(own), event=event.id, values=list(own.values()))
    if event.utc_start_date != before.utc_start_date:
        for link in (EventVenue, EventOrganizer):
            _SETTLED.run(link, ("utc_start_date",), event=event.id, values=[event.utc_start_date])


def counted(now: Any) -> Any:
    """The links of events that count for their terms."""
    return EventTerm.counted_from_utc <= now


def _settled(link: Any, names: tuple[str, ...], *, event: Any, values: list[Any]) -> Any:
    return link.update(dict(zip(names, values, strict=True))).where(link.event == event)


_SETTLED = Prepared(_settled)
