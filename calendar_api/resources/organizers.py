"""Organizers over HTTP."""

from calendar_api.representations import organizers as representation
from calendar_api.resources.linked import LinkedArchive, LinkedById, LinkedBySlug, LinkedRules
from calendar_api.store.organizers import organizers


class OrganizerRules(LinkedRules):
    noun = "organizer"
    plural = "organizers"
    store = organizers
    representation = representation


class Organizers(OrganizerRules, LinkedArchive):
    """`/organizers`"""


class OrganizerById(OrganizerRules, LinkedById):
    """`/organizers/{id}`"""


class OrganizerBySlug(OrganizerRules, LinkedBySlug):
    """`/organizers/by-slug/{slug}`"""
