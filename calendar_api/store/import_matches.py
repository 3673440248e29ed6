"""Find the record that an item of an import is already."""

from collections.abc import Iterable
from typing import cast

from peewee import ModelSelect

from calendar_api.database.models import Event, EventVenue, Organizer, Term, Venue
from calendar_api.domain import dates, text, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import identifiers, publishable
from calendar_api.store.compiled_queries import CompiledQuery, Param
from calendar_api.store.events import EventFields
from calendar_api.store.terms import TermFields
from calendar_api.store.venue_organizer import Fields

_TAXONOMIES = {"category": "tribe_events_cat", "tag": "post_tag"}
_FOLDED_LENGTH = 191  # of the column `name_casefold`


def matches(noun: str, fields: Fields, caller: Caller, site: SiteSettings) -> Iterable[int]:
    """Ids of the records that are the same as a new one with these checked fields would be.

    Events: by title, start and venues. Venues: by name, unless both have an address or a city and
    these differ. Organizers: by name. Terms: by slug, or by name and parent. Raises InvalidParameters.
    """
    if noun == "event":
        return _events(cast(EventFields, fields), caller, site)
    if noun in _TAXONOMIES:
        return _terms(noun, cast(TermFields, fields))
    return _venues_or_organizers(noun, fields)


def with_uid(uid: str) -> int | None:
    """The id of the event with this uid, in any status."""
    found = _same_uid.rows(uid=uid)
    return int(found[0][0]) if found else None


def _events(fields: EventFields, caller: Caller, site: SiteSettings) -> list[int]:
    zone = time_zones.named(fields.get("timezone") or site.timezone)
    start = publishable.moment("start_date", fields["start_date"], zone, caller)
    start = dates.day_start(start) if fields.get("all_day") else start
    same = _same_title_and_start.rows(start=dates.text(start), title=text.plain(fields["title"]))
    if not same:
        return []
    venues = fields.get("venue") or []
    wanted = {_key(str(venue["venue"])) for venue in venues if isinstance(venue, dict)}
    ids = [venue for venue in venues if not isinstance(venue, dict)]
    rows = Venue.select(Venue.venue).where(Venue.id.in_(ids))
    wanted |= {text.casefold(row.venue) for row in rows}
    return [int(id) for (id,) in same if _venues_of(id) == wanted]


def _venues_of(event: int) -> set[str]:
    rows = Venue.select(Venue.venue).join(EventVenue, on=(EventVenue.venue == Venue.id))
    return {text.casefold(row.venue) for row in rows.where(EventVenue.event == event)}


def _venues_or_organizers(noun: str, fields: Fields) -> Iterable[int]:
    model: type[Venue | Organizer] = Venue if noun == "venue" else Organizer
    name = _key(fields[noun])
    rows = model.select().where(model.name_casefold == name[:_FOLDED_LENGTH], model.status != "trash")
    for row in rows.order_by(model.id):
        parts = [(fields.get(part), getattr(row, part, "")) for part in ("address", "city")]
        differs = any(_key(str(one)) != text.casefold(other) for one, other in parts if one and other)
        if text.casefold(getattr(row, noun)) == name and not differs:
            yield int(row.id)


def _terms(noun: str, fields: TermFields) -> list[int]:
    slug, name = identifiers.wanted_slug(fields.get("slug"), fields["name"]), text.plain(fields["name"])
    same = (Term.slug == slug) | (Term.name_folded == text.folded(name))
    rows = list(Term.select().where(Term.taxonomy == _TAXONOMIES[noun], same).order_by(Term.id))
    by_slug = [row for row in rows if row.slug == slug and fields.get("slug")]
    wanted = (text.casefold(name), fields.get("parent") or None)
    by_name = [row for row in rows if (text.casefold(row.name), row.parent_id) == wanted]
    return [int(row.id) for row in by_slug + by_name]


def _key(name: str) -> str:
    return text.casefold(text.plain(name))


@CompiledQuery
def _same_uid(*, uid: Param) -> ModelSelect:
    return Event.select(Event.id).where(Event.uid == uid)


@CompiledQuery
def _same_title_and_start(*, start: Param, title: Param) -> ModelSelect:
    same = (Event.start_date == start) & (Event.title == title)
    return Event.select(Event.id).where(same, Event.status != "trash").order_by(Event.id)
