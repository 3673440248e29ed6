"""The closed grammar of relative dates: tomorrow 9am, +1 week 2 days, first monday of next month."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

# One time of day: 9am, 9:30 pm, 14:00, 14:00:00.123, noon. A bare number is no time.
CLOCK = (
    r"(?:(?=\d{1,2}(?::\d|\s*[ap]\.?m\b))"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?)?"
    r"(?:\s*(?P<half>[ap])\.?m\b\.?)?(?![\d:])"
    r"|(?P<named>noon|midnight)\b)"
)
WEEKDAYS = {
    name: index
    for index, names in enumerate(
        (
            "monday mon",
            "tuesday tue tues",
            "wednesday wed",
            "thursday thu thur thurs",
            "friday fri",
            "saturday sat",
            "sunday sun",
        )
    )
    for name in names.split()
}
_QUARTERS = (
    "january jan february feb march mar",
    "april apr may may june jun",
    "july jul august aug september sep",
    "october oct november nov december dec",
)
_MONTHS = {name: index // 2 + 1 for index, name in enumerate(" ".join(_QUARTERS).split())} | {"sept": 9}
_DAYS = {"today": 0, "tomorrow": 1, "yesterday": -1}
_DIRECTIONS = {"next": 1, "this": 0, "last": -1, "previous": -1}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
_UNITS = {
    name + plural: amount
    for name, amount in {
        "sec": ("seconds", 1),
        "second": ("seconds", 1),
        "min": ("seconds", 60),
        "minute": ("seconds", 60),
        "hour": ("seconds", 3600),
        "day": ("days", 1),
        "week": ("days", 7),
        "fortnight": ("days", 14),
        "month": ("months", 1),
        "year": ("months", 12),
        "weekday": ("weekdays", 1),
    }.items()
    for plural in ("", "s")
}
_TOKEN = re.compile(rf"\s*(?:(?P<clock>{CLOCK})|(?P<amount>[+-]?\s*\d{{1,6}})(?!\d)|(?P<word>[a-z]+))")


@dataclass
class _Reading:
    """What has been understood so far; at most one phrase says which day is meant."""

    now: datetime
    day: datetime | None = None
    weekday: tuple[int, int] | None = None
    week: int | None = None
    clock: timedelta | None = None
    amounts: dict[str, int] = field(
        default_factory=lambda: {"seconds": 0, "days": 0, "months": 0, "weekdays": 0}
    )

    @property
    def names_a_day(self) -> bool:
        return self.day is not None or self.weekday is not None


@dataclass(frozen=True)
class _Token:
    """A word, an amount such as `-2`, or a time of day (whose text is empty)."""

    text: str
    clock: timedelta | None = None


def relative(text: str, now: datetime) -> tuple[datetime, timedelta] | None:
    """The naive wall time that lower-case `text` means at the wall time `now`, and what elapses after it.

    None when the text is not of this grammar. Days, weeks, months and years move the wall clock; hours,
    minutes and seconds are the second value, to be added to the instant. Words for days mean 00:00 unless a
    time is given; amounts and `next month` keep the time of day. `next monday` is never today, plain `monday`
    may be; a weekday with `this week` or `next week` lies in that week, which begins on Monday. Each amount
    has its own sign, and `ago` turns those right before it. Raises ValueError for a time or day that does not
    exist, OverflowError beyond the calendar (docs/interface.md#dates).
    """
    tokens = _tokens(text)
    if not tokens:
        return None
    reading = _Reading(now)
    while tokens:
        taken = next((count for phrase in _PHRASES if (count := phrase(tokens, reading))), 0)
        if not taken:
            return None
        tokens = tokens[taken:]
    return _wall_time(reading), timedelta(seconds=reading.amounts["seconds"])


def time_of_day(match: re.Match[str]) -> timedelta:
    """The time since midnight that a match of CLOCK names, without fractions; 24:00:00 is a whole day.

    Raises ValueError for a time that no clock shows.
    """
    parts = match.groupdict()
    if parts.get("named"):
        return timedelta(hours=12 if parts["named"] == "noon" else 0)
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    if half := parts.get("half"):
        if not 1 <= hour <= 12:
            raise ValueError("must have an hour from 1 to 12 before am or pm")
        hour = hour % 12 + (12 if half == "p" else 0)
    time = timedelta(hours=hour, minutes=minute, seconds=second)
    if minute > 59 or second > 59 or time > timedelta(days=1):
        raise ValueError("must have a time between 00:00:00 and 24:00:00")
    return time


def months_later(day: datetime, months: int) -> datetime:
    """`day` moved by months on the wall clock; a day that the month lacks runs on into the next month.

    31 January + 1 month is 3 March. Raises OverflowError beyond the calendar.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError("year out of range")
    return day.replace(year=year, month=month + 1, day=1) + timedelta(days=day.day - 1)


def _tokens(text: str) -> list[_Token]:
    """Nothing when some part of the text is no token."""
    tokens: list[_Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return []
        if match["clock"]:
            tokens.append(_Token("", time_of_day(match)))
        else:
            tokens.append(_Token(match["word"] or "".join(match["amount"].split())))
        position = match.end()
    return tokens


def _clock_phrase(tokens: Sequence[_Token], reading: _Reading) -> int:
    """`9am`, `at noon`"""
    index = 1 if tokens[0].text == "at" and len(tokens) > 1 else 0
    if tokens[index].clock is None or reading.clock is not None:
        return 0
    reading.clock = tokens[index].clock
    return index + 1


def _day_phrase(tokens: Sequence[_Token], reading: _Reading) -> int:
    """`now`, `tomorrow`"""
    word = tokens[0].text
    if reading.names_a_day or (word != "now" and word not in _DAYS):
        return 0
    reading.day = reading.now if word == "now" else _midnight(reading.now) + timedelta(days=_DAYS[word])
    return 1


def _ordinal_phrase(tokens: Sequence[_Token], reading: _Reading) -> int:
    """`first monday of next month`, `last day of february 2028`"""
    words = [token.text for token in tokens[:5]]
    if reading.names_a_day or len(words) < 4 or words[0] not in _ORDINALS or words[2] != "of":
        return 0
    ordinal, taken = _ORDINALS[words[0]], 4
    month = _midnight(reading.now).replace(day=1)
    if words[3] in _DIRECTIONS and words[4:] in (["month"], ["months"]):
        month, taken = months_later(month, _DIRECTIONS[words[3]]), 5
    elif words[3] in _MONTHS:
        month = month.replace(month=_MONTHS[words[3]])
        if words[4:] and re.fullmatch(r"[1-9]\d{3}", words[4]):
            month, taken = month.replace(year=int(words[4])), 5
    else:
        return 0
    if words[1] == "day" and abs(ordinal) == 1:
        reading.day = month if ordinal == 1 else months_later(month, 1) - timedelta(days=1)
        return taken
    if words[1] in WEEKDAYS:
        reading.day = _weekday_of_month(month, WEEKDAYS[words[1]], ordinal)
        return taken
    return 0


def _weekday_phrase(tokens: Sequence[_Token], reading: _Reading) -> int:
    """`wednesday`, `next wednesday`"""
    direction = _DIRECTIONS.get(tokens[0].text)
    taken = 1 if direction is None else 2
    word = tokens[taken - 1].text if len(tokens) >= taken else ""
    if reading.names_a_day or word not in WEEKDAYS:
        return 0
    reading.weekday = WEEKDAYS[word], direction or 0
    return taken


def _step_phrase(tokens: Sequence[_Token], reading: _Reading) -> int:
    """`next month`, `this week`"""
    if len(tokens) < 2 or tokens[0].text not in _DIRECTIONS or tokens[1].text not in _UNITS:
        return 0
    direction = _DIRECTIONS[tokens[0].text]
    if tokens[1].text == "week" and reading.week is None:
        reading.week = direction
    else:
        unit, size = _UNITS[tokens[1].text]
        reading.amounts[unit] += direction * size
    return 2


def _amount_phrase(tokens: Sequence[_Token], reading: _Reading) -> int:
    """`+1 week 2 days`, `2 weeks ago`"""
    found: list[tuple[str, int]] = []
    taken = 0
    while len(tokens) >= taken + 2 and tokens[taken + 1].text in _UNITS:
        if not re.fullmatch(r"[+-]?\d+", tokens[taken].text):
            break
        unit, size = _UNITS[tokens[taken + 1].text]
        found.append((unit, int(tokens[taken].text) * size))
        taken += 2
    ago = bool(found) and len(tokens) > taken and tokens[taken].text == "ago"
    for unit, amount in found:
        reading.amounts[unit] += -amount if ago else amount
    return taken + ago


_PHRASES: tuple[Callable[[Sequence[_Token], _Reading], int], ...] = (
    _clock_phrase,
    _day_phrase,
    _ordinal_phrase,
    _weekday_phrase,
    _step_phrase,
    _amount_phrase,
)


def _wall_time(reading: _Reading) -> datetime:
    """The named day, then months and days, then the weekday, then the time: the order of the reference."""
    wall = reading.now if reading.day is None else reading.day
    amounts = reading.amounts
    if amounts["months"]:
        wall = months_later(wall, amounts["months"])
    days = amounts["days"]
    if reading.week is not None and (reading.weekday is None or reading.weekday[1] != 0):
        days += 7 * reading.week
    if days:
        wall += timedelta(days=days)
    if reading.weekday is not None:
        wall = _on_weekday(_midnight(wall), *reading.weekday, reading.week)
    if amounts["weekdays"]:
        wall = _working_days_later(wall, amounts["weekdays"])
    return wall if reading.clock is None else _midnight(wall) + reading.clock


def _midnight(wall: datetime) -> datetime:
    return wall.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def _on_weekday(day: datetime, weekday: int, direction: int, week: int | None) -> datetime:
    if direction > 0:
        return day + timedelta(days=(weekday - day.weekday() - 1) % 7 + 1)
    if direction < 0:
        return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)
    if week is None:
        return day + timedelta(days=(weekday - day.weekday()) % 7)
    return day + timedelta(days=7 * week + weekday - day.weekday())


def _weekday_of_month(month: datetime, weekday: int, ordinal: int) -> datetime:
    if ordinal < 0:
        return _on_weekday(months_later(month, 1), weekday, -1, None)
    day = _on_weekday(month, weekday, 0, None) + timedelta(weeks=ordinal - 1)
    if day.month != month.month:
        raise ValueError("must name a day that exists; that month has only four of these weekdays")
    return day


def _working_days_later(day: datetime, count: int) -> datetime:
    """From a weekend, the first working day in that direction is the first one counted."""
    weekday = day.weekday()
    if weekday > 4:
        weekday = 4 if count > 0 else 5
    weeks, index = divmod(weekday + count, 5)
    return day + timedelta(days=7 * weeks + index - day.weekday())
