"""Merge a venue, organizer, category or tag into another one (docs/editing.md#merging).

All events of the merged record move to the kept one. Call these functions in a write transaction.
"""

from typing import Any

from peewee import fn

from calendar_api.database.models import (
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    FormerSlug,
    Term,
)
from calendar_api.database.tables import ImportItem
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import AlreadyInTrash, Forbidden, InvalidParameters
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import publishable, related_records, slugs
from calendar_api.store.ids import Kind
from calendar_api.store.terms import Terms
from calendar_api.store.venue_organizer import VenueOrganizerStore
from calendar_api.store.visibility import readable, unlocked

_TOGETHER = 500  # events of a statement
_TAXONOMIES = {"category": "tribe_events_cat", "tag": "post_tag"}
_LINKS: dict[str, Any] = {
    "venue": EventVenue, "organizer": EventOrganizer, "category": EventTerm, "tag": EventTerm,
}  # fmt: skip


def merge(
    store: VenueOrganizerStore | Terms, merged: Any, kept: Any, caller: Caller, site: SiteSettings
) -> int:
    """Merge one row into another; return the number of events that were changed.

    The fields of the kept one stay. A merged venue or organizer moves to the trash. A merged term is deleted,
    and its children move to the kept one. Raises Forbidden, InvalidParameters and AlreadyInTrash.
    """
    require_mergeable(store.noun, merged, kept, caller)
    old, new, slug, link = int(merged.id), int(kept.id), merged.slug, _LINKS[store.noun]
    first = _events_beginning_with(old) if link is EventVenue else set()
    events = _move_links(link, _column(store.noun), old, new)
    if isinstance(store, Terms):
        related_records.recount_term(new)
    _announce(events, first, caller.now, site)
    if isinstance(store, Terms):
        _move_children(store, merged, new, site)
    else:
        publishable.trashed(store.model, merged, caller.now, site)
    _forward(store.noun, old, new, slug, kept.slug)
    return len(events)


def _move_children(store: Terms, merged: Term, new: int, site: SiteSettings) -> None:
    """Delete a term; move its children to the kept one."""
    children = list(Term.select().where(Term.parent == merged.id, Term.id != new))
    below = new in store.with_descendants(int(merged.id))
    # Before the others move, so that its name is free among its siblings.
    Term.update(parent=None).where(Term.parent == merged.id).execute()
    Term.delete().where(Term.id == merged.id).execute()
    if below:  # it takes the place of the merged one, or the tree would have a circle
        store.move(store.by_id(new), merged.parent_id, site)
    for child in children:
        store.move(child, new, site)


def require_mergeable(noun: str, merged: Any, kept: Any, caller: Caller) -> None:
    """Raises Forbidden, InvalidParameters, and AlreadyInTrash for the merged record."""
    is_term = noun in _TAXONOMIES
    allowed = (
        caller.manages_terms(_TAXONOMIES[noun])
        if is_term
        else auth.may_edit(caller, merged) and auth.may_edit(caller, kept)
    )
    if not allowed:
        reason = message("Your role does not allow you to change this record.")
        raise Forbidden(reason, anonymous=caller.anonymous)
    if merged.id == kept.id:
        raise InvalidParameters({"into": message("{name} must be another record.", name="into")})
    if is_term:
        return
    if merged.status == "trash":
        raise AlreadyInTrash(noun)
    hides = auth.effective_status(merged, caller.now) == "publish"
    if kept.status == "trash" or (hides and auth.effective_status(kept, caller.now) != "publish"):
        problem = message("{name} must be published, like the record that is merged into it.", name="into")
        raise InvalidParameters({"into": problem})


def affected(noun: str, id: int, caller: Caller) -> tuple[int, int]:
    """How many events that the caller may read, and how many child categories, merging changes."""
    link = _LINKS[noun]
    rows = link.select().join(Event, on=(link.event == Event.id))
    events = rows.where(getattr(link, _column(noun)) == id, readable(Event, caller), unlocked(caller))
    return int(events.count()), int(Term.select().where(Term.parent == id).count())


def _column(noun: str) -> str:
    """The column of the record in the table of its links."""
    return "term" if noun in _TAXONOMIES else noun


def _events_beginning_with(venue: int) -> set[int]:
    """The events whose first venue is this one."""
    other: Any = EventVenue.alias()
    before = other.select(other.event).where(
        other.event == EventVenue.event, other.position < EventVenue.position
    )
    rows = EventVenue.select(EventVenue.event).where(EventVenue.venue == venue, ~fn.EXISTS(before))
    return {int(event) for (event,) in rows.tuples()}


def _move_links(link: Any, name: str, old: int, new: int) -> list[int]:
    """Link the events of one record to another; return these events.

    An event that has both keeps one link, in the place of the first of them.
    """
    column = getattr(link, name)
    events = [int(id) for (id,) in link.select(link.event).where(column == old).tuples()]
    own = link.select(link.event).where(column == new).tuples()
    both = sorted({int(id) for (id,) in own} & {*events})
    for at in range(0, len(both), _TOGETHER):
        doubled = link.event.in_(both[at : at + _TOGETHER])
        if hasattr(link, "position"):
            for event, position in (
                link.select(link.event, link.position).where(column == old, doubled).tuples()
            ):
                later = (link.event == event) & (column == new) & (link.position > position)
                link.update(position=position).where(later).execute()
        link.delete().where(column == old, doubled).execute()
    link.update({name: new}).where(column == old).execute()
    return events


def _announce(ids: list[int], moved: set[int], now: str, site: SiteSettings) -> None:
    """Write what every change of an event writes; calendars hear of those that `moved` to another venue."""
    for at in range(0, len(ids), _TOGETHER):
        for event in Event.select().where(Event.id.in_(ids[at : at + _TOGETHER])):
            sequence = event.sequence + (event.id in moved)
            columns = {"modified_utc": now, "version": event.version + 1, "sequence": sequence}
            publishable.save(Event, event, columns, site)


def _forward(kind: Kind, old: int, new: int, slug: str, kept_slug: str) -> None:
    """Former slugs and items of imports mean the kept record from now on."""
    FormerSlug.update(record=new).where(FormerSlug.record == old).execute()
    slugs.change(kind, new, slug, kept_slug)
    ImportItem.update(record=new).where(ImportItem.record == old).execute()
