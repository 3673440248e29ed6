"""`calendar-api import`: events from JSON lines, validated and stored like those of POST requests."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from calendar_api import database
from calendar_api.commands import CommandError
from calendar_api.config import Config
from calendar_api.contract import validation
from calendar_api.database.models import Event, EventVenue, Venue
from calendar_api.domain import dates, text, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError, InvalidParameters
from calendar_api.domain.translation import message
from calendar_api.store import events, users
from calendar_api.store.compiled_queries import CompiledQuery

Progress = Callable[[int], None]
BATCH = 50  # lines per transaction: fewer disk syncs, and other writers need not wait long


@dataclass
class Summary:
    """The result of an import; `bad` holds the number of each invalid line and the reason."""

    created: int = 0
    skipped: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)

    def __add__(self, other: "Summary") -> "Summary":
        return Summary(self.created + other.created, self.skipped + other.skipped, [*self.bad, *other.bad])


def import_file(arguments: argparse.Namespace, config: Config) -> int:
    user = database.run_read(
        lambda: users.by_login(arguments.user) if arguments.user else users.first_administrator()
    )
    if user is None:
        raise CommandError(
            "There is no administrator: run `calendar-api user add NAME --role administrator`."
        )
    caller = Caller(dates.text(datetime.now(UTC)), int(user.id), user.login, user.role)
    path = Path("/dev/stdin" if arguments.file == "-" else arguments.file)
    try:
        # Bytes that are not UTF-8 become surrogates, and validation rejects their line.
        with path.open(encoding="utf-8-sig", errors="surrogateescape") as lines, _progress(path) as progress:
            summary = run(
                lines, caller, config,
                dry_run=arguments.dry_run, all_or_nothing=arguments.all_or_nothing, progress=progress,
            )  # fmt: skip
    except OSError as error:
        raise CommandError(f"{arguments.file} cannot be read: {error.strerror}.") from error
    for number, reason in summary.bad:
        print(f"line {number}: {reason}", file=sys.stderr)
    verb = "would be created" if arguments.dry_run else "created"
    print(f"{summary.created} {verb}, {summary.skipped} skipped (already there), {len(summary.bad)} refused")
    return 1 if summary.bad else 0


@contextmanager
def _progress(path: Path, width: int = 40) -> Iterator[Progress]:
    """A progress bar if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    total = 0
    if path.is_file():
        with path.open("rb") as lines:
            total = sum(1 for _ in lines)

    def show(done: int) -> None:
        if done % 50 and done != total:
            return
        filled = width * done // total if total else 0
        line = f"\r[{'#' * filled:<{width}}] {done}/{total}" if total else f"\r{done} lines"
        print(line, end="", file=sys.stderr, flush=True)

    yield show
    print(file=sys.stderr)


class _Rollback(Exception):
    def __init__(self, summary: Summary) -> None:
        self.summary = summary


def run(
    lines: Iterable[str],
    caller: Caller,
    config: Config,
    *,
    dry_run: bool = False,
    all_or_nothing: bool = False,
    progress: Progress = lambda done: None,
) -> Summary:
    """Store the event of each line that is not empty; store nothing of an invalid line.

    `all_or_nothing`: store nothing if any line is invalid. `dry_run`: store nothing. `progress` is called
    with the number of lines done. Raises ApiError if the database fails; earlier batches stay stored, and
    the next run skips them.
    """
    if not (dry_run or all_or_nothing):
        return _run_batches(lines, caller, config, progress)
    repeatable = list(lines)

    def work() -> Summary:
        summary = _run_batches(repeatable, caller, config, progress)
        if dry_run or summary.bad:
            raise _Rollback(summary)
        return summary

    try:
        return database.run_write(work)
    except _Rollback as rollback:
        return rollback.summary if dry_run else replace(rollback.summary, created=0)


def _run_batches(lines: Iterable[str], caller: Caller, config: Config, progress: Progress) -> Summary:
    summary = Summary()
    numbered = enumerate(lines, 1)
    while batch := list(islice(numbered, BATCH)):
        summary += database.run_write(partial(_run_batch, batch, caller, config, progress))
    return summary


def _run_batch(batch: list[tuple[int, str]], caller: Caller, config: Config, progress: Progress) -> Summary:
    summary = Summary()
    for number, line in batch:
        if line.strip():
            _run_line(number, line, summary, caller, config)
        progress(number)
    return summary


def _run_line(number: int, line: str, summary: Summary, caller: Caller, config: Config) -> None:
    try:
        fields = _parse(line)
        if _exists(fields, caller, config):
            summary.skipped += 1
            return
        with database.write():
            store(fields, caller, config)
        summary.created += 1
    except InvalidParameters as error:
        reasons = [f"{name} is missing." for name in error.missing]
        summary.bad.append((number, " ".join([*reasons, *error.problems.values()])))
    except ApiError as error:
        if error.status >= 500:  # the database failed, so the next line would fail, too
            raise
        summary.bad.append((number, error.message))


def _parse(line: str) -> dict[str, Any]:
    try:
        payload = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidParameters(
            {"line": message("{name} must be valid JSON: {reason}.", name="line", reason=error)}
        ) from error
    if not isinstance(payload, dict):
        raise InvalidParameters(
            {"line": message("{name} must be a JSON object with the fields of an event.", name="line")}
        )
    own = validated("event", payload, "import")
    return validated("event", payload) | {name: str(value).strip() for name, value in own.items()}


def validated(noun: str, payload: dict[str, Any], role: str = "create") -> dict[str, Any]:
    """The coerced fields of a payload; raises InvalidParameters."""
    checked = validation.check(noun, role, payload)
    if not checked.valid:
        raise checked.error()
    return checked.fields


def store(fields: dict[str, Any], caller: Caller, config: Config) -> Any:
    """Create an event from validated fields; raises InvalidParameters and Forbidden."""
    problems = events.problems(fields, caller)
    if problems:
        raise InvalidParameters(problems)
    return events.create(fields, caller, config.site)


def _exists(fields: dict[str, Any], caller: Caller, config: Config) -> bool:
    """Whether there is an event with this uid, or with this title, start and venue.

    So a second run adds nothing.
    """
    if _SAME_UID.rows(uid=fields.get("uid")):
        return True
    zone = time_zones.named(fields.get("timezone") or config.timezone)
    start = dates.parse(fields["start_date"], zone, caller.at)
    if fields.get("all_day"):
        start = dates.day_start(start)
    wanted = {_venue_name(item) for item in fields.get("venue") or []}
    same = _SAME_TITLE_AND_START.rows(start=dates.text(start), title=text.plain(fields["title"]))
    return any(_venue_names(int(id)) == wanted for (id,) in same)


_SAME_UID = CompiledQuery(lambda *, uid: Event.select(Event.id).where(Event.uid == uid))
_SAME_TITLE_AND_START = CompiledQuery(
    lambda *, start, title: Event.select(Event.id).where(
        Event.start_date == start, Event.title == title, Event.status != "trash"
    )
)


def _venue_name(item: Any) -> str:
    if isinstance(item, dict):
        return text.casefold(text.plain(item["venue"]))
    return text.casefold(str(Venue.select(Venue.venue).where(Venue.id == item).scalar()))


def _venue_names(event_id: int) -> set[str]:
    return {text.casefold(name) for (name,) in _VENUE_NAMES.rows(event=event_id)}


_VENUE_NAMES = CompiledQuery(
    lambda *, event: (
        Venue.select(Venue.venue)
        .join(EventVenue, on=(EventVenue.venue == Venue.id))
        .where(EventVenue.event == event)
    )
)
