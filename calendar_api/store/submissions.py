"""Events that wait for approval, and those that visitors submit (docs/editing.md#moderation, #submissions).

The author of events from visitors is a user of its own, who cannot sign in: so the rights of contributors
decide what is possible. New venues and organizers wait with the event, and are published with it.
"""

import hashlib
from itertools import count

from calendar_api.database.models import Event, User
from calendar_api.database.tables import EditingState, Review, Submission
from calendar_api.domain import signed_tokens
from calendar_api.domain.auth import Caller
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import login_attempts, sessions, users
from calendar_api.store.login_attempts import Rule
from calendar_api.store.venue_organizer import Fields, Row, VenueOrganizerStore, organizers, venues
from calendar_api.store.visibility import readable

LOGIN = "submissions"
#: A form is not filled in faster, and is not open for longer; in seconds.
SHORTEST, LONGEST = 3, 24 * 3600
_NETWORK = Rule("submission", 20, 3600, 3600, 3600)
_TOTAL = Rule("submission total", 200, 3600, 3600, 3600)
_STORES = (venues, organizers)


# -- moderation


def waiting(caller: Caller, most: int) -> list[int]:
    """Ids of events that wait for approval, at most so many: those that were created first."""
    rows = Event.select(Event.id).where(Event.status == "pending", readable(Event, caller))
    return [int(id) for (id,) in rows.order_by(Event.id).limit(most).tuples()]


def waiting_count() -> int:
    """The number of events that wait for approval."""
    return int(Event.select().where(Event.status == "pending").count())


def submitters(ids: list[int]) -> dict[int, tuple[str, str]]:
    """Name and e-mail address of visitors who have submitted events, by the id of the event."""
    rows = Submission.select(Submission.event, Submission.name, Submission.email)
    return {int(id): (name, email) for id, name, email in rows.where(Submission.event.in_(ids)).tuples()}


def add_review(event_id: int, user_id: int | None, text: str, now: str) -> None:
    """Store the message with which an event is returned; part of a write transaction."""
    Review.create(event=event_id, user=user_id, text=text, created_utc=now)


def latest_reviews(ids: list[int]) -> dict[int, str]:
    """The last message of each of these events that has one."""
    rows = Review.select(Review.event, Review.text).where(Review.event.in_(ids)).order_by(Review.id)
    return {int(id): text for id, text in rows.tuples()} if ids else {}


# -- forms and links of visitors


def owner(now: str, address: str) -> Caller:
    """The user who owns submissions; part of a write transaction.

    Makes a new one while there is none, or one who can sign in or has another role.
    """
    state = sessions.state()
    cannot_sign_in = (User.role == "contributor") & User.password.is_null()
    user = User.get_or_none((User.id == state.submitter_id) & cannot_sign_in)
    if user is None:
        logins = (f"{LOGIN}-{number}" if number > 1 else LOGIN for number in count(1))
        user = users.add(next(login for login in logins if users.known(login) is None), "contributor", now)
        EditingState.update(submitter=user.id).execute()
    return Caller(now, int(user.id), user.login, user.role, address)


def stamp(now: str) -> str:
    """A signed hidden field: when a form was made, and a random number that makes its submission unique."""
    return signed_tokens.sign(sessions.signing_key(), "form", 0, now)


def age(stamp: str, now: str) -> int | None:
    """The age of a stamp in seconds; None if it is not ours."""
    return signed_tokens.age(sessions.signing_key(), "form", stamp, now)


def secret_of(stamp: str) -> str:
    """The secret of the link to what the form with this stamp has created; 64 hexadecimal digits."""
    return signed_tokens.signature(sessions.signing_key(), "submission", stamp)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def find(secret: str, now: str, address: str) -> tuple[Submission, Caller] | None:
    """What a secret link means, and as whom it acts: the author of the event, as a contributor."""
    rows = Submission.select(Submission, User.id.alias("author"), User.login)
    rows = rows.join(Event, on=(Submission.event == Event.id)).join(User, on=(Event.author == User.id))
    found = rows.where(Submission.digest == _digest(secret)).objects().first()
    return found and (found, Caller(now, int(found.author), found.login, "contributor", address))


def add(event_id: int, secret: str, name: str, email: str, now: str) -> None:
    """Store who has submitted an event; part of a write transaction."""
    Submission.create(event=event_id, digest=_digest(secret), name=name, email=email, created_utc=now)


def change(event_id: int, name: str, email: str) -> None:
    """Store another name and address; part of a write transaction."""
    Submission.update(name=name, email=email).where(Submission.event == event_id).execute()


def limit(address: str, now: str) -> None:
    """Count a submission of this network and of all; part of a write transaction. Raises TooManyAttempts."""
    login_attempts.record(_NETWORK, {login_attempts.key(_NETWORK, "", address): ""}, now)
    login_attempts.record(_TOTAL, {_TOTAL.key("", ""): ""}, now)


# -- venues and organizers


def resolved(fields: Fields, event_id: int, caller: Caller, site: SiteSettings) -> dict[str, list[int]]:
    """Ids for the fields `venue` and `organizer` of a submission; part of a write transaction.

    A name, with the address that is given, is that of a public record, else of a new one that waits for
    approval: not of one in another submission, whose fields the link would show. What the event was linked to
    and waits, too, is changed.
    """
    return {
        store.noun: _resolved(store, fields[store.noun] or [], event_id, caller, site)
        for store in _STORES
        if store.noun in fields
    }


def _resolved(
    store: VenueOrganizerStore, items: list[int | Fields], event_id: int, caller: Caller, site: SiteSettings
) -> list[int]:
    waiting = _own(store, event_id, caller.id, ("pending",))
    kept = {item for item in items if isinstance(item, int)}
    free = [row for row in waiting if int(row.id) not in kept]
    found = []
    for item in items:
        if isinstance(item, int):
            found.append(item)
            continue
        known = store.described(item, Caller(caller.now))
        if known is None and free:
            row = free.pop(0)
            store.update(row, item, caller, site)
            known = int(row.id)
        found.append(known or store.create({**item, "status": "pending"}, caller, site))
    for row in free:
        store.remove(row, caller, site)
    return found


def follow(event: Event, caller: Caller, site: SiteSettings) -> None:
    """Publish the own venues and organizers of a contributor's event with it; part of a write transaction.

    Deletes the messages about an event that is published. An event from a visitor takes its venues and
    organizers along when it waits again, unless other events have them.
    """
    if event.status == "publish":
        Review.delete().where(Review.event == event.id).execute()
    authors = User.select().where(User.id == event.author_id, User.role == "contributor")
    if event.status == "publish" and caller.may_publish and authors.exists():
        before: tuple[str, ...] = ("draft", "pending")
    elif event.status == "pending" and Submission.select().where(Submission.event == event.id).exists():
        before = ("publish",)
    else:
        return
    for store in _STORES:
        link = store.link
        for row in _own(store, int(event.id), event.author_id, before):
            others = link.select().where(getattr(link, store.noun) == row.id, link.event != event.id)
            if event.status == "publish" or not others.exists():
                store.update(row, {"status": event.status}, caller, site)


def _own(
    store: VenueOrganizerStore, event_id: int, author: int | None, statuses: tuple[str, ...]
) -> list[Row]:
    """The records of an event that its author has made."""
    link, model = store.link, store.model
    rows = model.select().join(link, on=(getattr(link, store.noun) == model.id)).order_by(link.position)
    return list(rows.where(link.event == event_id, model.status.in_(statuses), model.author == author))
