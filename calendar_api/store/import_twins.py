"""Find the record that an item of an import is already."""

from collections.abc import Mapping
from typing import Any

from peewee import ModelSelect

from calendar_api.database.models import Event, EventVenue, Organizer, Term, Venue
from calendar_api.domain import dates, text, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import publishable, slugs
from calendar_api.store.compiled_queries import CompiledQuery, Param

_MODELS: dict[str, Any] = {"venue": Venue, "organizer": Organizer}
_TAXONOMIES = {"category": "tribe_events_cat", "tag": "post_tag"}


def with_uid(uid: str) -> int | None:
    """The id of the event with this uid, in any status."""
    found = _SAME_UID.rows(uid=uid)
    return int(found[0][0]) if found else None


def twins(noun: str, fields: Mapping[str, Any], caller: Caller, site: SiteSettings) -> list[int]:
    """Ids of the records that are the same as a new one with these checked fields would be.

    Events: by title, start and venues. Venues: by name, unless both have an address or a city and
    these differ. Organizers: by name. Terms: by slug, or by name and parent. Raises InvalidParameters.
    """
    if noun == "event":
        return _twins_of_event(fields, caller, site)
    if noun in _TAXONOMIES:
        return _twins_of_term(noun, fields)
    model = _MODELS[noun]
    name = text.casefold(text.plain(fields[noun]))
    found = []
    for row in _NAMESAKES.objects(model, name=name[:_FOLDED_LENGTH]):
        other = any(_differ(fields.get(part), getattr(row, part, "")) for part in ("address", "city"))
        if text.casefold(getattr(row, noun)) == name and not other:
            found.append(int(row.id))
    return found


_FOLDED_LENGTH = 191  # of the column `name_casefold`


def _differ(one: str | None, other: str) -> bool:
    return bool(one and other) and text.casefold(text.plain(str(one))) != text.casefold(other)


def _twins_of_event(fields: Mapping[str, Any], caller: Caller, site: SiteSettings) -> list[int]:
    zone = time_zones.named(fields.get("timezone") or site.timezone)
    start = publishable.moment("start_date", fields["start_date"], zone, caller)
    if fields.get("all_day"):
        start = dates.day_start(start)
    same = _SAME_TITLE_AND_START.rows(start=dates.text(start), title=text.plain(fields["title"]))
    if not same:
        return []
    wanted = {_venue_name(item) for item in fields.get("venue") or []}
    return [int(id) for (id,) in same if _venue_names(int(id)) == wanted]


def _venue_name(item: Any) -> str:
    if isinstance(item, dict):
        return text.casefold(text.plain(item["venue"]))
    return text.casefold(str(Venue.select(Venue.venue).where(Venue.id == item).scalar()))


def _venue_names(event: int) -> set[str]:
    return {text.casefold(name) for (name,) in _VENUE_NAMES.rows(event=event)}


def _twins_of_term(noun: str, fields: Mapping[str, Any]) -> list[int]:
    slug = slugs.wanted(fields.get("slug"), fields["name"])
    name = text.casefold(text.plain(fields["name"]))
    parent = fields.get("parent") or None
    rows = _TERMS.objects(
        taxonomy=_TAXONOMIES[noun], folded=text.folded(text.plain(fields["name"])), slug=slug
    )
    by_name = [row for row in rows if text.casefold(row.name) == name and row.parent_id == parent]
    by_slug = [row for row in rows if row.slug == slug] if fields.get("slug") else []
    return [int(row.id) for row in by_slug + by_name]


def _namesakes(model: Any, *, name: Param) -> ModelSelect:
    return model.select().where(model.name_casefold == name, model.status != "trash").order_by(model.id)


def _same_uid(*, uid: Param) -> ModelSelect:
    return Event.select(Event.id).where(Event.uid == uid)


def _same_title_and_start(*, start: Param, title: Param) -> ModelSelect:
    same = (Event.start_date == start) & (Event.title == title)
    return Event.select(Event.id).where(same, Event.status != "trash").order_by(Event.id)


def _names_of_venues(*, event: Param) -> ModelSelect:
    links = Venue.select(Venue.venue).join(EventVenue, on=(EventVenue.venue == Venue.id))
    return links.where(EventVenue.event == event)


def _terms(*, taxonomy: Param, folded: Param, slug: Param) -> ModelSelect:
    same = (Term.slug == slug) | (Term.name_folded == folded)
    return Term.select().where(Term.taxonomy == taxonomy, same).order_by(Term.id)


_NAMESAKES = CompiledQuery(_namesakes)
_SAME_UID = CompiledQuery(_same_uid)
_SAME_TITLE_AND_START = CompiledQuery(_same_title_and_start)
_VENUE_NAMES = CompiledQuery(_names_of_venues)
_TERMS = CompiledQuery(_terms)
