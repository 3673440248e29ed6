"""`calendar-api import`: records from files and addresses, validated and stored like those of requests."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TextIO

from calendar_api import database
from calendar_api.commands import CommandError, SourceError, backup
from calendar_api.commands.import_engine import Import
from calendar_api.commands.import_report import Report
from calendar_api.commands.import_work import Policy
from calendar_api.commands.sources import opening
from calendar_api.commands.sources.items import Options
from calendar_api.config import Config
from calendar_api.domain import dates, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import StorageFull
from calendar_api.store import users

EXAMPLES = """\
examples:
  calendar-api import https://old.example                       a site with the interface
  calendar-api import https://example.org/calendar.ics          a calendar, also webcal://
  calendar-api import calendar.ics --timezone Europe/Berlin     an iCalendar file
  calendar-api import export.xml                                a WordPress export (WXR)
  calendar-api import venues.csv; calendar-api import events.csv
  calendar-api import events.jsonl --dry-run                    one record on each line
  producer | calendar-api import - --format jsonl --quiet       standard input
"""


def import_file(arguments: argparse.Namespace, config: Config) -> int:
    """Import a source. Raises CommandError, also for a full disk and a source that cannot be read."""
    caller = _caller(arguments.user)
    options = _options(arguments, config)
    policy = _policy(arguments, options)
    _require_report_apart(arguments, config)
    with _report_file(arguments.report) as file:
        try:
            with opening.source(arguments, options) as source:
                if source.unchanged:
                    print("The source has not changed since the last import.")
                    return 0
                if policy.keep_ids and source.format != "tribe":
                    raise CommandError(
                        "Only a site with the interface has ids to keep: leave out --ids keep."
                    )
                report = Report(file, dry_run=policy.dry_run, quiet=arguments.quiet)
                work = Import(source.format, source.address, caller, config.site, policy, report)
                work.public_only = source.format == "tribe" and not arguments.remote_user
                report.part = lambda: report.number / work.spooled if work.spooled else source.part()
                try:
                    with report.progress:
                        work.run(source.found, source.validators)
                except BaseException:
                    if report.number:  # what was stored before the source or the database failed
                        report.finish(stored=work.stored)
                    raise
                report.finish(stored=work.stored)
        except CommandError as error:
            raise SourceError(str(error)) from error
        except StorageFull as error:  # its text is about one request
            raise CommandError(
                "The disk is full. Make room and run the same command again: it imports the rest."
            ) from error
    return 1 if work.refused else 0


def _caller(login: str | None) -> Caller:
    user = database.run_read(lambda: users.by_login(login) if login else users.first_administrator())
    if user is None:
        raise CommandError(
            "There is no administrator: run `calendar-api user invite NAME --role administrator`."
        )
    caller = Caller(dates.text(datetime.now(UTC)), int(user.id), user.login, user.role)
    if not caller.may_write:
        raise CommandError(f"{user.login} may not write: choose another user with --user.")
    return caller


def _options(arguments: argparse.Namespace, config: Config) -> Options:
    """The window of occurrences is a month ago to two years ahead, unless it is given."""
    zone = time_zones.named(config.timezone)
    if arguments.first and arguments.last and arguments.first > arguments.last:
        raise CommandError("--from is later than --until.")
    today = datetime.now(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return Options(
        timezone=arguments.timezone or "",
        site_timezone=config.timezone,
        first=arguments.first.replace(tzinfo=zone) if arguments.first else today - timedelta(days=31),
        last=arguments.last.replace(tzinfo=zone) if arguments.last else dates.add_months(today, 24),
        day_first=None if arguments.dates is None else arguments.dates == "dmy",
    )


def _policy(arguments: argparse.Namespace, options: Options) -> Policy:
    return Policy(
        theirs=arguments.theirs,
        missing=arguments.missing,
        first=dates.text(options.first.astimezone(UTC)) if arguments.first else "",
        last=dates.text(options.last.astimezone(UTC)) if arguments.last else "9999",
        status=arguments.status,
        category=arguments.category,
        dry_run=arguments.dry_run,
        all_or_nothing=arguments.all_or_nothing,
        keep_ids=arguments.ids == "keep",
    )


def _require_report_apart(arguments: argparse.Namespace, config: Config) -> None:
    """Raise CommandError if the report would overwrite the source or the database."""
    report: Path | None = arguments.report
    if report is None:
        return
    backup.require_not_database(report, config.database_url)
    if report.resolve() == Path(arguments.source).resolve():
        raise CommandError(f"{report} is the source; write the report into another file.")


@contextmanager
def _report_file(path: Path | None) -> Iterator[TextIO | None]:
    try:
        with path.open("w", encoding="utf-8", errors="backslashreplace") if path else nullcontext() as file:
            yield file
    except BrokenPipeError:  # of the output
        raise
    except OSError as error:
        raise CommandError(f"{path or 'A temporary file'} cannot be written: {error.strerror}.") from error
