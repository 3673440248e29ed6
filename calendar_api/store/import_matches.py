"""Find the record that an item of an import is already."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import cast

from peewee import ModelSelect

from calendar_api.database.models import Event, EventVenue, Organizer, Term, Venue
from calendar_api.domain import dates, text, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import identifiers, publishable
from calendar_api.store.compiled_queries import CompiledQuery, Param, padded
from calendar_api.store.terms import TermFields
from calendar_api.store.venue_organizer import Fields

_TAXONOMIES = {"category": "tribe_events_cat", "tag": "post_tag"}
_FOLDED_LENGTH = 191  # of the column `name_casefold`


def same_uids(uids: Iterable[str]) -> dict[str, int]:
    """The ids of the events with these uids, in any status."""
    some = padded(uids)
    return {uid: int(id) for uid, id in _same_uids.rows(uids=some)} if some else {}


def same_starts(new: Mapping[str, Fields], caller: Caller, site: SiteSettings) -> dict[str, list[int]]:
    """Ids of the events with the title and start of each of these new ones with checked fields."""
    wanted = {key: _title_and_start(fields, caller, site) for key, fields in new.items()}
    found: dict[tuple[str, str], list[int]] = {}
    if wanted:
        titles, starts = (padded(values) for values in zip(*wanted.values(), strict=True))
        for title, start, id in _same_starts.rows(titles=titles, starts=starts):
            found.setdefault((title, start), []).append(int(id))
    return {key: found.get(one, []) for key, one in wanted.items()}


def _title_and_start(fields: Fields, caller: Caller, site: SiteSettings) -> tuple[str, str]:
    zone = time_zones.named(fields.get("timezone") or site.timezone)
    with suppress(InvalidParameters):  # a date that the zone does not have: refused where it is stored
        start = publishable.moment("start_date", fields["start_date"], zone, caller)
        start = dates.day_start(start) if fields.get("all_day") else start
        return text.plain(fields["title"]), dates.text(start)
    return "", ""


def in_same_venues(ids: Sequence[int], fields: Fields) -> list[int]:
    """Those of the events that have the venues in these checked fields."""
    if not ids:
        return []
    venues = fields.get("venue") or []
    wanted = {_key(venue["venue"]) for venue in venues if isinstance(venue, dict)}
    known = [venue for venue in venues if not isinstance(venue, dict)]
    rows = Venue.select(Venue.venue).where(Venue.id.in_(known))
    wanted |= {text.casefold(row.venue) for row in rows}
    return [id for id in ids if _venues_of(id) == wanted]


def _venues_of(event: int) -> set[str]:
    rows = Venue.select(Venue.venue).join(EventVenue, on=(EventVenue.venue == Venue.id))
    return {text.casefold(row.venue) for row in rows.where(EventVenue.event == event)}


def others(noun: str, fields: Fields) -> Iterable[int]:
    """Ids of the records that are the same as a new venue, organizer or term with these checked fields.

    Venues: by name, unless both have an address or a city and these differ; an address without a city may
    contain both. Organizers: by name. Terms: by slug, or by name and parent; one that has neither slug nor
    parent by name.
    """
    if noun in _TAXONOMIES:
        return _terms(noun, cast(TermFields, fields))
    return _venues_or_organizers(noun, fields)


def _venues_or_organizers(noun: str, fields: Fields) -> Iterable[int]:
    model: type[Venue | Organizer] = Venue if noun == "venue" else Organizer
    name = _key(fields[noun])
    rows = model.select().where(model.name_casefold == name[:_FOLDED_LENGTH], model.status != "trash")
    for row in rows.order_by(model.id):
        if text.casefold(getattr(row, noun)) == name and (noun == "organizer" or _is_same_place(fields, row)):
            yield int(row.id)


def _is_same_place(fields: Fields, row: Venue) -> bool:
    """Whether address and city of two venues with the same name may be the same."""
    new = [_key(str(fields.get(part) or "")) for part in ("address", "city")]
    old = [text.casefold(row.address), text.casefold(row.city)]
    for whole, parts in ((new, old), (old, new)):
        if whole[0] and not whole[1] and all(parts):
            return whole[0] == parts[0] or _words(*parts) <= _words(whole[0])
    return all(one == other for one, other in zip(new, old, strict=True) if one and other)


def _words(*texts: str) -> set[str]:
    return set(re.findall(r"\w+", " ".join(texts)))


def _terms(noun: str, fields: TermFields) -> list[int]:
    slug, name = identifiers.wanted_slug(fields.get("slug"), fields["name"]), text.plain(fields["name"])
    same = (Term.slug == slug) | (Term.name_folded == text.folded(name))
    rows = list(Term.select().where(Term.taxonomy == _TAXONOMIES[noun], same).order_by(Term.id))
    by_slug = [row for row in rows if row.slug == slug and fields.get("slug")]
    by_name = [row for row in rows if text.casefold(row.name) == text.casefold(name)]
    if "parent" in fields or "slug" in fields:  # else the source has only names, as calendars do
        by_name = [row for row in by_name if row.parent_id == (fields.get("parent") or None)]
    return [int(row.id) for row in by_slug + by_name]


def _key(name: str) -> str:
    return text.casefold(text.plain(name))


@CompiledQuery
def _same_uids(*, uids: list[Param]) -> ModelSelect:
    return Event.select(Event.uid, Event.id).where(Event.uid.in_(uids))


@CompiledQuery
def _same_starts(*, titles: list[Param], starts: list[Param]) -> ModelSelect:
    same = Event.start_date.in_(starts) & Event.title.in_(titles)
    found = Event.select(Event.title, Event.start_date, Event.id)
    return found.where(same, Event.status != "trash").order_by(Event.id)
