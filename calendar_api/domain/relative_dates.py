"""Relative dates in English: tomorrow 9am, next monday, +1 week 2 days (docs/interface.md#dates)."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

# A time of day: 9am, 9:30 pm, 14:00, 14:00:00.123, noon. A number alone is not a time.
CLOCK = (
    r"(?:(?=\d{1,2}(?::\d|\s*[ap]\.?m\b))"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?)?"
    r"(?:\s*(?P<half>[ap])\.?m\b\.?)?(?![\d:])"
    r"|(?P<named>noon|midnight)\b)"
)
WEEKDAYS = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6,
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
_DAYS = {"today": 0, "tomorrow": 1, "yesterday": -1}
_DIRECTIONS = {"next": 1, "this": 0, "last": -1, "previous": -1}
_UNITS = {
    "sec": ("seconds", 1), "second": ("seconds", 1), "min": ("seconds", 60), "minute": ("seconds", 60),
    "hour": ("seconds", 3600), "day": ("days", 1), "week": ("days", 7), "month": ("months", 1),
    "year": ("months", 12),
}  # fmt: skip

_END = "(?![a-z])"
_DIRECTION = rf"(?:{'|'.join(_DIRECTIONS)}){_END}"
_UNIT = rf"(?:{'|'.join(_UNITS)})s?{_END}"
_AMOUNT = rf"[+-]?\s*\d{{1,6}}(?!\d)\s*{_UNIT}"
_AMOUNTS = re.compile(rf"(?P<sign>[+-]?)\s*(?P<number>\d+)\s*(?P<unit>{_UNIT})")
_PHRASE = re.compile(
    rf"\s*(?:(?:at{_END}\s*)?(?P<clock>{CLOCK})"
    rf"|(?P<day>now|{'|'.join(_DAYS)}){_END}"
    rf"|(?P<edge>first|last)\s+day\s+of\s+(?P<month>{_DIRECTION})\s+months?{_END}"
    rf"|(?:(?P<which>{_DIRECTION})\s*)?(?P<weekday>{'|'.join(WEEKDAYS)}){_END}"
    rf"|(?P<direction>{_DIRECTION})\s*(?P<unit>{_UNIT})"
    rf"|(?P<amounts>{_AMOUNT}(?:\s*{_AMOUNT})*)\s*(?P<ago>ago{_END})?)"
)


@dataclass
class _Phrases:
    """The phrases read so far. At most one of them names a day, and one a time."""

    now: datetime
    day: re.Match[str] | None = None
    clock: timedelta | None = None
    week: int | None = None  # `last week` is -1
    months: int = 0
    days: int = 0
    seconds: int = 0

    def add(self, phrase: re.Match[str]) -> bool:
        """Return False for a second day or a second time."""
        if phrase["clock"]:
            repeated = self.clock is not None
            self.clock = time_of_day(phrase)
            return not repeated
        if phrase["amounts"]:
            for amount in _AMOUNTS.finditer(phrase["amounts"]):
                back = (amount["sign"] == "-") != bool(phrase["ago"])
                self._move(amount["unit"], -int(amount["number"]) if back else int(amount["number"]))
        elif phrase["direction"]:
            direction = _DIRECTIONS[phrase["direction"]]
            if phrase["unit"] == "week" and self.week is None:
                self.week = direction
            else:
                self._move(phrase["unit"], direction)
        elif self.day is None:
            self.day = phrase
        else:
            return False
        return True

    def _move(self, unit: str, count: int) -> None:
        name, size = _UNITS[unit if unit in _UNITS else unit.removesuffix("s")]
        setattr(self, name, getattr(self, name) + count * size)

    def wall_time(self) -> datetime:
        """Apply the day, then months and days, then the weekday, then the time, as the reference does."""
        weekday = WEEKDAYS[self.day["weekday"]] if self.day and self.day["weekday"] else None
        direction = _DIRECTIONS[self.day["which"] or "this"] if self.day else 0
        wall = self._day()
        if self.months:  # arithmetic would lose `fold`
            wall = months_later(wall, self.months)
        days = self.days
        if self.week is not None and (weekday is None or direction):
            days += 7 * self.week
        if days:
            wall += timedelta(days=days)
        if weekday is not None:
            wall = _on_weekday(_midnight(wall), weekday, direction, self.week)
        return wall if self.clock is None else _midnight(wall) + self.clock

    def _day(self) -> datetime:
        """Return the start of the named day; now if there is none, or a weekday."""
        today = _midnight(self.now)
        if self.day and self.day["edge"]:
            first = months_later(today.replace(day=1), _DIRECTIONS[self.day["month"]])
            return first if self.day["edge"] == "first" else months_later(first, 1) - timedelta(days=1)
        if self.day and self.day["day"] in _DAYS:
            return today + timedelta(days=_DAYS[self.day["day"]])
        return self.now


def relative(text: str, now: datetime) -> tuple[datetime, timedelta] | None:
    """Return the naive wall time that lower-case `text` means at the wall time `now`, and a duration.

    The duration is to be added to the instant: hours, minutes and seconds elapse, while days, weeks, months
    and years move the wall clock. Words for days mean 00:00 unless a time is given; amounts and `next month`
    keep the time of day. `next monday` is never today, plain `monday` may be; a weekday with `this week` or
    `next week` lies in that week, which begins on Monday. Each amount has its own sign, and `ago` inverts
    those directly before it. Returns None for any other text. Raises ValueError for a time that does not
    exist, OverflowError beyond the calendar.
    """
    phrases = _Phrases(now)
    position = 0
    while position < len(text) or not text:
        phrase = _PHRASE.match(text, position)
        if phrase is None or not phrases.add(phrase):
            return None
        position = phrase.end()
    return phrases.wall_time(), timedelta(seconds=phrases.seconds)


def time_of_day(match: re.Match[str]) -> timedelta:
    """Return the time since midnight that a match of CLOCK names, in whole seconds; 24:00:00 is a whole day.

    Raises ValueError for a time that does not exist.
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
    """Return `day` moved by months on the wall clock; 31 January + 1 month is 3 March.

    Raises OverflowError beyond the calendar.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError("year out of range")
    return day.replace(year=year, month=month + 1, day=1) + timedelta(days=day.day - 1)


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
