"""Import of events from lines of JSON, through the same checks and the same store as HTTP."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import validation
from calendar_api.database.models import Event, EventVenue, Venue
from calendar_api.domain import dates, html, text, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError, InvalidParameters
from calendar_api.domain.translation import message
from calendar_api.store import events
from calendar_api.store.compiled_queries import CompiledQuery

Json = dict[str, Any]


@dataclass
class Summary:
    """What became of the lines; `bad` holds the number of each refused line and the reason."""

    created: int = 0
    skipped: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)

    def __add__(self, other: "Summary") -> "Summary":
        return Summary(self.created + other.created, self.skipped + other.skipped, [*self.bad, *other.bad])

    @property
    def lines(self) -> int:
        return self.created + self.skipped + len(self.bad)


#: Lines that are committed together: fewer waits for the disk, and other writers still get their turn.
_AT_ONCE = 50


class _Undo(Exception):
    """Takes back everything of a run that is not to be kept."""

    def __init__(self, summary: Summary) -> None:
        self.summary = summary


def run(
    lines: Iterable[str],
    caller: Caller,
    config: Config,
    *,
    dry_run: bool = False,
    all_or_nothing: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> Summary:
    """Store the event of each line; empty lines do not count.

    A bad line leaves nothing of itself behind, and with `all_or_nothing` nothing of the others either; with
    `dry_run` nothing stays in any case. Raises ApiError when the database
    itself fails; lines before that stay stored and are skipped by the next run.
    """
    if not (dry_run or all_or_nothing):
        return _all(lines, caller, config, progress)
    kept = list(lines)

    def work() -> Summary:
        summary = _all(kept, caller, config, progress)
        if dry_run or summary.bad:
            raise _Undo(summary)
        return summary

    try:
        return database.run_write(work)
    except _Undo as undo:
        return undo.summary if dry_run else replace(undo.summary, created=0)


def _all(lines: Iterable[str], caller: Caller, config: Config, progress: Callable[[int], None]) -> Summary:
    summary = Summary()
    numbered = enumerate(lines, 1)
    while batch := list(islice(numbered, _AT_ONCE)):
        summary += database.run_write(partial(_batch, batch, caller, config, progress))
    return summary


def _batch(
    batch: list[tuple[int, str]], caller: Caller, config: Config, progress: Callable[[int], None]
) -> Summary:
    summary = Summary()
    for number, line in batch:
        if line.strip():
            _one(number, line, summary, caller, config)
        progress(number)
    return summary


def _one(number: int, line: str, summary: Summary, caller: Caller, config: Config) -> None:
    try:
        fields = _fields(line)
        with database.write():
            if _known(fields, caller, config):
                summary.skipped += 1
                return
            store(fields, caller, config)
        summary.created += 1
    except InvalidParameters as error:
        reasons = [f"{name} is missing." for name in error.missing]
        summary.bad.append((number, " ".join([*reasons, *error.problems.values()])))
    except ApiError as error:
        if error.status >= 500:  # not this line but the database: the next one would fare no better
            raise
        summary.bad.append((number, error.message))


def _fields(line: str) -> Json:
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
    checked = validation.check("event", "create", payload)
    if not checked.valid:
        raise checked.error()
    return checked.fields


def store(fields: Json, caller: Caller, config: Config) -> Any:
    """Create an event from checked fields; raises InvalidParameters and Forbidden."""
    problems = events.problems(fields, caller)
    if problems:
        raise InvalidParameters(problems)
    return events.create(fields, caller, time_zones.named(config.timezone), config.timezone)


def _known(fields: Json, caller: Caller, config: Config) -> bool:
    """Whether an event of this title, start and venue is there already, so that a second run adds nothing."""
    zone = time_zones.named(fields.get("timezone") or config.timezone)
    start = dates.parse(fields["start_date"], zone, caller.at)
    if fields.get("all_day"):
        start = dates.day_start(start)
    wanted = {_venue_name(item) for item in fields.get("venue") or []}
    twins = _TWINS.rows(start=dates.text(start), title=html.plain(fields["title"]))
    return any(_venue_names(int(id)) == wanted for (id,) in twins)


def _twins(*, start: Any, title: Any) -> Any:
    return Event.select(Event.id).where(
        Event.start_date == start, Event.title == title, Event.status != "trash"
    )


_TWINS = CompiledQuery(_twins)


def _venue_name(item: Any) -> str:
    if isinstance(item, dict):
        return text.caseless(html.plain(item["venue"]))
    return text.caseless(str(Venue.select(Venue.venue).where(Venue.id == item).scalar()))


def _venue_names(event_id: int) -> set[str]:
    rows = Venue.select(Venue.venue).join(EventVenue, on=(EventVenue.venue == Venue.id))
    return {text.caseless(name) for (name,) in rows.where(EventVenue.event == event_id).tuples()}
