"""Merge a venue, organizer, category or tag into another one (docs/editing.md#merging).

All events of the merged record move to the kept one. Call these functions in a write transaction.
"""

from typing import TypeAlias

from peewee import Field, fn

from calendar_api.database.models import Event, EventTerm, EventVenue, FormerSlug, Organizer, Term, Venue
from calendar_api.database.tables import ImportItem
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import AlreadyInTrash, Forbidden, InvalidParameters
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import identifiers, publishable, related_records
from calendar_api.store.identifiers import Kind
from calendar_api.store.terms import Terms
from calendar_api.store.venue_organizer import VenueOrganizerStore, venues
from calendar_api.store.visibility import readable, unlocked

_TOGETHER = 500  # events of a statement
Store: TypeAlias = VenueOrganizerStore | Terms
Row: TypeAlias = Venue | Organizer | Term


def merge(store: Store, merged: Row, kept: Row, caller: Caller, site: SiteSettings) -> int:
    """Merge one row into another; return the number of events that were changed.

    The fields of the kept one stay. A merged venue or organizer moves to the trash. A merged term is deleted,
    and its children move to the kept one. Raises Forbidden, InvalidParameters and AlreadyInTrash.
    """
    require_mergeable(store, merged, kept, caller)
    old, new, slug = int(merged.id), int(kept.id), merged.slug
    first = _events_beginning_with(old) if store is venues else set()
    events = _move_links(_column(store), old, new)
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
    children = list(Term.select().where(Term.parent == merged.id, Term.id != new))
    below = new in store.with_descendants(int(merged.id))
    # Before the others move, so that its name is free among its siblings.
    Term.update(parent=None).where(Term.parent == merged.id).execute()
    Term.delete().where(Term.id == merged.id).execute()
    if below:  # it takes the place of the merged one, or the tree would have a circle
        store.move(store.by_id(new), merged.parent_id, site)
    for child in children:
        store.move(child, new, site)


def require_mergeable(store: Store, merged: Row, kept: Row, caller: Caller) -> None:
    """Raises Forbidden, InvalidParameters, and AlreadyInTrash for the merged record."""
    if isinstance(store, Terms):
        allowed = caller.manages_terms(store.taxonomy)
    else:
        allowed = auth.may_edit(caller, merged) and auth.may_edit(caller, kept)
    if not allowed:
        reason = message("Your role does not allow you to change this record.")
        raise Forbidden(reason, anonymous=caller.anonymous)
    if merged.id == kept.id:
        raise InvalidParameters({"into": message("{name} must be another record.", name="into")})
    if isinstance(store, Terms):
        return
    if merged.status == "trash":
        raise AlreadyInTrash(store.noun)
    hides = auth.effective_status(merged, caller.now) == "publish"
    if kept.status == "trash" or (hides and auth.effective_status(kept, caller.now) != "publish"):
        problem = message("{name} must be published, like the record that is merged into it.", name="into")
        raise InvalidParameters({"into": problem})


def affected(store: Store, id: int, caller: Caller) -> tuple[int, int]:
    """How many events that the caller may read, and how many child categories, merging changes."""
    column = _column(store)
    link = column.model
    rows = link.select().join(Event, on=(link.event == Event.id))
    events = rows.where(column == id, readable(Event, caller), unlocked(caller))
    return int(events.count()), int(Term.select().where(Term.parent == id).count())


def _column(store: Store) -> Field:
    """The column of the record in the table of its links."""
    return EventTerm.term if isinstance(store, Terms) else getattr(store.link, store.noun)


def _events_beginning_with(venue: int) -> set[int]:
    """The events whose first venue is this one."""
    other = EventVenue.alias()
    before = other.select(other.event).where(
        other.event == EventVenue.event, other.position < EventVenue.position
    )
    rows = EventVenue.select(EventVenue.event).where(EventVenue.venue == venue, ~fn.EXISTS(before))
    return {int(event) for (event,) in rows.tuples()}


def _move_links(column: Field, old: int, new: int) -> list[int]:
    """Link the events of one record to another; return these events.

    An event that has both keeps one link, in the place of the first of them.
    """
    link = column.model
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
    link.update({column: new}).where(column == old).execute()
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
    identifiers.change_slug(kind, new, slug, kept_slug)
    ImportItem.update(record=new).where(ImportItem.record == old).execute()
