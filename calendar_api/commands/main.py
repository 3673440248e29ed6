"""The command line: every command with its options, and the entry point `main`."""

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from calendar_api import __version__, database
from calendar_api.commands import (
    CommandError,
    backup,
    check,
    completion,
    copy,
    export,
    import_events,
    operations,
    parser,
    users,
)
from calendar_api.commands.sources import opening
from calendar_api.commands.terminal import coloured
from calendar_api.config import Config, ConfigError
from calendar_api.database import migrate
from calendar_api.domain.auth import ROLES
from calendar_api.domain.errors import ApiError
from calendar_api.store.users import UserError

Run: TypeAlias = Callable[[argparse.Namespace, Config], int | None]
Argument: TypeAlias = tuple[str, dict[str, Any]]  # what `add_argument` of a parser takes


class Command:
    """A command with its help text and arguments; `epilog` is printed after its help."""

    def __init__(self, name: str, run: Run, help: str, *arguments: Argument, epilog: str = "") -> None:
        self.name, self.run, self.help, self.arguments, self.epilog = name, run, help, arguments, epilog


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Exit status: 0 done, 1 refused or failed, 2 wrong command line, 130 interrupted."""
    arguments = _parser().parse_args(argv)
    try:
        config = Config.load()
        database.bind(config.database_url, database.COMMAND_CACHE)
        if arguments.needs_database and (reason := migrate.unavailable_reason()) is not None:
            raise reason
        return int(arguments.run(arguments, config) or 0)
    except CommandError as error:
        return _fail(str(error), error.status)
    except (ConfigError, UserError) as error:
        return _fail(str(error))
    except ApiError as error:
        return _fail(database.describe(error))
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if database.db.obj is not None:
            database.close_connection()


def _fail(message: str, status: int = 1) -> int:
    print(f"{coloured('calendar-api:', 'red', sys.stderr)} {message}", file=sys.stderr)
    return status


def print_completion(arguments: argparse.Namespace, config: Config) -> None:
    print(completion.script(arguments.shell, _parser()), end="")


def _serve(arguments: argparse.Namespace, config: Config) -> None:
    """Import the server late: without it, all other commands start twice as fast."""
    import_module("calendar_api.commands.serve").serve(arguments, config)


def option(name: str, help: str | None = None, **settings: Any) -> Argument:
    return name, {"help": help, **settings}


def flag(name: str, help: str) -> Argument:
    return option(name, help, action="store_true")


_WITHOUT_DATABASE = {"serve", "migrate", "config", "completion", "restore", "check"}
_GROUPS = {"user": "Manage users and roles.", "password": "Manage application passwords."}
_COUNT = parser.number(1, 1000)
_LOGIN = option("login", type=parser.TEXT)
_JSON = flag("--json", "print JSON")
_FILE = option("file", type=Path, metavar="FILE")
_FORCE = flag("--force", "replace an existing FILE")

# fmt: off
_COMMANDS = (
    Command(
        "serve", _serve, "Start the server; create a missing database.",
        option("--bind", "default %(default)s", default="127.0.0.1:8000", type=parser.ADDRESS,
               metavar="HOST:PORT"),
        option("--workers", "processes, default %(default)s", default=2, type=_COUNT, metavar="N"),
        option("--threads", "per process, default %(default)s", default=4, type=_COUNT, metavar="N"),
        flag("--demo", "fill an empty database with demo records"),
        flag("--from-make", argparse.SUPPRESS),  # `make run`: how to repeat it
    ),
    Command(
        "migrate", operations.migrate_database, "Create the database or upgrade its schema.", _JSON,
        flag("--status", "list applied and pending migrations, change nothing"),
        option("--make", "for developers: write the migration for changed models", metavar="NAME"),
    ),
    Command("config", operations.print_config, "Print the effective settings.", _JSON),
    Command(
        "completion", print_completion,
        "Print a script for completion; `source <(calendar-api completion bash)` loads it.",
        option("shell", choices=tuple(completion.SCRIPTS)),
    ),
    Command(
        "user add", users.add_user, "Add a user and print an application password once.", _LOGIN,
        option("--role", f"from most to least rights: {', '.join(ROLES)}",
               required=True, choices=ROLES, metavar="ROLE"),
    ),
    Command(
        "user invite", users.invite_user,
        "Print a link with which a user chooses a password for the browser, once, within 30 minutes.", _LOGIN,
        option("--role", "of a new user", choices=ROLES),
        flag("--reset", "replace a forgotten password"),
    ),
    Command("user list", users.list_users, "List the users.", _JSON),
    Command(
        "user role", users.set_role, "Change the role of a user.", _LOGIN, option("role", choices=ROLES)
    ),
    Command(
        "user remove", users.remove_user, "Remove a user.", _LOGIN,
        option("--give-to", "new author of the user's records", type=parser.TEXT, metavar="LOGIN"),
    ),
    Command(
        "password add", users.add_password, "Create an application password and print it once.", _LOGIN,
        option("--name", "a name to recognise it by", default="command line"),
    ),
    Command(
        "password list", users.list_passwords, "List the passwords of a user, without their secrets.",
        _JSON, _LOGIN,
    ),
    Command(
        "password revoke", users.revoke_password, "Revoke a password.", _LOGIN,
        option("password", "its number or its name, as `password list` shows them", metavar="PASSWORD"),
    ),
    Command(
        "import", import_events.import_file,
        "Import events from a site, a calendar or a file. It can be repeated: what has changed is updated.",
        option("source", "file, - for standard input, or address", type=parser.TEXT, metavar="SOURCE"),
        option("--format", "default: told from address and content", choices=tuple(opening.READERS)),
        option("--user", "author of the records; default the first administrator",
               type=parser.TEXT, metavar="LOGIN"),
        flag("--dry-run", "print what would change, store nothing"),
        flag("--all-or-nothing", "store nothing if any record is refused"),
        option("--status", "of all events", choices=("publish", "draft", "pending", "keep"), default="keep"),
        option("--category", "category that all events also get", default="", type=parser.TEXT,
               metavar="NAME"),
        option("--timezone", "for times without one; default that of the site",
               type=parser.ZONE, metavar="ZONE"),
        option("--from", "first day of recurring events", dest="first", type=parser.DAY, metavar="DATE"),
        option("--until", "last day of recurring events", dest="last", type=parser.DAY, metavar="DATE"),
        option("--dates", "how to read 03/04/2031", choices=("dmy", "mdy")),
        option("--ours", "if a field was changed here and there, keep ours (default)",
               dest="theirs", action="store_false", default=False),
        option("--theirs", "if a field was changed here and there, take that of the source",
               dest="theirs", action="store_true"),
        option("--missing", "what to do with coming events that the source lacks, default %(default)s",
               default="keep", choices=("keep", "trash", "cancel")),
        option("--report", "write every decision into a file", type=Path, metavar="FILE.jsonl"),
        flag("--quiet", "print refused records only"),
        flag("--allow-private-addresses", "also read addresses of one's own network"),
        option("--delay", "time between two requests", default=0.0, type=parser.SECONDS,
               metavar="SECONDS"),
        option("--ids", "keep: records of a site get its ids, in an empty database",
               default="new", choices=("new", "keep")),
        option("--remote-user", "login at the site", metavar="NAME"),
        option("--remote-password-file", "file with its application password", type=Path, metavar="FILE"),
        epilog=import_events.EXAMPLES,
    ),
    Command(
        "export", export.export,
        "Write all records but those in the trash into a file, or into three for CSV.", _FORCE,
        option("--to", "FILE.jsonl, FILE.ics or FILE.csv", required=True, type=Path, metavar="FILE"),
    ),
    Command(
        "copy", copy.copy_database, "Copy everything into another, empty database.",
        option("--to", "sqlite:///… or mysql://…", required=True, type=parser.database_url, metavar="URL"),
    ),
    Command(
        "backup", backup.backup_database, "Write a verified backup while the server runs.", _FILE, _FORCE,
        flag("--rotate", f"keep {backup.DAYS} daily and {backup.WEEKS} weekly backups in the folder FILE"),
    ),
    Command(
        "restore", backup.restore_database, "Replace the database by a backup.", _FILE,
        flag("--yes", "do not ask for confirmation"),
    ),
    Command(
        "check", check.check_setup, "List problems of the setup and the data, and how to fix them.", _JSON,
        flag("--quiet", "for cron: print critical problems only"),
    ),
    Command("reindex", operations.reindex, "Rebuild the SQLite search index."),
    Command(
        "purge", operations.purge, "Delete old records in the trash permanently.",
        option("--days", "days in the trash at least, default %(default)s", default=30,
               type=parser.number(0, 99_999), metavar="N"),
        flag("--dry-run", "count only, delete nothing"),
    ),
)
# fmt: on


def _parser() -> argparse.ArgumentParser:
    top = parser.CommandParser(prog="calendar-api", description="A calendar server with a REST interface.")
    top.add_argument("--version", action="version", version=f"calendar-api {__version__}")
    groups = {"": top.add_subparsers(required=True, metavar="COMMAND")}
    for command in _COMMANDS:
        group, _, name = command.name.rpartition(" ")
        if group not in groups:
            added = groups[""].add_parser(group, help=_GROUPS[group])
            groups[group] = added.add_subparsers(required=True, metavar="ACTION")
        one = groups[group].add_parser(
            name, help=command.help, description=command.help, epilog=command.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        one.set_defaults(run=command.run, needs_database=command.name not in _WITHOUT_DATABASE)
        for argument, settings in command.arguments:
            one.add_argument(argument, **settings)
    return top
