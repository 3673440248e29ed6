"""Times of iCalendar (RFC 5545): zones, and the days on which events recur."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from importlib import import_module
from itertools import islice, takewhile
from time import process_time
from typing import Any, NamedTuple

from calendar_api.commands.sources import icalendar_fields
from calendar_api.domain import dates, time_zones

_FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_SECONDS = 30  # of processor time for all rules of a file; each takes a few at most, even one without matches
_LONGEST_RULE = 1000
_HOUR = timedelta(hours=1)


class UnusableProperty(Exception):
    """Why a property cannot be imported, as sentences: what is wrong, and what to do about it."""

    def __init__(self, field: str, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.field, self.reason, self.remedy = field, reason, remedy


class Written(NamedTuple):
    """A time as it is written: naive, with its TZID ("Z" for UTC, "" for none); `is_day`: without a clock."""

    wall: datetime
    tzid: str
    is_day: bool


def written(field: str, value: object, parameters: dict[str, str]) -> Written:
    """Return a value parsed by icalendar; raises UnusableProperty if it is neither a date nor a time."""
    if isinstance(value, datetime):
        name = icalendar_fields.zone_name(str(parameters.get(icalendar_fields.TZID, "")))
        tzid = name if value.tzinfo is None else "Z"
        return Written(value.replace(tzinfo=None), tzid, is_day=False)
    if isinstance(value, date):
        return Written(datetime(value.year, value.month, value.day), "", is_day=True)
    raise UnusableProperty(field, f"{field} is not a date.", "Write it as 20310501T193000 or 20310501.")


def date_text(moment: datetime) -> str:
    """Return wall time as POST requests have it; with its offset if it is the second of two."""
    return moment.isoformat(" ", "seconds") if moment.fold else dates.text(moment)


class Recurrence:
    """Expands the rules of a file, and stops when they take too long together."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def starts(self, recur: Any, start: datetime, last: datetime) -> list[datetime]:
        """Return `start` and the later occurrences of an RRULE up to `last`, naive; UNTIL is not looked at.

        Raises UnusableProperty for a rule that is unsupported, and ValueError for one that is wrong.
        """
        own = {"BYHOUR": start.hour, "BYMINUTE": start.minute, "BYSECOND": start.second}
        if recur.get("FREQ", [""])[0] not in _FREQUENCIES or any(
            recur.get(name, [at]) != [at] for name, at in own.items()
        ):
            reason = "The event recurs more often than once a day, or not at the time of its start."
            raise UnusableProperty("RRULE", reason, "Split it into daily events at the source.")
        text = ";".join(part for part in recur.to_ical().decode().split(";") if not part.startswith("UNTIL"))
        if self._seconds > _SECONDS or len(text) > _LONGEST_RULE:
            raise UnusableProperty("RRULE", "The rules of this file take too long.", "Simplify or split it.")
        began = process_time()
        rule = import_module("dateutil.rrule").rrulestr(text, dtstart=start)
        # The start counts, even if the rule does not match it.
        later = takewhile(last.__ge__, (moment for moment in rule if moment > start))
        found = [start, *islice(later, max(recur["COUNT"][0] - 1, 0) if "COUNT" in recur else None)]
        self._seconds += process_time() - began
        return found


class _ClockChange(NamedTuple):
    """A change of the clock, at an instant in naive UTC."""

    utc: datetime
    before: timedelta
    after: timedelta


class Definition:
    """A VTIMEZONE, from its parsed STANDARD and DAYLIGHT components."""

    def __init__(self, observances: Iterable[Any], recurrence: Recurrence) -> None:
        self._observances, self._recurrence = list(observances), recurrence
        self._changes: dict[int, list[_ClockChange]] = {}
        self._names: dict[int, str] = {}

    def _near(self, year: int) -> list[_ClockChange]:
        """Return the changes up to the end of this year."""
        if year not in self._changes:
            last = datetime(year, 12, 31, 23, 59)
            found = set[_ClockChange]()
            for observance in self._observances:
                start = written("DTSTART", observance["DTSTART"].dt, {}).wall
                onsets = {start, *(item.wall for item in date_list(observance, "RDATE"))}
                if recur := observance.get("RRULE"):
                    until = min(last, datetime.combine(recur.get("UNTIL", [last])[0], time(23, 59)))
                    onsets |= set(self._recurrence.starts(recur, start, until))
                before, after = observance["TZOFFSETFROM"].td, observance["TZOFFSETTO"].td
                found |= {_ClockChange(onset - before, before, after) for onset in onsets if onset <= last}
            if not found:
                raise UnusableProperty(
                    "TZID", "Its VTIMEZONE does not say the offset.", "Correct the source."
                )
            self._changes[year] = sorted(found)
        return self._changes[year]

    def utc(self, wall: datetime) -> datetime:
        """Convert naive wall time to naive UTC."""
        changes = self._near(wall.year)
        past = [change.after for change in changes if change.utc + change.before <= wall]
        return wall - (past[-1] if past else changes[0].before)

    def name(self, year: int, candidates: Iterable[str]) -> str:
        """Return the first of these IANA zones whose clock agrees in the whole year, or ""."""
        if year not in self._names:
            changes = self._near(year)
            around = [change.utc + hours for change in changes for hours in (-_HOUR, _HOUR)]
            instants = [datetime(year, month, 2) for month in range(1, 13)]
            offsets = {
                at: [changes[0].before, *(change.after for change in changes if change.utc <= at)][-1]
                for at in instants + [near for near in around if near.year == year]
            }
            self._names[year] = next((name for name in candidates if _agrees(name, offsets)), "")
        return self._names[year]


def _agrees(name: str, offsets: dict[datetime, timedelta]) -> bool:
    zone = time_zones.named(name)
    return all(
        at.replace(tzinfo=UTC).astimezone(zone).utcoffset() == offset for at, offset in offsets.items()
    )


def date_list(component: Any, name: str) -> list[Written]:
    """Return the starts of all values of RDATE or EXDATE; raises UnusableProperty."""
    lists = component.get(name, [])
    return [
        written(name, item.dt[0] if isinstance(item.dt, tuple) else item.dt, each.params)
        for each in (lists if isinstance(lists, list) else [lists])
        for item in each.dts
    ]


class Zones:
    """The zones of a file: those it names, and those it defines.

    `floating` names the zone of times without one, "" for that of the calendar, and if it has none, of the
    site; `windows` maps the names that Windows gives to zones.
    """

    def __init__(self, floating: str, site: str, windows: dict[str, str]) -> None:
        self._floating, self._site, self._windows = floating, site, windows
        self.calendar = ""  # of X-WR-TIMEZONE
        self.definitions: dict[str, Definition] = {}
        self.locations: dict[str, str] = {}  # X-LIC-LOCATION

    def named(self, tzid: str) -> str:
        """Return the IANA name of a TZID, or ""."""
        parts = tzid.strip(' "').split("/")
        # A name that begins with a slash has the name of a registry first.
        tries = (
            ["/".join(parts[-size:]) for size in (3, 2, 1)] if tzid.startswith("/") else [tzid.strip(' "')]
        )
        for name in [*tries, self._windows.get(tries[0], ""), self.locations.get(tzid, "")]:
            try:
                zone = time_zones.named(name)
            except ValueError:
                continue
            if key := getattr(zone, "key", "UTC" if zone is UTC else ""):
                return str(key)
        return ""

    def knows(self, tzid: str) -> bool:
        """Return whether the times of this TZID can be placed now."""
        return tzid in ("", "Z", *self.definitions) or bool(self.named(tzid))

    def placed(self, field: str, moment: Written) -> tuple[datetime, str]:
        """Return a time in the zone that its event is to have, and its name; raises UnusableProperty."""
        wall, tzid, _ = moment
        name = "" if tzid else self._floating or self.calendar or self._site or "UTC"
        if tzid == "Z":
            name = self.calendar or "UTC"
            return wall.replace(tzinfo=UTC).astimezone(time_zones.named(name)), name
        name = name or self.named(tzid)
        if not name and (definition := self.definitions.get(tzid)):
            likely = [zone for zone in (self._site, self._floating, self.calendar) if zone]
            name = definition.name(wall.year, [*likely, *dict.fromkeys(self._windows.values())])
            if not name:
                return definition.utc(wall).replace(tzinfo=UTC), "UTC"
        try:
            return wall.replace(tzinfo=time_zones.named(name or tzid)), name or tzid
        except ValueError:
            reason = f"The time zone {tzid} is unknown, and the file does not define it."
            raise UnusableProperty(field, reason, "Write a name such as Europe/Berlin as TZID.") from None


@dataclass
class Calendar:
    """What a file says of one of its calendars."""

    zones: Zones
    is_ours: bool = False
    is_cancel: bool = False
