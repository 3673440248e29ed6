"""What the links of an event repeat of it, so that lists and counts need no look at the event itself."""

from typing import Any

from peewee import Case

from calendar_api.models import Event, EventOrganizer, EventTerm, EventVenue


def settle(event_id: int) -> None:
    """Make the links say what the event says; at the end of everything that writes an event or its links.

    Three statements. A term counts the events that are published without a password (decisions §3.3), from
    the moment of their publication on.
    """
    of_event = Event.select(Event.utc_start_date).where(Event.id == event_id)
    counted = Event.select(
        Case(None, [((Event.status == "publish") & (Event.password == ""), Event.published_utc)], None)
    ).where(Event.id == event_id)
    for link in (EventVenue, EventOrganizer):
        link.update(utc_start_date=of_event).where(link.event == event_id).execute()
    EventTerm.update(utc_start_date=of_event, counted_from_utc=counted).where(
        EventTerm.event == event_id
    ).execute()


def counted(now: str) -> Any:
    """The links of events that count for their terms, the same for every caller."""
    return EventTerm.counted_from_utc <= now
