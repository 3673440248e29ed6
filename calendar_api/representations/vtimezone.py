"""VTIMEZONE components made from the rules of `zoneinfo` (RFC 5545, section 3.6.5)."""

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

from calendar_api.domain import dates, time_zones

# Local times with a TZID are from the first year to before the second, others are written in UTC. Before 1970
# many offsets are not whole minutes; the end bounds the changes of zones without a yearly rule.
_FIRST_YEAR, _END_YEAR = "1970", "2100"
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
# Changes that cancel each other can be a week less an hour apart, as in Recife in 2000.
_STEP = timedelta(days=6)
_SECOND = timedelta(seconds=1)


class _State(NamedTuple):
    """What is in force in a zone at an instant."""

    offset: timedelta
    name: str
    dst: bool


class _Change(NamedTuple):
    """A change; `onset` is its naive wall time on the clock before it, which is what DTSTART shows."""

    onset: datetime
    before: _State
    after: _State

    def rule(self) -> tuple[object, ...]:
        """Return what is the same each year in a yearly rule, except the week of the month."""
        return self.onset.month, self.onset.weekday(), self.onset.time(), self.before, self.after

    def weeks(self) -> frozenset[int]:
        """Return the numbers before the weekday in BYDAY: the fourth and last Sunday is {4, -1}."""
        is_last = (self.onset + timedelta(days=7)).month != self.onset.month
        return frozenset({(self.onset.day - 1) // 7 + 1, *([-1] if is_last else [])})


@lru_cache(maxsize=1024)
def iana_name(zone_name: str) -> str:
    """Return the IANA name of a stored zone name; "" for UTC and for offsets."""
    return str(getattr(time_zones.named(zone_name), "key", ""))


def is_unambiguous(name: str, local: str) -> bool:
    """Return whether "YYYY-MM-DD HH:MM:SS" in this IANA zone means the same instant to every reader.

    In an hour that occurs twice RFC 5545 means the first, but several readers take the second.
    """
    if not _FIRST_YEAR <= local < _END_YEAR:
        return False
    return not any(start <= local < end for start, end in _repeated(name, local[:4]))


@lru_cache(maxsize=128)
def component(name: str, first: int, last: int) -> str:
    """Return the VTIMEZONE of an IANA zone for local times from the year `first` to `last`, as CRLF lines.

    The last years with the same two changes are one STANDARD and one DAYLIGHT with an RRULE, the form that
    all readers support. Each change before them is an observance of its own.
    """
    years = [_changes(name, year) for year in range(first - 1, last + 2)]
    regular, weeks = _yearly_rule(years)
    lines = ["BEGIN:VTIMEZONE", f"TZID:{name}"]
    if not years[0]:
        state = _state(time_zones.named(name), datetime(first - 1, 1, 1, tzinfo=UTC))
        lines += _observance(_Change(datetime(1970, 1, 1), state, state))
    for change in (change for year in years[:regular] for change in year):
        lines += _observance(change)
    for change, week in zip(years[regular] if regular < len(years) else (), weeks, strict=False):
        onset = change.onset
        by_day = f"BYDAY={min(week)}{_WEEKDAYS[onset.weekday()]}"
        lines += _observance(change, f"RRULE:FREQ=YEARLY;BYMONTH={onset.month};{by_day}")
    return "\r\n".join([*lines, "END:VTIMEZONE", ""])


def _yearly_rule(years: list[tuple[_Change, ...]]) -> tuple[int, list[frozenset[int]]]:
    """Return the position of the first of the last years with the same two changes, and their weeks.

    One year alone is no rule: then the position is the number of years.
    """
    weeks = [frozenset({-1, 1, 2, 3, 4, 5})] * 2
    for position, changes in reversed(list(enumerate(years))):
        both = [some & change.weeks() for some, change in zip(weeks, changes, strict=False)]
        same = [change.rule() for change in changes] == [change.rule() for change in years[-1]]
        if not (len(changes) == 2 and same and all(both)):
            return position + 1 + (position + 2 == len(years)), weeks
        weeks = both
    return 0, weeks


def _observance(change: _Change, rule: str = "") -> list[str]:
    before, after, start = change.before, change.after, f"{change.onset:%Y%m%dT%H%M%S}"
    # The flag alone does not tell: in Dublin and Casablanca it is set in winter.
    is_daylight = after.offset > before.offset and after.dst != before.dst
    # Some readers need an RRULE or RDATE beside DTSTART.
    kind = "DAYLIGHT" if is_daylight else "STANDARD"
    return [
        f"BEGIN:{kind}", f"DTSTART:{start}", rule or f"RDATE:{start}", f"TZNAME:{after.name}",
        f"TZOFFSETFROM:{_offset(before.offset)}", f"TZOFFSETTO:{_offset(after.offset)}", f"END:{kind}",
    ]  # fmt: skip


def _offset(offset: timedelta) -> str:
    minutes, seconds = divmod(abs(offset) // _SECOND, 60)
    sign = "-" if offset < timedelta() else "+"
    return f"{sign}{minutes // 60:02}{minutes % 60:02}" + (f"{seconds:02}" if seconds else "")


@lru_cache(maxsize=4096)
def _repeated(name: str, year: str) -> tuple[tuple[str, str], ...]:
    """Return start and end of the periods of local time near this year that occur twice."""
    changes = [change for near in (-1, 0, 1) for change in _changes(name, int(year) + near)]
    return tuple(
        (dates.text(change.onset + change.after.offset - change.before.offset), dates.text(change.onset))
        for change in changes
        if change.after.offset < change.before.offset
    )


@lru_cache(maxsize=4096)
def _changes(name: str, year: int) -> tuple[_Change, ...]:
    """Return the changes of a year of UTC in their order."""
    zone, found = time_zones.named(name), []
    at, end = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    before = _state(zone, at)
    while at < end:
        following = min(at + _STEP, end)
        after = _state(zone, following)
        if after != before:
            while following - at > _SECOND:
                middle = at + (following - at) // (2 * _SECOND) * _SECOND
                at, following = (middle, following) if _state(zone, middle) == before else (at, middle)
            after = _state(zone, following)
            found.append(_Change(following.replace(tzinfo=None) + before.offset, before, after))
        at, before = following, after
    return tuple(found)


def _state(zone: tzinfo, utc: datetime) -> _State:
    local = utc.astimezone(zone)
    return _State(local.utcoffset() or timedelta(), local.tzname() or "", bool(local.dst()))
