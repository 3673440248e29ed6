"""Events that visitors submit: who owns them, their secret links, and limits (docs/editing.md#submissions).

Their author is a user of its own, who cannot sign in: so the rights of contributors decide what is possible.
New venues and organizers wait with the event, and are published with it.
"""

import hashlib
import hmac
from itertools import count
from typing import Any

from calendar_api.database.editing_models import Submission
from calendar_api.database.models import ApplicationPassword, EventOrganizer, EventVenue, User
from calendar_api.domain import dates, text
from calendar_api.domain.auth import Caller
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import login_attempts, sessions, users
from calendar_api.store.login_attempts import Rule
from calendar_api.store.venue_organizer import VenueOrganizerStore, organizers, venues
from calendar_api.store.visibility import public

LOGIN = "submissions"
#: A form is not filled in faster, and is not open for longer; in seconds.
SHORTEST, LONGEST = 3, 24 * 3600
_KEY = "signs forms"
_NETWORK = Rule("submission", 20, 3600, 3600, 3600)
_TOTAL = Rule("submission total", 200, 3600, 3600, 3600)
_STORES: tuple[tuple[VenueOrganizerStore, Any], ...] = ((venues, EventVenue), (organizers, EventOrganizer))


# -- the user and the key


def account(now: str, address: str) -> tuple[Caller, bytes] | None:
    """The user who owns submissions, and the key that signs their forms; None if there is none yet.

    The key is the digest of an application password never shown: it is the same for all processes, and
    in backups. A user who can sign in is not used.
    """
    rows = User.select(User.id, User.login, ApplicationPassword.digest)
    rows = rows.join(ApplicationPassword, on=(ApplicationPassword.user == User.id))
    rows = rows.where(ApplicationPassword.name == _KEY, User.login.startswith(LOGIN))
    rows = rows.where(User.role == "contributor", User.password.is_null())
    for id, login, digest in rows.order_by(User.id).limit(1).tuples():
        return Caller(now, int(id), login, "contributor", address), bytes.fromhex(digest)
    return None


def create_account(now: str, address: str) -> tuple[Caller, bytes]:
    """The same; part of a write transaction, creates them if there are none."""
    found = account(now, address)
    if found is None:
        logins = (f"{LOGIN}-{number}" if number > 1 else LOGIN for number in count(1))
        user = users.add(next(login for login in logins if users.known(login) is None), "contributor", now)
        users.add_password(user, _KEY, now)
        found = account(now, address)
    assert found is not None  # noqa: S101 - it was created above
    return found


# -- forms and links


def stamp(key: bytes, now: str) -> str:
    """A signed hidden field: when a form was made, and a random number that makes its submission unique."""
    content = f"{int(dates.from_text(now).timestamp())}-{sessions.new_token()[:32]}"
    return f"{content}-{_sign(key, 'form', content)}"


def age(key: bytes, given: str, now: str) -> int | None:
    """The age of a stamp in seconds; None if it is not ours."""
    content, _, signature = given.rpartition("-")
    if not hmac.compare_digest(_sign(key, "form", content).encode(), signature.encode("utf-8", "replace")):
        return None
    return int(dates.from_text(now).timestamp()) - int(content.partition("-")[0])


def token(key: bytes, given: str) -> str:
    """The secret of the link to what the form with this stamp has created; 64 hexadecimal digits."""
    return _sign(key, "link", given)


def _sign(key: bytes, purpose: str, what: str) -> str:
    return hmac.digest(key, f"{purpose}\0{what}".encode("utf-8", "replace"), hashlib.sha256).hex()


def find(secret: str) -> Submission | None:
    """What a secret link means; None if there is nothing."""
    found: Submission | None = Submission.get_or_none(Submission.digest == sessions.digest(secret))
    return found


def add(event_id: int, secret: str, name: str, email: str, now: str) -> None:
    """Store who has submitted an event; part of a write transaction."""
    Submission.create(event=event_id, digest=sessions.digest(secret), name=name, email=email, created_utc=now)


def change(event_id: int, name: str, email: str) -> None:
    Submission.update(name=name, email=email).where(Submission.event == event_id).execute()


def limit(address: str, now: str) -> None:
    """Count a submission of this network and of all; part of a write transaction. Raises TooManyAttempts."""
    login_attempts.record(_NETWORK, {login_attempts.key(_NETWORK, "", address): ""}, now)
    login_attempts.record(_TOTAL, {_TOTAL.key("", ""): ""}, now)


# -- venues and organizers


def resolved(fields: Any, event_id: int, caller: Caller, site: SiteSettings) -> dict[str, list[int]]:
    """Ids for the fields `venue` and `organizer` of a submission; part of a write transaction.

    A name is that of a public record, else of a new one that waits for approval: not of one in another
    submission, whose fields the link would show. What the event was linked to and waits, too, is changed.
    """
    return {
        store.noun: _resolved(store, fields[store.noun] or [], event_id, caller, site)
        for store, _ in _STORES
        if store.noun in fields
    }


def _resolved(
    store: VenueOrganizerStore, items: list[Any], event_id: int, caller: Caller, site: SiteSettings
) -> list[int]:
    waiting = _own(store, event_id, caller.id, "pending")
    kept = {item for item in items if isinstance(item, int)}
    free = [row for row in waiting if int(row.id) not in kept]
    found = []
    for item in items:
        if isinstance(item, int):
            found.append(item)
            continue
        known = _public(store, str(item[store.noun]), str(item.get("city") or ""), caller.now)
        if known is None and free:
            row = free.pop(0)
            store.update(row, item, caller, site)
            known = int(row.id)
        found.append(known or store.create({**item, "status": "pending"}, caller, site))
    for row in free:
        store.remove(row, caller, site)
    return found


def follow(event: Any, caller: Caller, site: SiteSettings) -> None:
    """After a change of status, publish what waits with an event that a visitor has submitted, or undo that.

    Part of a write transaction.
    """
    before = {"publish": "pending", "pending": "publish"}.get(event.status)
    if before and Submission.select().where(Submission.event == event.id).exists():
        for store, link in _STORES:
            for row in _own(store, int(event.id), event.author_id, before):
                others = link.select().where(getattr(link, store.noun) == row.id, link.event != event.id)
                if event.status == "publish" or not others.exists():
                    store.update(row, {"status": event.status}, caller, site)


def _own(store: VenueOrganizerStore, event_id: int, author: int | None, status: str) -> list[Any]:
    """The records of an event that were submitted with it."""
    link: Any = dict(_STORES)[store]
    model: Any = store.model
    rows = model.select().join(link, on=(getattr(link, store.noun) == model.id)).order_by(link.position)
    return list(rows.where(link.event == event_id, model.status == status, model.author == author))


def _public(store: VenueOrganizerStore, name: str, city: str, now: str) -> int | None:
    """The oldest public record of this name, and of this city if one is given."""
    model: Any = store.model
    sought = text.casefold(text.plain(name))
    rows = model.select().where(model.name_casefold == sought[:191], public(model, now)).order_by(model.id)
    for row in rows:
        same_city = not city or text.casefold(getattr(row, "city", "")) == text.casefold(text.plain(city))
        if text.casefold(getattr(row, store.noun)) == sought and same_city:
            return int(row.id)
    return None
