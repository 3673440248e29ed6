"""Events that wait for approval, and the messages with which they were returned.

See docs/editing.md#moderation.
"""

from calendar_api.database.editing_models import Review, Submission
from calendar_api.database.models import Event
from calendar_api.domain.auth import Caller
from calendar_api.store.visibility import readable


def waiting(caller: Caller, most: int) -> list[int]:
    """Ids of events that wait for approval, at most so many: those that were created first."""
    rows = Event.select(Event.id).where(Event.status == "pending", readable(Event, caller))
    return [int(id) for (id,) in rows.order_by(Event.id).limit(most).tuples()]


def count() -> int:
    """The number of events that wait for approval."""
    return int(Event.select().where(Event.status == "pending").count())


def submitters(ids: list[int]) -> dict[int, tuple[str, str]]:
    """Name and e-mail address of visitors who have submitted events, by the id of the event."""
    rows = Submission.select(Submission.event, Submission.name, Submission.email)
    return {int(id): (name, email) for id, name, email in rows.where(Submission.event.in_(ids)).tuples()}


def add(event_id: int, user_id: int | None, text: str, now: str) -> None:
    """Store the message with which an event is returned; part of a write transaction."""
    Review.create(event=event_id, user=user_id, text=text, created_utc=now)


def latest(ids: list[int]) -> dict[int, str]:
    """The last message of each of these events that has one."""
    rows = Review.select(Review.event, Review.text).where(Review.event.in_(ids)).order_by(Review.id)
    return {int(id): text for id, text in rows.tuples()} if ids else {}


def forget(event_id: int) -> None:
    """Delete the messages about an event that is approved; part of a write transaction."""
    Review.delete().where(Review.event == event_id).execute()
