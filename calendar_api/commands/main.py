"""The command line: where it begins, and `serve`, `migrate`, `config`, `import`, `copy`."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from calendar_api import __version__, database
from calendar_api.commands import backup, copy, import_events, operations, serve
from calendar_api.commands import users as user_commands
from calendar_api.commands.common import command, reading, refused, require_database
from calendar_api.config import Config, ConfigError
from calendar_api.database import migrate, urls
from calendar_api.domain import dates
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError
from calendar_api.store import users


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0 when all went well, 1 when something was refused, 2 for a wrong command line."""
    arguments = _parser().parse_args(argv)
    try:
        config = Config.load()
        database.bind(config.database_url)
        status: int = arguments.run(arguments, config)
    except (ConfigError, users.UserError, copy.CopyError, backup.BackupError) as error:
        return refused(str(error))
    except ApiError as error:
        return refused(database.describe(error))
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130  # as a shell reports what Ctrl-C has ended
    finally:
        if database.db.obj is not None:
            database.close_connection()
    return status


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Without a word that may hold a password, such as the address of a database."""
        super().error(re.sub(r"\S*@\S*", "***", message))


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = _Parser(prog="calendar-api", description="A calendar server over REST.")
    parser.add_argument("--version", action="version", version=f"calendar-api {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_running(commands)
    user_commands.add_user(commands)
    user_commands.add_password(commands)
    _add_import(commands)
    copy = command(commands, "copy", _copy, "Copy everything into another, empty database.")
    copy.add_argument("--to", required=True, type=_database, metavar="URL", help="sqlite:///… or mysql://…")
    operations.add(commands)
    return parser


def _add_running(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    serve = command(commands, "serve", _serve, "Start the server; the very first start makes the database.")
    serve.add_argument(
        "--bind", type=_bind, default="127.0.0.1:8000", metavar="HOST:PORT", help="default 127.0.0.1:8000"
    )
    serve.add_argument("--workers", type=_positive, default=2, metavar="N", help="processes, default 2")
    serve.add_argument(
        "--threads", type=_positive, default=8, metavar="N", help="threads a process, default 8"
    )
    serve.add_argument("--demo", action="store_true", help="fill an empty database with demo records")
    migrate = command(commands, "migrate", _migrate, "Make the database, or bring it up to this release.")
    migrate.add_argument(
        "--status", action="store_true", help="only show what was applied and what is to come"
    )
    migrate.add_argument(
        "--make", metavar="NAME", help="for developers: write the migration that a change of the models needs"
    )
    command(commands, "config", _config, "Print the settings in effect.")


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
        urls.parse(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return value


def _add_import(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    importer = command(commands, "import", _import, "Import events, one JSON object a line.")
    importer.add_argument("file", metavar="FILE.jsonl", help="- for standard input")
    importer.add_argument(
        "--user", metavar="LOGIN", help="author of the events; default the first administrator"
    )
    importer.add_argument("--dry-run", action="store_true", help="check every line and store nothing")
    importer.add_argument("--all-or-nothing", action="store_true", help="store nothing if any line is bad")


# -- running


def _serve(arguments: argparse.Namespace, config: Config) -> int:
    for line in (
        *serve.prepare(config, with_demo=arguments.demo),
        *serve.addresses(config, arguments.bind),
    ):
        print(line, flush=True)
    serve.Server(config, arguments.bind, arguments.workers, arguments.threads).run()
    return 0


def _migrate(arguments: argparse.Namespace, config: Config) -> int:
    if arguments.make:
        try:
            made = migrate.make(arguments.make)
        except migrate.MigrationError as error:
            return refused(str(error))
        print(f"wrote {made}" if made else "nothing to do: the migrations make what the models say")
        return 0
    if not arguments.status:
        done = migrate.migrate()
        print("\n".join(f"applied {name}" for name in done) or "nothing to do: the database is up to date")
        return 0
    if not database.exists():
        return refused("There is no database yet; `calendar-api migrate` makes one.")
    for migration in database.run_read(migrate.status):
        state = "applied" if migration.applied else "to come"
        print(f"{'unknown' if migration.path is None else state}  {migration.name}")
    return 0


def _config(arguments: argparse.Namespace, config: Config) -> int:
    print("\n".join(config.lines()))
    return 0


# -- import


def _import(arguments: argparse.Namespace, config: Config) -> int:
    user = reading(lambda: users.by_login(arguments.user) if arguments.user else users.first_administrator())
    if user is None:
        return refused(
            "There is no administrator to import for; run `calendar-api user add NAME --role administrator`."
        )
    caller = Caller(dates.text(datetime.now(UTC)), int(user.id), user.login, user.role)
    try:
        with _opened(arguments.file) as lines, _bar(arguments.file) as progress:
            summary = import_events.run(
                lines, caller, config,
                dry_run=arguments.dry_run, all_or_nothing=arguments.all_or_nothing, progress=progress,
            )  # fmt: skip
    except OSError as error:
        return refused(f"{arguments.file} cannot be read: {error.strerror}.")
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


def _told(summary: import_events.Summary, *, dry_run: bool) -> int:
    for number, reason in summary.bad:
        print(f"line {number}: {reason}", file=sys.stderr)
    verb = "would be created" if dry_run else "created"
    print(f"{summary.created} {verb}, {summary.skipped} skipped (already there), {len(summary.bad)} refused")
    return 1 if summary.bad else 0


# -- copy


def _copy(arguments: argparse.Namespace, config: Config) -> int:
    require_database()
    tables = copy.run(arguments.to, _copied_so_far if sys.stderr.isatty() else lambda *done: None)
    for one in tables:
        print(f"{one.table:<20} {one.rows:>9}  {one.digest[:16]}")
    rows = sum(one.rows for one in tables)
    print(f"copied {rows} rows of {len(tables)} tables; every table was read back and is equal")
    return 0


def _copied_so_far(table: str, done: int, total: int) -> None:
    end = "\n" if done >= total else ""
    print(f"\r{table:<20} {done:>9} of {total}", end=end, file=sys.stderr, flush=True)
