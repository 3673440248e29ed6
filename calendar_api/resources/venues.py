"""Venues over HTTP."""

from calendar_api.representations import venues as representation
from calendar_api.resources.linked import LinkedArchive, LinkedById, LinkedBySlug, LinkedRules
from calendar_api.store.venues import venues


class VenueRules(LinkedRules):
    noun = "venue"
    plural = "venues"
    store = venues
    representation = representation


class Venues(VenueRules, LinkedArchive):
    """`/venues`"""


class VenueById(VenueRules, LinkedById):
    """`/venues/{id}`"""


class VenueBySlug(VenueRules, LinkedBySlug):
    """`/venues/by-slug/{slug}`"""
