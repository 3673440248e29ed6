"""Organizers: who holds events."""

from typing import Any

from calendar_api.database.models import EventOrganizer, Organizer
from calendar_api.store.venue_organizer import Fields, VenueOrganizerStore, line

_SEARCHED = ("organizer", "phone", "email", "website")


def _columns(fields: Fields, organizer: Any) -> Fields:
    """The columns that were sent; all of them for a new organizer."""
    new = organizer is None
    row: Fields = {name: line(fields.get(name)) for name in ("phone", "email") if new or name in fields}
    if new or "website" in fields:
        row["website"] = fields.get("website") or ""
    return row


def _problems(fields: Fields, organizer: Any) -> dict[str, str]:
    return {}


organizers = VenueOrganizerStore("organizer", Organizer, EventOrganizer, _SEARCHED, _columns, _problems)
