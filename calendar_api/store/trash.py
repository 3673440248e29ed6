"""Permanent deletion of old records in the trash, of expired responses and of contacts of visitors.

Ids are never reused: the row in `record` stays.
"""

from peewee import ForeignKeyField

from calendar_api.database.models import (
    Event,
    EventOrganizer,
    EventVenue,
    FormerSlug,
    IdempotentResponse,
    Organizer,
    PublishedRecord,
    SearchText,
    Venue,
)
from calendar_api.database.tables import Submission

#: In this order, because deleting an event deletes its links.
MODELS: dict[str, type[PublishedRecord]] = {"events": Event, "venues": Venue, "organizers": Organizer}
_LINKS: dict[type[PublishedRecord], ForeignKeyField] = {
    Venue: EventVenue.venue,
    Organizer: EventOrganizer.organizer,
}


def due(kind: str, before: str, limit: int | None = None) -> list[int]:
    """Ids of records that were moved to the trash at or before `before` (UTC)."""
    model = MODELS[kind]
    rows = model.select(model.id).where(model.status == "trash", model.trashed_utc <= before)
    return [int(id) for (id,) in rows.order_by(model.id).limit(limit).tuples()]


def purge(kind: str, before: str, limit: int) -> int:
    """Delete at most `limit` records for good and return their number; part of a write transaction.

    Events that lose their parent or a link get a new version.
    """
    model, ids = MODELS[kind], due(kind, before, limit)
    if not ids:
        return 0
    if model is Event:
        Event.update(parent=None, version=Event.version + 1).where(Event.parent.in_(ids)).execute()
    else:
        link = _LINKS[model]
        events = [int(id) for (id,) in link.model.select(link.model.event).where(link.in_(ids)).tuples()]
        link.model.delete().where(link.in_(ids)).execute()
        Event.update(version=Event.version + 1).where(Event.id.in_(events)).execute()
    for table in (SearchText, FormerSlug):
        table.delete().where(table.record.in_(ids)).execute()
    model.delete().where(model.id.in_(ids)).execute()
    return len(ids)


def expired_answers(before: str) -> int:
    """The number of stored responses that are older than `before` (UTC)."""
    return int(IdempotentResponse.select().where(IdempotentResponse.created_utc < before).count())


def purge_answers(before: str, limit: int) -> int:
    """Delete at most `limit` of them and return their number; part of a write transaction."""
    rows = IdempotentResponse.select(IdempotentResponse.user, IdempotentResponse.key_digest)
    keys = list(rows.where(IdempotentResponse.created_utc < before).limit(limit).tuples())
    for user, key in keys:
        IdempotentResponse.delete().where(
            (IdempotentResponse.user == user) & (IdempotentResponse.key_digest == key)
        ).execute()
    return len(keys)


def due_contacts(before: str, limit: int | None = None) -> list[int]:
    """Ids of events that were submitted before `before`, are decided on, and have a name or an address."""
    rows = Submission.select(Submission.event).join(Event, on=(Submission.event == Event.id))
    given = (Submission.name != "") | (Submission.email != "")
    decided = Event.status.in_(("publish", "private", "trash"))
    rows = rows.where(given, decided, Submission.created_utc <= before).limit(limit)
    return [int(id) for (id,) in rows.tuples()]


def purge_contacts(before: str, limit: int) -> int:
    """Delete at most `limit` of these contacts and return their number; part of a write transaction."""
    ids = due_contacts(before, limit)
    if ids:
        Submission.update(name="", email="").where(Submission.event.in_(ids)).execute()
    return len(ids)
