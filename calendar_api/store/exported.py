"""All records but those in the trash, in an order that does not depend on ids, for `calendar-api export`."""

from collections.abc import Iterator

from peewee import Value

from calendar_api.database.models import Event, Image, Organizer, Term, Venue
from calendar_api.domain.auth import Caller
from calendar_api.store.event_query import CHUNK
from calendar_api.store.visibility import listed

_TAXONOMIES = {"category": "tribe_events_cat", "tag": "post_tag"}


def ids(noun: str, caller: Caller) -> Iterator[list[int]]:
    """Ids of the records of a noun, CHUNK at a time.

    Parents come before their children; then events are in the order of their start and uid, others in that of
    their slugs.
    """
    if noun == "event":
        rows = Event.select(Event.id, Event.parent, Event.utc_start_date, Event.uid).where(
            listed(Event, caller)
        )
    elif noun in _TAXONOMIES:
        rows = Term.select(Term.id, Term.parent, Term.slug).where(Term.taxonomy == _TAXONOMIES[noun])
    else:
        model: type[Venue | Organizer] = Venue if noun == "venue" else Organizer
        rows = model.select(model.id, Value(None), model.slug).where(listed(model, caller))
    found = list(rows.tuples())
    parents = {row[0]: row[1] for row in found}
    found.sort(key=lambda row: (_depth(row[0], parents), *row[2:]))
    yield from ([row[0] for row in found[at : at + CHUNK]] for at in range(0, len(found), CHUNK))


def _depth(id: int, parents: dict[int, int | None]) -> int:
    depth = 0
    while (above := parents.get(id)) is not None:
        id, depth = above, depth + 1
    return depth


def names(noun: str, ids: set[int], caller: Caller) -> dict[int, str]:
    """What records are called by in a file: the uid of events, the addresses of images, slugs."""
    columns = {"event": Event.uid, "image": Image.url, "venue": Venue.slug, "organizer": Organizer.slug}
    column = columns.get(noun, Term.slug)
    rows = column.model.select(column.model.id, column).where(column.model.id.in_(ids))
    if noun in ("event", "venue", "organizer"):
        rows = rows.where(listed(column.model, caller))
    return dict(rows.tuples()) if ids else {}
