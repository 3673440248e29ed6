"""Organizers: who holds events."""

from calendar_api.database.models import EventOrganizer, Organizer
from calendar_api.store.venue_organizer import VenueOrganizerStore

organizers = VenueOrganizerStore("organizer", Organizer, EventOrganizer)
