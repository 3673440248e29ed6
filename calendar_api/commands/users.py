"""The commands `user` and `password`."""

import argparse

from calendar_api.commands.common import command, reading, writing
from calendar_api.config import Config
from calendar_api.domain.auth import ROLES
from calendar_api.middleware import access_log
from calendar_api.store import users


def add_user(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    user = commands.add_parser("user", help="Users and their roles.").add_subparsers(
        required=True, metavar="ACTION"
    )
    add = command(user, "add", _user_add, "Add a user and print an application password, once.")
    add.add_argument("login")
    add.add_argument("--role", required=True, choices=ROLES)
    command(user, "list", _user_list, "List the users.")
    role = command(user, "role", _user_role, "Give a user another role.")
    role.add_argument("login")
    role.add_argument("role", choices=ROLES)
    remove = command(user, "remove", _user_remove, "Remove a user.")
    remove.add_argument("login")
    remove.add_argument("--give-to", metavar="LOGIN", help="who gets the records that the user has written")


def add_password(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    password = commands.add_parser("password", help="Application passwords.")
    actions = password.add_subparsers(required=True, metavar="ACTION")
    add = command(actions, "add", _password_add, "Make an application password and print it, once.")
    add.add_argument("login")
    add.add_argument("--name", default="command line", help="what it is for")
    listing = command(actions, "list", _password_list, "List the passwords of a user, without their secrets.")
    listing.add_argument("login")
    revoke = command(actions, "revoke", _password_revoke, "Revoke a password by its number.")
    revoke.add_argument("login")
    revoke.add_argument("number", type=int)


def _user_add(arguments: argparse.Namespace, config: Config) -> int:
    def work(now: str) -> str:
        user = users.add(arguments.login, arguments.role, now)
        return users.add_password(user, "first", now)

    _print_secret(arguments.login, writing(work))
    access_log.audit_command(config.log, "user_added", user=arguments.login, role=arguments.role)
    return 0


def _print_secret(login: str, secret: str) -> None:
    print(f"Application password of {login}, shown only once:\n    {secret}")


def _user_list(arguments: argparse.Namespace, config: Config) -> int:
    for user in reading(users.every):
        print(f"{user.id:>5}  {user.role:<14} {user.login}")
    return 0


def _user_role(arguments: argparse.Namespace, config: Config) -> int:
    writing(lambda now: users.set_role(arguments.login, arguments.role))
    access_log.audit_command(config.log, "role_changed", user=arguments.login, role=arguments.role)
    return 0


def _user_remove(arguments: argparse.Namespace, config: Config) -> int:
    writing(lambda now: users.remove(arguments.login, arguments.give_to))
    access_log.audit_command(config.log, "user_removed", user=arguments.login, heir=arguments.give_to)
    return 0


def _password_add(arguments: argparse.Namespace, config: Config) -> int:
    secret = writing(lambda now: users.add_password(users.by_login(arguments.login), arguments.name, now))
    _print_secret(arguments.login, secret)
    access_log.audit_command(config.log, "password_added", user=arguments.login)
    return 0


def _password_list(arguments: argparse.Namespace, config: Config) -> int:
    for password in reading(lambda: users.passwords_of(users.by_login(arguments.login))):
        print(f"{password.id:>5}  {password.created_utc}  {password.name}")
    return 0


def _password_revoke(arguments: argparse.Namespace, config: Config) -> int:
    writing(lambda now: users.revoke_password(users.by_login(arguments.login), arguments.number))
    access_log.audit_command(config.log, "password_revoked", user=arguments.login, number=arguments.number)
    return 0
