"""The commands `user` and `password`."""

import argparse
from datetime import UTC, datetime

from calendar_api import database
from calendar_api.commands.terminal import print_rows
from calendar_api.config import Config
from calendar_api.domain import dates
from calendar_api.domain.auth import ROLES
from calendar_api.middleware import access_log
from calendar_api.store import document_upkeep, sessions, users


def add_user(arguments: argparse.Namespace, config: Config) -> None:
    now = dates.text(datetime.now(UTC))
    secret = database.run_write(
        lambda: users.add_password(users.add(arguments.login, arguments.role, now), "first", now)
    )
    _print_secret(arguments.login, secret)
    access_log.audit_command(config.log, "user_added", user=arguments.login, role=arguments.role)


def invite_user(arguments: argparse.Namespace, config: Config) -> None:
    """Print a link with which a user chooses a password; create the user if there is none."""
    if not config.has_editing:
        raise users.UserError(
            "Signing in is switched off: set CALENDAR_EDITING=on and CALENDAR_PAGES=on, or run `user add`."
        )
    now, login = dates.text(datetime.now(UTC)), arguments.login

    def work() -> str:
        if users.known(login) is None:
            if arguments.role is None:
                roles = ", ".join(ROLES)
                raise users.UserError(f"There is no user {login!r}; give a new one a --role: {roles}.")
            return sessions.invite(users.add(login, arguments.role, now), now)
        user = users.by_login(login)
        if arguments.role not in (None, user.role):
            raise users.UserError(f"{login!r} is {user.role}; change that with `calendar-api user role`.")
        if user.password is not None and not arguments.reset:
            raise users.UserError(f"{login!r} has a password; --reset makes a link for a new one.")
        return sessions.invite(user, now)

    token = database.run_write(work)
    link = sessions.link(config.base_url or "http://127.0.0.1:8000", token)
    print(f"Sign in as {login}: {link} (once, within {sessions.LINK_MINUTES} minutes)")
    access_log.audit_command(config.log, "user_invited", user=login)


def list_users(arguments: argparse.Namespace, config: Config) -> None:
    rows = [{"id": one.id, "role": one.role, "login": one.login} for one in database.run_read(users.every)]
    print_rows(arguments, "{id:>5}  {role:<14} {login}", rows)


def set_role(arguments: argparse.Namespace, config: Config) -> None:
    database.run_write(lambda: users.set_role(arguments.login, arguments.role))
    access_log.audit_command(config.log, "role_changed", user=arguments.login, role=arguments.role)


def remove_user(arguments: argparse.Namespace, config: Config) -> None:
    database.run_write(lambda: users.remove(arguments.login, arguments.give_to))
    document_upkeep.rewrite(config.site)
    access_log.audit_command(config.log, "user_removed", user=arguments.login, heir=arguments.give_to)


def add_password(arguments: argparse.Namespace, config: Config) -> None:
    now = dates.text(datetime.now(UTC))
    secret = database.run_write(
        lambda: users.add_password(users.by_login(arguments.login), arguments.name, now)
    )
    _print_secret(arguments.login, secret)
    access_log.audit_command(config.log, "password_added", user=arguments.login)


def list_passwords(arguments: argparse.Namespace, config: Config) -> None:
    found = database.run_read(lambda: users.passwords_of(users.by_login(arguments.login)))
    rows = [{"number": one.id, "created_utc": one.created_utc, "name": one.name} for one in found]
    print_rows(arguments, "{number:>5}  {created_utc}  {name}", rows)


def revoke_password(arguments: argparse.Namespace, config: Config) -> None:
    number = database.run_write(
        lambda: users.revoke_password(users.by_login(arguments.login), arguments.password)
    )
    access_log.audit_command(config.log, "password_revoked", user=arguments.login, number=number)


def _print_secret(login: str, secret: str) -> None:
    print(f"Application password of {login}, shown only once:\n    {secret}")
