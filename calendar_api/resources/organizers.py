"""Organizers over HTTP."""

from calendar_api.representations import venue_organizer
from calendar_api.resources.venue_organizer import (
    VenueOrganizerArchive,
    VenueOrganizerById,
    VenueOrganizerBySlug,
    VenueOrganizerRules,
)
from calendar_api.store.organizers import organizers


class OrganizerRules(VenueOrganizerRules):
    noun = "organizer"
    plural = "organizers"
    store = organizers
    render = venue_organizer.organizer


class Organizers(OrganizerRules, VenueOrganizerArchive):
    """`/organizers`"""


class OrganizerById(OrganizerRules, VenueOrganizerById):
    """`/organizers/{id}`"""


class OrganizerBySlug(OrganizerRules, VenueOrganizerBySlug):
    """`/organizers/by-slug/{slug}`"""
