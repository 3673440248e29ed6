"""Dates: parse what clients send, format what is stored and sent, convert between UTC and wall time."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

from calendar_api.domain import time_zones
from calendar_api.domain.relative_dates import CLOCK, WEEKDAYS, months_later, relative, time_of_day

EARLIEST = datetime(1000, 1, 2)
LATEST = datetime(9999, 12, 30, 23, 59, 59)

_LENGTH = len("YYYY-MM-DD HH:MM:SS")
_LONGEST = 100
UNREADABLE = "must be a date such as 2031-01-31 10:00:00, 2031-01-31T10:00:00Z, @1927620000 or tomorrow 9am"
_BAD_END = "must end after its time, or with a zone such as Z, +02:00 or Europe/Berlin"
_OUT_OF_RANGE = "must be a date between 1000-01-02 and 9999-12-30"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = EARLIEST.replace(tzinfo=UTC), LATEST.replace(tzinfo=UTC)

Parse = Callable[[str | int, tzinfo, datetime], datetime]

_NUMERIC_DATES = tuple(
    re.compile(rf"(?:{form})(?:(?P<mark>t|\s+)(?P<rest>\S.*))?")
    for form in (
        r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})",
        r"(?P<year>\d{4})/(?P<month>\d{1,2})/(?P<day>\d{1,2})",
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)",
        r"(?P<year>\d{4})-(?P<month>\d\d)",
        r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})",
        r"(?P<day>\d{1,2})(?P<dot>[.-])(?P<month>\d{1,2})(?P=dot)(?P<year>\d{4})",
        r"(?P<year>\d{4})-?w(?P<week>\d\d)(?:-?(?P<weekday>[1-7]))?",
    )
)
# A day of the year 9999 may be out of range: `_at` limits it.
_AS_STORED = re.compile(r"[0-8]\d{3}-\d\d-\d\d(?:[ t]\d\d:\d\d(?::\d\d)?)?")
_MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
    "september": 9, "october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4,
    "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_FILLERS = frozenset({"st", "nd", "rd", "th", "of", "at", "on"})
_CLOCK = re.compile(CLOCK)
_CLOCK_IN_WORDS = re.compile(rf"(?<=[\s,]){CLOCK}")
_CLOCK_AFTER_T = re.compile(r"(?P<hour>\d\d)(?:(?P<minute>\d\d)(?:(?P<second>\d\d)(?:[.,]\d+)?)?)?(?!\d)")


def text(moment: datetime) -> str:
    """Format the wall time of `moment` as it is stored and sent, `YYYY-MM-DD HH:MM:SS`."""
    return moment.isoformat(" ", "seconds")[:_LENGTH]


@lru_cache(maxsize=1024)  # one response contains the same date several times
def from_text(value: str) -> datetime:
    """Parse what `text` returned into a naive datetime; raises ValueError for every other form."""
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        moment = None
    if moment is None or str(moment) != value or len(value) != _LENGTH:
        raise ValueError("must look like 2031-01-31 10:00:00")
    return moment


def local(utc: str, zone: tzinfo) -> str:
    """Convert a stored UTC date to wall time in `zone`, also as text. Raises ValueError for damaged text."""
    moment = from_text(utc)
    return utc if zone is UTC else text(moment.replace(tzinfo=UTC).astimezone(zone))


def iso(utc: str, zone: tzinfo) -> str:
    """Convert a stored UTC date to ISO 8601 with the offset of `zone` (docs/interface.md#json-ld)."""
    return from_text(utc).replace(tzinfo=UTC).astimezone(zone).isoformat("T", "seconds")


def parse(value: str | int, zone: tzinfo, now: datetime) -> datetime:
    """Parse a date of a request body; the result is aware, in `zone`, in whole seconds.

    The accepted forms are in docs/interface.md#dates. A value without an offset is wall time in `zone`; a
    missing day of the month is the first. Relative dates start from `now` (aware). Raises ValueError for
    anything else and for dates outside EARLIEST to LATEST.
    """
    try:
        moment = _instant(value, zone, now, rolls=False).replace(microsecond=0).astimezone(zone)
    except OverflowError:
        raise ValueError(_OUT_OF_RANGE) from None
    return _in_range(moment)


def parse_filter(value: str | int, zone: tzinfo, now: datetime) -> datetime:
    """Parse a date of a filter: like `parse`, but days roll over and dates are limited to the valid range.

    `2031-02-31` is 3 March; `9999-12-31` is LATEST and `0001-01-01` is EARLIEST, both in UTC. Raises
    ValueError for a value that is not a date.
    """
    try:
        moment = _instant(value, zone, now, rolls=True)
    except OverflowError:  # raised by timestamps and relative dates only, see `_at`
        past = "-" in str(value) or "ago" in str(value).lower()
        moment = _FIRST if past else _LAST
    return min(max(moment, _FIRST), _LAST).replace(microsecond=0).astimezone(zone)


def is_day(value: str | int, zone: tzinfo, now: datetime) -> bool:
    """Return whether a date has no time of day."""
    try:
        parse(f"{value} 12:00", zone, now)
    except ValueError:
        return False
    return True


def to_utc(local: datetime, zone: tzinfo) -> datetime:
    """Convert naive wall time in `zone` to naive UTC; ambiguous and skipped times as in `parse`."""
    return local.replace(tzinfo=zone, fold=0).astimezone(UTC).replace(tzinfo=None)


def to_local(utc: datetime, zone: tzinfo) -> datetime:
    """Convert naive UTC to naive wall time in `zone`; `fold` is always 0."""
    return utc.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None, fold=0)


def day_start(moment: datetime) -> datetime:
    """Return the first second of the day of `moment` in its zone: 00:00:00 unless that is skipped."""
    midnight = _existing(moment).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    exists = _existing(midnight).replace(tzinfo=None) == midnight.replace(tzinfo=None)
    return midnight if exists else _after_gap(midnight)


def day_end(moment: datetime) -> datetime:
    """Return the last second of the day of `moment` in its zone: the later 23:59:59 if there are two."""
    last = _existing(moment).replace(hour=23, minute=59, second=59, microsecond=0, fold=1)
    found = _existing(last)
    if found.replace(tzinfo=None) == last.replace(tzinfo=None):
        return found
    return (_after_gap(last).astimezone(UTC) - timedelta(seconds=1)).astimezone(last.tzinfo)


def add_months(moment: datetime, months: int) -> datetime:
    """Move `moment` (aware or naive) by months on its wall clock; 31 January + 1 month is 3 March.

    Raises ValueError outside EARLIEST to LATEST.
    """
    try:
        moved = months_later(moment, months)
    except OverflowError:
        raise ValueError(_OUT_OF_RANGE) from None
    return _in_range(moved) if moved.tzinfo is None else _existing(_in_range(moved))


def default_window(now: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
    """Return the default start and end of an event list, in `zone` (docs/interface.md#default-window)."""
    yesterday = now.astimezone(UTC) - timedelta(days=1)
    start = yesterday.replace(hour=23, minute=59, second=0, microsecond=0).astimezone(zone)
    try:
        end = add_months(now.replace(microsecond=0).astimezone(zone), 24)
    except ValueError:
        end = LATEST.replace(tzinfo=zone)
    return start, end


def _existing(moment: datetime) -> datetime:
    """Move a time that does not exist out of the gap."""
    return moment.astimezone(UTC).astimezone(moment.tzinfo)


def _after_gap(moment: datetime) -> datetime:
    """Return the first second after the gap that `moment` lies in, by bisection."""
    wall, zone = moment.replace(tzinfo=None, fold=0), moment.tzinfo
    # In a gap, the offset from before it (fold 0) gives the later instant.
    before, after = (moment.replace(fold=fold).astimezone(UTC) for fold in (1, 0))
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) // timedelta(seconds=2) * timedelta(seconds=1)
        if middle.astimezone(zone).replace(tzinfo=None) < wall:
            before = middle
        else:
            after = middle
    return after.astimezone(zone)


def _in_range(moment: datetime) -> datetime:
    if not EARLIEST <= moment.replace(tzinfo=None) <= LATEST:
        raise ValueError(_OUT_OF_RANGE)
    return moment


def _instant(value: str | int, zone: tzinfo, now: datetime, *, rolls: bool) -> datetime:
    """With `rolls`, 31 February is 3 March, and a date out of range becomes the nearest one in range."""
    if isinstance(value, int):
        # Python refuses to convert integers of thousands of digits to text.
        if abs(value) >= 10**_LONGEST:
            raise ValueError(_OUT_OF_RANGE)
    elif len(value) > _LONGEST:
        raise ValueError(f"must be a date of at most {_LONGEST} characters")
    written = str(value)
    written = written.strip().lower() if written.isascii() else ""
    moment = (
        _as_stored(written, zone)
        or _timestamp(written)
        or _numeric_date(written, zone, rolls)
        or _relative_date(written, zone, now.replace(microsecond=0))
        or _date_in_words(written, zone, rolls)
    )
    if moment is None:
        raise ValueError(UNREADABLE)
    return moment


def _as_stored(value: str, zone: tzinfo) -> datetime | None:
    """Parse the form of `text`, or ISO 8601 without a zone: most dates have it."""
    if not _AS_STORED.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _timestamp(value: str) -> datetime | None:
    if re.fullmatch(r"@-?\d+|-?\d{9,}", value):
        return _EPOCH + timedelta(seconds=int(value.removeprefix("@")))
    if re.fullmatch(r"-?\d+", value) and not re.fullmatch(r"\d{8}", value):
        raise ValueError(
            "must have 8 digits (YYYYMMDD) or at least 9 (seconds since 1970) when it is only digits"
        )
    return None


def _numeric_date(value: str, zone: tzinfo, rolls: bool) -> datetime | None:
    match = next((match for form in _NUMERIC_DATES if (match := form.fullmatch(value))), None)
    if match is None:
        return None
    parts = match.groupdict()
    day = _calendar_day(parts, rolls)
    rest = parts["rest"] or ""
    clock = _CLOCK.match(rest)
    if parts["mark"] == "t" and clock is None:
        clock = _CLOCK_AFTER_T.match(rest)
        if clock is None:
            raise ValueError(UNREADABLE)
    return _at(day, clock, rest[clock.end() :] if clock else rest, zone, rolls)


def _calendar_day(parts: dict[str, str | None], rolls: bool) -> date:
    year, month, day = (int(parts.get(name) or 1) for name in ("year", "month", "day"))
    try:
        if parts.get("week"):
            return date.fromisocalendar(year, int(parts["week"] or 1), int(parts["weekday"] or 1))
        if rolls and day <= 31:
            # All years before 1000 are out of range, and `date` has no year 0.
            return date(max(year, 2), month, 1) + timedelta(days=day - 1)
        return date(year, month, day)
    except ValueError:
        raise ValueError("must name a day that exists in the calendar") from None


def _relative_date(value: str, zone: tzinfo, now: datetime) -> datetime | None:
    found = relative(value, now.astimezone(zone).replace(tzinfo=None))
    if found is None:
        return None
    wall, elapsed = found
    return wall.replace(tzinfo=zone).astimezone(UTC) + elapsed


def _date_in_words(value: str, zone: tzinfo, rolls: bool) -> datetime | None:
    """Parse `1 March 2040 10:00`: a date with the name of its month, then an optional time and zone.

    A month, a year, at most one day and at most one weekday may stand in any order.
    """
    clock = _CLOCK_IN_WORDS.search(value)
    text = value[: clock.start()] if clock else value
    words = [word for word in re.findall(r"\d+|[a-z]+", text) if word not in _FILLERS]
    months, weekdays = ([names[word] for word in words if word in names] for names in (_MONTHS, WEEKDAYS))
    years, days = ([word for word in words if re.fullmatch(form, word)] for form in (r"\d{4}", r"\d{1,2}"))
    known = [*months, *years, *days, *weekdays]
    if not re.fullmatch(r"[a-z0-9 ,.-]+", text) or len(known) != len(words):
        return None
    if not (len(months) == len(years) == 1 and len(days) <= 1 and len(weekdays) <= 1):
        return None
    try:
        day = _calendar_day({"year": years[0], "month": str(months[0]), "day": "".join(days)}, rolls)
    except ValueError:
        raise ValueError(UNREADABLE) from None
    if weekdays and day.weekday() != weekdays[0]:
        raise ValueError(UNREADABLE)
    return _at(day, clock, value[clock.end() :] if clock else "", zone, rolls)


def _at(day: date, clock: re.Match[str] | None, zone_name: str, zone: tzinfo, rolls: bool) -> datetime:
    since_midnight = time_of_day(clock) if clock else timedelta()
    if name := zone_name.strip():
        try:
            zone = time_zones.named(name)
        except ValueError:
            raise ValueError(_BAD_END) from None
    if rolls and not EARLIEST.date() <= day <= LATEST.date():
        return _FIRST if day < EARLIEST.date() else _LAST
    return (datetime.combine(day, time.min) + since_midnight).replace(tzinfo=zone).astimezone(UTC)
