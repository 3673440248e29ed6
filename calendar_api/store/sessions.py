"""Passwords of people, and the sessions of their browsers (docs/editing.md#sessions)."""

import hashlib
import secrets
import unicodedata
from contextlib import suppress
from datetime import timedelta
from typing import cast

from calendar_api import database
from calendar_api.database.editing_models import Invitation, Session
from calendar_api.database.models import Event, User
from calendar_api.domain import dates
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError, NotAuthenticated
from calendar_api.store import login_attempts, password_hashes

HOURS = 12
SHORTEST_PASSWORD = 10
_ACTIVITY = timedelta(hours=1)
_BYTES = 32
_LOGIN = login_attempts.Rule("sign-in", 10, 300, 300, 900)
#: For all logins together, because it takes long to check a password.
_NETWORK = login_attempts.Rule("sign-in network", 100, 300, 300, 900)
_Key = tuple[login_attempts.Rule, str]


def new_token() -> str:
    """256 random bits in hexadecimal."""
    return secrets.token_hex(_BYTES)


def digest(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def later(now: str, **delta: float) -> str:
    """The instant `delta` (as for `timedelta`) after `now`, both UTC text."""
    return dates.text(dates.from_text(now) + timedelta(**delta))


def start(user_id: int, now: str) -> str:
    """Start a session and return its token; part of a write transaction. Deletes expired sessions."""
    Session.delete().where(Session.expires_utc <= now).execute()
    token = new_token()
    Session.create(user=user_id, digest=digest(token), created_utc=now, expires_utc=later(now, hours=HOURS))
    return token


def find(token: str, address: str, now: str) -> Caller | None:
    """The user of a session; None if it has ended. Notes the user's activity, once in an hour."""
    query = User.select(User.id, User.login, User.role, User.last_active_utc)
    query = query.join(Session, on=(Session.user == User.id))
    query = query.where(Session.digest == digest(token), Session.expires_utc > now)
    user = database.run_autocommit(query.first)
    if user is None:
        return None
    if (user.last_active_utc or "") <= dates.text(dates.from_text(now) - _ACTIVITY):
        active = User.update(last_active_utc=now).where(User.id == user.id)
        with suppress(ApiError):  # reading goes on while nothing can be written
            database.run_write(active.execute, revises=False)
    return Caller(now, int(user.id), user.login, user.role, address)


def end(token: str) -> None:
    database.run_write(
        lambda: Session.delete().where(Session.digest == digest(token)).execute(), revises=False
    )


def end_all(user_id: int) -> None:
    """End all sessions of a user; part of a write transaction."""
    Session.delete().where(Session.user == user_id).execute()


def sign_in(login: str, password: str, address: str, now: str) -> tuple[Caller, str]:
    """Start a session for a login and its password; return the user and the token of the session.

    Raises NotAuthenticated, TooManyAttempts and DatabaseUnavailable.
    """
    user, keys = _with_password(login, password, address, now)

    def work() -> str:
        _take_back(keys, now)
        if not User.select().where(User.id == user.id, User.password == user.password).exists():
            raise NotAuthenticated  # changed meanwhile
        return start(int(user.id), now)

    token = database.run_write(work, revises=False)
    return Caller(now, int(user.id), user.login, user.role, address), token


def change_password(caller: Caller, password: str, new: str) -> str:
    """Replace the password of a user who knows it; return the token of a new session.

    Raises NotAuthenticated, TooManyAttempts and DatabaseUnavailable.
    """
    _, keys = _with_password(caller.login, password, caller.address, caller.now)
    digest = password_digest(new)

    def work() -> str:
        _take_back(keys, caller.now)
        return set_password(caller, digest)

    return database.run_write(work, revises=False)


def set_password(caller: Caller, digest: str) -> str:
    """Store the digest of a new password; part of a write transaction.

    Ends the user's sessions and invitation, and returns the token of a new session.
    """
    id = int(caller.id or 0)
    User.update(password=digest).where(User.id == id).execute()
    Invitation.delete().where(Invitation.user == id).execute()
    end_all(id)
    return start(id, caller.now)


def password_digest(password: str) -> str:
    """What is stored of a password; call it outside of a transaction: it is slow."""
    return password_hashes.event_digest(_normalised(password))


def _with_password(login: str, password: str, address: str, now: str) -> tuple[User, list[_Key]]:
    """The user with this password, and the keys of this attempt.

    It is counted before the password is checked, so that parallel requests cannot check more than the rules
    allow. Raises NotAuthenticated, TooManyAttempts and DatabaseUnavailable.
    """
    keys = [(_LOGIN, login_attempts.key(_LOGIN, login.lower(), address))]
    keys.append((_NETWORK, login_attempts.key(_NETWORK, "", address)))

    def count() -> User | None:
        for rule, key in keys:
            login_attempts.record(rule, {key: ""}, now)
        return cast(User | None, User.get_or_none(User.login == login[:60]))

    user = database.run_write(count, revises=False)
    if user is None or user.password is None:  # takes as long as for a user with a password
        password_hashes.stretched(password, secrets.token_hex(16))
        raise NotAuthenticated
    if not password_hashes.opens(_normalised(password), user.password):
        raise NotAuthenticated
    return user, keys


def _take_back(keys: list[_Key], now: str) -> None:
    for rule, key in keys:
        login_attempts.take_back(rule, [key], now)


def _normalised(password: str) -> str:
    """Keyboards differ in how they write a letter with an accent."""
    return unicodedata.normalize("NFC", password)


def waiting() -> int:
    """The number of events that wait for approval."""
    return int(Event.select().where(Event.status == "pending").count())
