"""The command line: `calendar-api serve`, `migrate`, `config`, `user`, `password`, `import`, `copy`."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from calendar_api import (
    __version__,
    copying,
    database,
    database_urls,
    dates,
    importing,
    schema_state,
    serving,
)
from calendar_api.auth import ROLES, Caller
from calendar_api.config import Config, ConfigError
from calendar_api.errors import ApiError
from calendar_api.store import users

Result = TypeVar("Result")


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0 when all went well, 1 when something was refused, 2 for a wrong command line."""
    arguments = _parser().parse_args(argv)
    try:
        config = Config.load()
        database.bind(config.database_url)
        status: int = arguments.run(arguments, config)
    except (ConfigError, users.UserError, copying.CopyError) as error:
        return _refused(str(error))
    except ApiError as error:
        return _refused(f"{error.message} ({error.__cause__})" if error.__cause__ else error.message)
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130  # as a shell reports what Ctrl-C has ended
    finally:
        if database.db.obj is not None:
            database.close_here()
    return status


def _refused(message: str) -> int:
    print(f"calendar-api: {message}", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="calendar-api", description="A calendar server over REST.")
    parser.add_argument("--version", action="version", version=f"calendar-api {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_running(commands)
    _add_user(commands)
    _add_password(commands)
    _add_import(commands)
    copy = _command(commands, "copy", _copy, "Copy everything into another, empty database.")
    copy.add_argument("--to", required=True, type=_database, metavar="URL", help="sqlite:///… or mysql://…")
    return parser


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Callable[..., int],
    text: str,
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=text)
    command.set_defaults(run=run)
    return command


def _add_running(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    serve = _command(commands, "serve", _serve, "Start the server; the very first start makes the database.")
    serve.add_argument(
        "--bind", type=_bind, default="127.0.0.1:8000", metavar="HOST:PORT", help="default 127.0.0.1:8000"
    )
    serve.add_argument("--workers", type=_positive, default=2, metavar="N", help="processes, default 2")
    serve.add_argument(
        "--threads", type=_positive, default=4, metavar="N", help="threads a process, default 4"
    )
    serve.add_argument("--demo", action="store_true", help="fill an empty database with demo records")
    migrate = _command(commands, "migrate", _migrate, "Make the database, or bring it up to this release.")
    migrate.add_argument(
        "--status", action="store_true", help="only show what was applied and what is to come"
    )
    _command(commands, "config", _config, "Print the settings in effect.")


def _positive(value: str) -> int:
    if not (value.isascii() and value.isdigit() and 0 < int(value) <= 1000):
        raise argparse.ArgumentTypeError(f"must be a number from 1 to 1000, not {value!r}")
    return int(value)


def _bind(value: str) -> str:
    host, _, port = value.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and int(port[:6]) in range(1, 65_536)):
        raise argparse.ArgumentTypeError(f"must be HOST:PORT with a port from 1 to 65535, not {value!r}")
    return value


def _database(value: str) -> str:
    try:
        database_urls.parse(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return value


def _add_user(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    user = commands.add_parser("user", help="Users and their roles.").add_subparsers(
        required=True, metavar="ACTION"
    )
    add = _command(user, "add", _user_add, "Add a user and print an application password, once.")
    add.add_argument("login")
    add.add_argument("--role", required=True, choices=ROLES)
    _command(user, "list", _user_list, "List the users.")
    role = _command(user, "role", _user_role, "Give a user another role.")
    role.add_argument("login")
    role.add_argument("role", choices=ROLES)
    remove = _command(user, "remove", _user_remove, "Remove a user.")
    remove.add_argument("login")
    remove.add_argument("--give-to", metavar="LOGIN", help="who gets the records that the user has written")


def _add_password(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    password = commands.add_parser("password", help="Application passwords.")
    actions = password.add_subparsers(required=True, metavar="ACTION")
    add = _command(actions, "add", _password_add, "Make an application password and print it, once.")
    add.add_argument("login")
    add.add_argument("--name", default="command line", help="what it is for")
    listing = _command(
        actions, "list", _password_list, "List the passwords of a user, without their secrets."
    )
    listing.add_argument("login")
    revoke = _command(actions, "revoke", _password_revoke, "Revoke a password by its number.")
    revoke.add_argument("login")
    revoke.add_argument("number", type=int)


def _add_import(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = _command(commands, "import", _import, "Import events, one JSON object a line.")
    command.add_argument("file", metavar="FILE.jsonl", help="- for standard input")
    command.add_argument(
        "--user", metavar="LOGIN", help="author of the events; default the first administrator"
    )
    command.add_argument("--dry-run", action="store_true", help="check every line and store nothing")
    command.add_argument("--all-or-nothing", action="store_true", help="store nothing if any line is bad")


# -- running


def _serve(arguments: argparse.Namespace, config: Config) -> int:
    for line in (
        *serving.prepare(config, with_demo=arguments.demo),
        *serving.addresses(config, arguments.bind),
    ):
        print(line, flush=True)
    serving.Server(config, arguments.bind, arguments.workers, arguments.threads).run()
    return 0


def _migrate(arguments: argparse.Namespace, config: Config) -> int:
    if not arguments.status:
        done = schema_state.migrate()
        print("\n".join(f"applied {name}" for name in done) or "nothing to do: the database is up to date")
        return 0
    if not database.exists():
        return _refused("There is no database yet; `calendar-api migrate` makes one.")
    for migration in database.reading(schema_state.status):
        state = "applied" if migration.applied else "to come"
        print(f"{'unknown' if migration.path is None else state}  {migration.name}")
    return 0


def _config(arguments: argparse.Namespace, config: Config) -> int:
    print("\n".join(config.lines()))
    return 0


# -- users


def _writing(work: Callable[[str], Result]) -> Result:
    """What `work` returns for the time (UTC), in a write transaction on a database that can be served."""
    _require_database()
    return database.writing(lambda: work(dates.text(datetime.now(UTC))))


def _reading(work: Callable[[], Result]) -> Result:
    _require_database()
    return database.reading(work)


def _require_database() -> None:
    found = schema_state.trouble()
    if found is not None:
        raise found


def _user_add(arguments: argparse.Namespace, config: Config) -> int:
    def work(now: str) -> str:
        user = users.add(arguments.login, arguments.role, now)
        return users.add_password(user, "first", now)

    _print_secret(arguments.login, _writing(work))
    return 0


def _print_secret(login: str, secret: str) -> None:
    print(f"Application password of {login}, shown only once:\n    {secret}")


def _user_list(arguments: argparse.Namespace, config: Config) -> int:
    for user in _reading(users.every):
        print(f"{user.id:>5}  {user.role:<14} {user.login}")
    return 0


def _user_role(arguments: argparse.Namespace, config: Config) -> int:
    _writing(lambda now: users.set_role(arguments.login, arguments.role))
    return 0


def _user_remove(arguments: argparse.Namespace, config: Config) -> int:
    _writing(lambda now: users.remove(arguments.login, arguments.give_to))
    return 0


def _password_add(arguments: argparse.Namespace, config: Config) -> int:
    secret = _writing(lambda now: users.add_password(users.by_login(arguments.login), arguments.name, now))
    _print_secret(arguments.login, secret)
    return 0


def _password_list(arguments: argparse.Namespace, config: Config) -> int:
    for password in _reading(lambda: users.passwords_of(users.by_login(arguments.login))):
        print(f"{password.id:>5}  {password.created_utc}  {password.name}")
    return 0


def _password_revoke(arguments: argparse.Namespace, config: Config) -> int:
    _writing(lambda now: users.revoke_password(users.by_login(arguments.login), arguments.number))
    return 0


# -- import


def _import(arguments: argparse.Namespace, config: Config) -> int:
    user = _reading(lambda: users.by_login(arguments.user) if arguments.user else users.first_administrator())
    if user is None:
        return _refused(
            "There is no administrator to import for; run `calendar-api user add NAME --role administrator`."
        )
    caller = Caller(dates.text(datetime.now(UTC)), int(user.id), user.login, user.role)
    try:
        with _opened(arguments.file) as lines, _bar(arguments.file) as progress:
            summary = importing.run(
                lines, caller, config,
                dry_run=arguments.dry_run, all_or_nothing=arguments.all_or_nothing, progress=progress,
            )  # fmt: skip
    except OSError as error:
        return _refused(f"{arguments.file} cannot be read: {error.strerror}.")
    return _told(summary, dry_run=arguments.dry_run)


@contextmanager
def _opened(name: str) -> Iterator[Iterable[str]]:
    """The lines of a file or of standard input; bytes that are no text make their line a bad one."""
    source = Path("/dev/stdin" if name == "-" else name)
    with source.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
        yield lines


@contextmanager
def _bar(name: str, width: int = 40) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal; elsewhere nothing, so that logs stay readable."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    total = 0
    if name != "-":
        with Path(name).open("rb") as lines:
            total = sum(1 for _ in lines)

    def show(done: int) -> None:
        if done % 50 and done != total:
            return
        filled = width * done // total if total else 0
        line = f"\r[{'#' * filled:<{width}}] {done}/{total}" if total else f"\r{done} lines"
        print(line, end="", file=sys.stderr, flush=True)

    yield show
    print(file=sys.stderr)


def _told(summary: importing.Summary, *, dry_run: bool) -> int:
    for number, reason in summary.bad:
        print(f"line {number}: {reason}", file=sys.stderr)
    verb = "would be created" if dry_run else "created"
    print(f"{summary.created} {verb}, {summary.skipped} skipped (already there), {len(summary.bad)} refused")
    return 1 if summary.bad else 0


# -- copy


def _copy(arguments: argparse.Namespace, config: Config) -> int:
    _require_database()
    tables = copying.run(arguments.to, _copied_so_far if sys.stderr.isatty() else lambda *done: None)
    for one in tables:
        print(f"{one.table:<20} {one.rows:>9}  {one.digest[:16]}")
    rows = sum(one.rows for one in tables)
    print(f"copied {rows} rows of {len(tables)} tables; every table was read back and is equal")
    return 0


def _copied_so_far(table: str, done: int, total: int) -> None:
    end = "\n" if done >= total else ""
    print(f"\r{table:<20} {done:>9} of {total}", end=end, file=sys.stderr, flush=True)
