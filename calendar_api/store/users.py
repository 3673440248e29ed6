"""Users, their roles and their application passwords; only digests of secrets are stored."""

import secrets
from typing import cast

from peewee import ModelSelect

from calendar_api.database.models import ApplicationPassword, Event, Organizer, User, Venue
from calendar_api.domain.auth import ROLES
from calendar_api.domain.errors import NotFound
from calendar_api.domain.translation import message
from calendar_api.store import compiled_queries, login_attempts
from calendar_api.store.compiled_queries import CompiledQuery, Param

_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
_GROUPS, _GROUP = 6, 4


class UserError(Exception):
    """An invalid operation on a user; its argument is a sentence for the operator or an administrator."""


def by_login(login: str) -> User:
    """Raises UserError."""
    user = User.get_or_none(User.login == login)
    if user is None:
        raise UserError(f"There is no user {login!r}; `calendar-api user list` shows those there are.")
    return cast(User, user)


def by_id(id: int) -> User:
    """Raises NotFound."""
    user = User.get_or_none(User.id == id)
    if user is None:
        raise NotFound("user")
    return cast(User, user)


def known(login: str) -> str | None:
    """The login in its stored spelling, None if there is no such user."""
    found: str | None = User.select(User.login).where(User.login == login[:60]).scalar()
    return found


def every() -> list[User]:
    return list(User.select().order_by(User.login))


def known_ids(ids: set[int]) -> set[int]:
    """Those of the ids that are users."""
    return _with_ids.ids(ids=compiled_queries.padded(ids)) if ids else set()


def logins(ids: set[int]) -> dict[int, str]:
    """Logins by id."""
    return {int(user.id): user.login for user in User.select(User.id, User.login).where(User.id.in_(ids))}


def first_administrator() -> User | None:
    found = User.select().where(User.role == "administrator").order_by(User.id).first()
    return cast(User | None, found)


def add(login: str, role: str, now: str) -> User:
    """Raises UserError for a login that cannot be used or is taken, and for an unknown role."""
    if not login or len(login) > 60 or not login.isprintable() or ":" in login or login != login.strip():
        raise UserError(message("A login has 1 to 60 printable characters and no colon."))
    _check_role(role)
    if User.select().where(User.login == login).exists():
        raise UserError(message("There is a user '{login}' already.", login=login))
    return cast(User, User.create(login=login, role=role, created_utc=now))


def set_role(login: str, role: str) -> None:
    """Also ends the user's sessions. Raises UserError for an unknown login or role, or no administrator."""
    _check_role(role)
    user = by_login(login)
    if user.role == "administrator" and role != "administrator":
        _keep_an_administrator(user)
    User.update(role=role, session_epoch=User.session_epoch + 1).where(User.id == user.id).execute()


def remove(login: str, heir: str | None) -> None:
    """Remove a user and give their records to `heir`; raises UserError, also for records without an heir.

    The documents of these records are removed: call `document_upkeep.rewrite` afterwards.
    """
    user = by_login(login)
    if user.role == "administrator":
        _keep_an_administrator(user)
    if heir is not None:
        new_author = by_login(heir)
        if new_author.id == user.id:
            raise UserError("A user cannot inherit from themselves; name another one.")
        for model in (Event, Venue, Organizer):
            changed = {"author": new_author.id, "version": model.version + 1, "document": None}
            model.update(changed).where(model.author == user.id).execute()
    elif has_records(user):
        raise UserError(f"{login!r} has written records; say who gets them with --give-to LOGIN.")
    User.delete().where(User.id == user.id).execute()


def has_records(user: User) -> bool:
    """Whether the user is the author of any record."""
    return any(model.select().where(model.author == user.id).exists() for model in (Event, Venue, Organizer))


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise UserError(f"The roles are {', '.join(ROLES)}.")


def _keep_an_administrator(user: User) -> None:
    others = User.select().where((User.role == "administrator") & (User.id != user.id))
    if not others.exists():
        raise UserError(
            message("'{login}' is the only administrator; make another one first.", login=user.login)
        )


def new_application_password() -> str:
    """24 random characters in groups of four: about 140 bits, so that a plain digest is enough."""
    return " ".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))


def add_password(user: User, name: str, now: str) -> str:
    """Create an application password and return its secret, which is not stored. Raises UserError."""
    if not name or len(name) > 100 or not name.isprintable():
        raise UserError(message("The name of a password has 1 to 100 printable characters."))
    secret = new_application_password()
    digest = login_attempts.application_digest(secret)
    ApplicationPassword.create(user=user.id, name=name, digest=digest, created_utc=now)
    return secret


def passwords_of(user: User) -> list[ApplicationPassword]:
    return list(
        ApplicationPassword.select()
        .where(ApplicationPassword.user == user.id)
        .order_by(ApplicationPassword.id)
    )


def revoke_password(user: User, called: int | str) -> int:
    """Revoke the password with this number, or else with this name; return its number. Raises UserError."""
    known = passwords_of(user)
    found = [one.id for one in known if str(one.id) == str(called).strip()]
    found = found or [one.id for one in known if one.name == called]
    if len(found) > 1:
        text = f"{user.login!r} has {len(found)} passwords {called!r}: give a number"
        raise UserError(f"{text} ({', '.join(map(str, found))}).")
    if not found:
        raise UserError(
            f"{user.login!r} has no password {called!r}; `calendar-api password list` shows them."
        )
    ApplicationPassword.delete().where(ApplicationPassword.id == found[0]).execute()
    return int(found[0])


@CompiledQuery
def _with_ids(*, ids: list[Param]) -> ModelSelect:
    return User.select(User.id).where(User.id.in_(ids))
