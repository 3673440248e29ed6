"""The command line: every command with its options, and the entry point `main`."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import NoReturn, TypeAlias

from calendar_api import __version__, database
from calendar_api.commands import CommandError, backup, check, copy, export, import_events, purge, serve
from calendar_api.commands import users as user_commands
from calendar_api.commands.sources import opening
from calendar_api.config import Config, ConfigError
from calendar_api.database import migrate, urls
from calendar_api.domain import time_zones
from calendar_api.domain.auth import ROLES
from calendar_api.domain.errors import ApiError
from calendar_api.store import documents, users

Commands: TypeAlias = "argparse._SubParsersAction[_Parser]"
Run = Callable[[argparse.Namespace, Config], int | None]
AddArgument = Callable[..., argparse.Action]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Exit status: 0 done, 1 refused or failed, 2 wrong command line, 130 interrupted."""
    arguments = _parser().parse_args(argv)
    try:
        config = Config.load()
        database.bind(config.database_url)
        if arguments.needs_database and (reason := migrate.unavailable_reason()) is not None:
            raise reason
        return int(arguments.run(arguments, config) or 0)
    except CommandError as error:
        return _fail(str(error), error.status)
    except (ConfigError, users.UserError) as error:
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
    print(f"calendar-api: {message}", file=sys.stderr)
    return status


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Mask words that may hold a password, such as a database URL."""
        super().error(re.sub(r"\S*@\S*", "***", message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="calendar-api", description="A calendar server with a REST interface.")
    parser.add_argument("--version", action="version", version=f"calendar-api {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_server(commands)
    _add_users(commands)
    _add_passwords(commands)
    _add_data(commands)
    return parser


def _add(
    commands: Commands, name: str, run: Run, text: str, *, needs_database: bool = True, epilog: str = ""
) -> AddArgument:
    """Add a command; return the function that adds its arguments. `epilog` is printed after its help."""
    layout = argparse.RawDescriptionHelpFormatter if epilog else argparse.HelpFormatter
    parser = commands.add_parser(name, help=text, description=text, epilog=epilog, formatter_class=layout)
    parser.set_defaults(run=run, needs_database=needs_database)
    return parser.add_argument


def _add_server(commands: Commands) -> None:
    text = "Start the server; create a missing database."
    argument = _add(commands, "serve", serve.serve, text, needs_database=False)
    argument(
        "--bind", type=_bind, default="127.0.0.1:8000", metavar="HOST:PORT", help="default 127.0.0.1:8000"
    )
    argument("--workers", type=_positive, default=2, metavar="N", help="processes, default 2")
    argument("--threads", type=_positive, default=8, metavar="N", help="threads per process, default 8")
    argument("--demo", action="store_true", help="fill an empty database with demo records")
    argument("--from-make", action="store_true", help=argparse.SUPPRESS)  # `make run`: how to repeat it
    text = "Create the database or upgrade its schema."
    argument = _add(commands, "migrate", _migrate, text, needs_database=False)
    argument("--status", action="store_true", help="list applied and pending migrations, change nothing")
    argument("--make", metavar="NAME", help="for developers: write the migration for changed models")
    _add(commands, "config", _config, "Print the effective settings.", needs_database=False)


def _add_users(commands: Commands) -> None:
    user = commands.add_parser("user", help="Manage users and roles.")
    actions = user.add_subparsers(required=True, metavar="ACTION")
    text = "Add a user and print an application password once."
    argument = _add(actions, "add", user_commands.add_user, text)
    argument("login")
    argument("--role", required=True, choices=ROLES)
    text = "Print a link with which a user chooses a password for the browser, once, within 30 minutes."
    argument = _add(actions, "invite", user_commands.invite_user, text)
    argument("login")
    argument("--role", choices=ROLES, help="of a new user")
    argument("--reset", action="store_true", help="replace a forgotten password")
    _add(actions, "list", user_commands.list_users, "List the users.")
    argument = _add(actions, "role", user_commands.set_role, "Change the role of a user.")
    argument("login")
    argument("role", choices=ROLES)
    argument = _add(actions, "remove", user_commands.remove_user, "Remove a user.")
    argument("login")
    argument("--give-to", metavar="LOGIN", help="new author of the user's records")


def _add_passwords(commands: Commands) -> None:
    password = commands.add_parser("password", help="Manage application passwords.")
    actions = password.add_subparsers(required=True, metavar="ACTION")
    text = "Create an application password and print it once."
    argument = _add(actions, "add", user_commands.add_password, text)
    argument("login")
    argument("--name", default="command line", help="a name to recognise it by")
    text = "List the passwords of a user, without their secrets."
    argument = _add(actions, "list", user_commands.list_passwords, text)
    argument("login")
    argument = _add(actions, "revoke", user_commands.revoke_password, "Revoke a password by its number.")
    argument("login")
    argument("number", type=int)


def _add_data(commands: Commands) -> None:
    _add_import(commands)
    text = "Write all records but those in the trash into a file, or into three for CSV."
    argument = _add(commands, "export", export.export, text)
    argument("--to", required=True, type=Path, metavar="FILE", help="FILE.jsonl, FILE.ics or FILE.csv")
    argument("--force", action="store_true", help="replace an existing FILE")
    argument = _add(commands, "copy", copy.copy_database, "Copy everything into another, empty database.")
    argument("--to", required=True, type=_database_url, metavar="URL", help="sqlite:///… or mysql://…")
    argument = _add(
        commands, "backup", backup.backup_database, "Write a verified backup while the server runs."
    )
    argument("file", type=Path, metavar="FILE")
    argument("--force", action="store_true", help="replace an existing FILE")
    text = "Replace the database by a backup."
    argument = _add(commands, "restore", backup.restore_database, text, needs_database=False)
    argument("file", type=Path, metavar="FILE")
    argument("--yes", action="store_true", help="do not ask for confirmation")
    text = "List problems of the setup and the data, and how to fix them."
    _add(commands, "check", check.check_setup, text, needs_database=False)
    _add(commands, "reindex", _reindex, "Rebuild the SQLite search index.")
    argument = _add(commands, "purge", purge.purge, "Delete old records in the trash permanently.")
    argument("--days", type=_days, default=30, metavar="N", help="minimum days in the trash, default 30")
    argument("--dry-run", action="store_true", help="count only, delete nothing")


def _add_import(commands: Commands) -> None:
    text = "Import events from a site, a calendar or a file. It can be repeated: what has changed is updated."
    argument = _add(commands, "import", import_events.import_file, text, epilog=import_events.EXAMPLES)
    argument("source", metavar="SOURCE", help="file, - for standard input, or address")
    argument("--format", choices=tuple(opening.READERS), help="default: told from address and content")
    argument("--user", metavar="LOGIN", help="author of the records; default the first administrator")
    argument("--dry-run", action="store_true", help="print what would change, store nothing")
    argument("--all-or-nothing", action="store_true", help="store nothing if any record is refused")
    argument(
        "--status", choices=("publish", "draft", "pending", "keep"), default="keep", help="of all events"
    )
    argument("--category", default="", metavar="NAME", help="category that all events also get")
    argument("--timezone", type=_zone, metavar="ZONE", help="for times without one; default that of the site")
    argument("--from", dest="first", type=_date, metavar="DATE", help="first day of recurring events")
    argument("--until", dest="last", type=_date, metavar="DATE", help="last day of recurring events")
    argument("--dates", choices=("dmy", "mdy"), help="how to read 03/04/2031")
    text = "if a field was changed here and there, "
    argument("--ours", dest="theirs", action="store_false", help=f"{text}keep ours (default)")
    argument("--theirs", dest="theirs", action="store_true", help=f"{text}take that of the source")
    text = "what to do with coming events that the source lacks, default keep"
    argument("--missing", choices=("keep", "trash", "cancel"), default="keep", help=text)
    argument("--report", type=Path, metavar="FILE.jsonl", help="write every decision into a file")
    argument("--quiet", action="store_true", help="print refused records only")
    argument(
        "--allow-private-addresses", action="store_true", help="also read addresses of one's own network"
    )
    argument("--delay", type=float, default=0.0, metavar="SECONDS", help="time between two requests")
    text = "keep: records of a site get its ids, in an empty database"
    argument("--ids", choices=("new", "keep"), default="new", help=text)
    argument("--remote-user", metavar="NAME", help="login at the site")
    argument("--remote-password-file", type=Path, metavar="FILE", help="file with its application password")


def _zone(value: str) -> str:
    try:
        time_zones.named(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"must be a time zone such as Europe/Berlin, not {value!r}"
        ) from error
    return value


def _date(value: str) -> datetime:
    try:
        return datetime.combine(date.fromisoformat(value), datetime.min.time())
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"must be a date such as 2031-05-01, not {value!r}") from error


def _positive(value: str) -> int:
    if not (value.isascii() and value.isdigit() and 0 < int(value) <= 1000):
        raise argparse.ArgumentTypeError(f"must be a number from 1 to 1000, not {value!r}")
    return int(value)


def _days(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 6):
        raise argparse.ArgumentTypeError(f"must be a number of days, 0 or more, not {value!r}")
    return int(value)


def _bind(value: str) -> str:
    host, _, port = value.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and int(port[:6]) in range(1, 65_536)):
        raise argparse.ArgumentTypeError(f"must be HOST:PORT with a port from 1 to 65535, not {value!r}")
    return value


def _database_url(value: str) -> str:
    try:
        urls.parse(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return value


def _migrate(arguments: argparse.Namespace, config: Config) -> None:
    if arguments.make:
        try:
            written = migrate.write_migration(arguments.make)
        except migrate.MigrationError as error:
            raise CommandError(str(error)) from error
        print(f"wrote {written}" if written else "nothing to do: the migrations make what the models say")
        return
    if not arguments.status:
        done = [f"applied {name}" for name in migrate.migrate()]
        rendered = documents.rewrite(config.site)
        if rendered:
            done.append(f"rendered {rendered} stored documents")
        print("\n".join(done) or "nothing to do: the database is up to date")
        return
    if not database.exists():
        raise CommandError("There is no database yet. Run `calendar-api migrate`.")
    for migration in database.run_read(migrate.status):
        state = "applied" if migration.applied else "pending"
        print(f"{'unknown' if migration.path is None else state}  {migration.name}")


def _config(arguments: argparse.Namespace, config: Config) -> None:
    print("\n".join(config.lines()))


def _reindex(arguments: argparse.Namespace, config: Config) -> None:
    rebuilt = database.reindex()
    if rebuilt is False:
        raise CommandError(
            "The search index cannot be built: it needs SQLite 3.34 or later with FTS5. Search works without "
            "it, but reads every text."
        )
    print("search index rebuilt" if rebuilt else "nothing to do: only SQLite has a search index")
