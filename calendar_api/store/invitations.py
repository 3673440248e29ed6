"""Links with which a user chooses a password, once (docs/editing.md#links)."""

from typing import cast

from calendar_api import database
from calendar_api.database.editing_models import Invitation
from calendar_api.database.models import ApplicationPassword, User
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import NoRoute
from calendar_api.domain.translation import message
from calendar_api.store import sessions, users

MINUTES = 30
PATH = "/edit/invitation/"


class LinkExpired(NoRoute):
    """Same response for a used, an expired and a wrong link."""

    status = 410
    text = message("This link was used already, or has expired. Ask an administrator for a new one.")


def invite(user: User, now: str) -> str:
    """Return the token of a new link and forget an earlier one; part of a write transaction."""
    token = sessions.new_token()
    Invitation.delete().where(Invitation.user == user.id).execute()
    Invitation.create(
        user=user.id, digest=sessions.digest(token), expires_utc=sessions.later(now, minutes=MINUTES)
    )
    return token


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


def address(home: str, token: str) -> str:
    """The link; `home` is the address of the home page."""
    return f"{home}{PATH}?token={token}"


def invited(token: str, now: str) -> User:
    """The user of a link, which stays valid; raises LinkExpired."""
    query = User.select().join(Invitation, on=(Invitation.user == User.id))
    user = query.where(Invitation.digest == sessions.digest(token), Invitation.expires_utc > now).first()
    if user is None:
        raise LinkExpired
    return cast(User, user)


def accept(token: str, password: str, address: str, now: str) -> tuple[Caller, str]:
    """Use up a link: store the password and start a session; return the user and its token.

    Raises LinkExpired.
    """
    database.run_read(lambda: invited(token, now))  # check the link first, because a digest is slow
    digest = sessions.password_digest(password)

    def work() -> tuple[Caller, str]:
        user = invited(token, now)
        caller = Caller(now, int(user.id), user.login, user.role, address)
        return caller, sessions.set_password(caller, digest)

    return database.run_write(work, revises=False)
