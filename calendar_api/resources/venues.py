"""Venues over HTTP."""

from calendar_api.representations import venue_organizer
from calendar_api.resources.venue_organizer import (
    VenueOrganizerArchive,
    VenueOrganizerById,
    VenueOrganizerBySlug,
    VenueOrganizerRules,
)
from calendar_api.store.venues import venues


class VenueRules(VenueOrganizerRules):
    noun = "venue"
    plural = "venues"
    store = venues
    render = venue_organizer.venue


class Venues(VenueRules, VenueOrganizerArchive):
    """`/venues`"""


class VenueById(VenueRules, VenueOrganizerById):
    """`/venues/{id}`"""


class VenueBySlug(VenueRules, VenueOrganizerBySlug):
    """`/venues/by-slug/{slug}`"""
