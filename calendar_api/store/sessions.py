"""Passwords of people, sessions of their browsers, and links to choose a password (docs/editing.md#sessions).

Sessions and links are signed tokens, and not stored. The signature covers the password of the user and a
counter: a new password, and each increase of `session_epoch`, ends all tokens of the user.
"""

import secrets
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from typing import cast

from peewee import JOIN

from calendar_api import database
from calendar_api.database.models import ApplicationPassword, User
from calendar_api.database.tables import EditingState
from calendar_api.domain import dates, signed_tokens
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError, NoRoute, NotAuthenticated
from calendar_api.domain.translation import message
from calendar_api.store import login_attempts, password_hashes, users

HOURS = 12
LINK_MINUTES = 30
SHORTEST_PASSWORD = 10
#: The purposes of tokens, and how long these are valid.
_SESSION, _LINK = "session", "link"
_LIFETIMES = {_SESSION: HOURS * 3600, _LINK: LINK_MINUTES * 60}
_ACTIVITY = timedelta(hours=1)
_LOGIN = login_attempts.Rule("sign-in", 10, 300, 300, 900)
#: For all logins together, because it takes long to check a password.
_NETWORK = login_attempts.Rule("sign-in network", 100, 300, 300, 900)
_Key = tuple[login_attempts.Rule, str]


class LinkExpired(NoRoute):
    """Same response for a used, an expired and a wrong link."""

    status = 410
    text = message("This link was used already, or has expired. Ask an administrator for a new one.")


# -- tokens


def signing_key() -> str:
    """The key of this database that signs tokens; makes it before its first use."""
    known = database.run_read(EditingState.select(EditingState.key).scalar)
    return str(known or database.run_write(lambda: state().key))


def state() -> EditingState:
    """The only row of its table; part of a write transaction, makes it."""
    found = EditingState.get_or_none()
    return cast(EditingState, found or EditingState.create(id=1, key=secrets.token_hex(32)))


def start(user: User, now: str, attempts: Iterable[_Key] = (), digest: str = "") -> str:
    """The token of a new session; part of a write transaction.

    Uncounts these attempts. The digest of a new password ends all other sessions and links.
    """
    for rule, key in attempts:
        login_attempts.take_back(rule, [key], now)
    if digest:
        User.update(password=digest).where(User.id == user.id).execute()
        user = users.by_id(int(user.id))
    return signed_tokens.sign(state().key, _SESSION, int(user.id), now, _state_of(user))


def find(token: str, address: str, now: str) -> Caller | None:
    """The user of a session; None if it has ended. Notes the user's activity, once in an hour."""
    user = database.run_autocommit(lambda: _user_of(_SESSION, token, now))
    if user is None:
        return None
    if (user.last_active_utc or "") <= dates.text(dates.from_text(now) - _ACTIVITY):
        active = User.update(last_active_utc=now).where(User.id == user.id)
        with suppress(ApiError):  # reading goes on while nothing can be written
            database.run_write(active.execute, revises=False)
    return _caller(user, address, now)


def end_all(user_id: int | None) -> None:
    """End the sessions and links of a user; part of a write transaction."""
    User.update(session_epoch=User.session_epoch + 1).where(User.id == user_id).execute()


def sign_out(user_id: int | None) -> None:
    """End the sessions of a user in all browsers, and links."""
    database.run_write(lambda: end_all(user_id), revises=False)


def _user_of(purpose: str, token: str, now: str) -> User | None:
    """The user whose token this is, None if it is not valid; one statement."""
    rows = User.select(User, EditingState.key).join(EditingState, JOIN.CROSS)
    user = rows.where(User.id == signed_tokens.subject_of(token)).objects().first()
    if user is None:
        return None
    age = signed_tokens.age(user.key, purpose, token, now, _state_of(user))
    return user if age is not None and age <= _LIFETIMES[purpose] else None


def _state_of(user: User) -> str:
    """What ends the tokens of a user when it changes; another user who gets the same id has another state."""
    return "\0".join((user.login, user.created_utc, user.password or "", str(user.session_epoch)))


def _caller(user: User, address: str, now: str) -> Caller:
    return Caller(now, int(user.id), user.login, user.role, address)


# -- links


def invite(user: User, now: str) -> str:
    """Return the token of a new link and end what the user had before; part of a write transaction."""
    end_all(int(user.id))
    return signed_tokens.sign(state().key, _LINK, int(user.id), now, _state_of(users.by_id(int(user.id))))


def link(home: str, token: str) -> str:
    """The address of a link; `home` is that of the home page."""
    return f"{home}/edit/invitation/?token={token}"


def nobody_has_a_password() -> bool:
    """Whether no user has a password of any kind."""
    has_password = User.select().where(User.password.is_null(False)).exists()
    return not (has_password or ApplicationPassword.select().exists())


def first_sign_in(now: str) -> tuple[str, str] | None:
    """Return an administrator and the token of a new link, while no user has a password of any kind.

    Creates the administrator `admin` if there is no user; part of a write transaction. Returns None later,
    and if there are users but no administrator.
    """
    if not nobody_has_a_password():
        return None
    user = users.first_administrator()
    if user is None and not User.select().exists():
        user = users.add("admin", "administrator", now)
    return (user.login, invite(user, now)) if user is not None else None


def invited(token: str, now: str) -> User:
    """The user of a link, which stays valid; raises LinkExpired."""
    user = _user_of(_LINK, token, now)
    if user is None:
        raise LinkExpired
    return user


def accept(token: str, password: str, address: str, now: str) -> tuple[Caller, str]:
    """Use up a link: store the password and start a session; return the user and its token.

    Raises LinkExpired.
    """
    database.run_read(lambda: invited(token, now))  # check the link first, because a digest is slow
    digest = password_hashes.event_digest(password)

    def work() -> tuple[Caller, str]:
        user = invited(token, now)
        return _caller(user, address, now), start(user, now, digest=digest)

    return database.run_write(work, revises=False)


# -- passwords


def sign_in(login: str, password: str, address: str, now: str) -> tuple[Caller, str]:
    """Start a session for a login and its password; return the user and the token of the session.

    Raises NotAuthenticated, TooManyAttempts and DatabaseUnavailable.
    """
    user, keys = _with_password(login, password, address, now)
    token = database.run_write(lambda: start(user, now, keys), revises=False)
    return _caller(user, address, now), token


def change_password(caller: Caller, password: str, new: str) -> str:
    """Replace the password of a user who knows it; return the token of a new session.

    Raises NotAuthenticated, TooManyAttempts and DatabaseUnavailable.
    """
    user, keys = _with_password(caller.login, password, caller.address, caller.now)
    digest = password_hashes.event_digest(new)  # outside of the transaction: it is slow
    return database.run_write(lambda: start(user, caller.now, keys, digest), revises=False)


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
    if not password_hashes.opens(password, user.password):
        raise NotAuthenticated
    return user, keys
