"""Create and update records of any noun as requests do."""

from collections.abc import Mapping
from typing import Any

from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import Forbidden, InvalidParameters
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import events, terms
from calendar_api.store.venue_organizer import VenueOrganizerStore, organizers, venues

_LINKED: dict[str, VenueOrganizerStore] = {"venue": venues, "organizer": organizers}
_TERMS = {"category": terms.categories, "tag": terms.tags}


def create(noun: str, fields: Mapping[str, Any], caller: Caller, site: SiteSettings) -> int:
    """Create a record from checked fields and return its id. Raises ApiError."""
    _refuse_invalid(noun, fields, caller)
    if noun == "event":
        return int(events.create(events.prepare(fields), caller, site, imported=True).id)
    if noun in _TERMS:
        return int(_TERMS[noun].create(fields, site).id)
    return _LINKED[noun].create(fields, caller, site)


def update(noun: str, record: Any, fields: Mapping[str, Any], caller: Caller, site: SiteSettings) -> None:
    """Write checked fields of a record. Raises ApiError."""
    if noun not in _TERMS and not auth.may_edit(caller, record):
        raise Forbidden(message("Your role does not allow you to change this record."), anonymous=False)
    _refuse_invalid(noun, fields, caller)
    if noun == "event":
        events.update(record, events.prepare(fields), caller, site)
    elif noun in _TERMS:
        _TERMS[noun].update(record, fields, site)
    else:
        _LINKED[noun].update(record, fields, caller, site)


def _refuse_invalid(noun: str, fields: Mapping[str, Any], caller: Caller) -> None:
    if noun in _TERMS:
        if not caller.manages_terms(_TERMS[noun].taxonomy):
            raise Forbidden(message("Your role does not allow you to change records here."), anonymous=False)
        problems = _TERMS[noun].problems(fields)
    else:
        problems = (events if noun == "event" else _LINKED[noun]).problems(fields, caller)
    if problems:
        raise InvalidParameters(problems)
