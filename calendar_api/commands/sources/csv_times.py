"""Dates and times of CSV files, as people and spreadsheets write them in our languages."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, get_args

from calendar_api.domain import date_words, dates
from calendar_api.domain.translation import LANGUAGES

_NOW = datetime(2000, 1, 1, tzinfo=UTC)  # dates without a year are refused, so it never counts
_NUMERIC = re.compile(r"\s*(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?!\d)")

_CLOCK = re.compile(
    r"(?:ore\s+)?(\d{1,2})\s*(?:[.:hu]\s*(\d\d)\s*(?:uhr|uur|h)?|uhr|uur|[hu])", re.IGNORECASE
)

#: A day, after its weekday or without, and the name of its month: `6. Juli 2031`, `lundi 1er mars 2031`.
_IN_WORDS = re.compile(
    r"(?:([^\W\d]+)\.?,?\s+)?(\d{1,2})(?:\.|er|º)?[\s-]*(?:de\s+)?([^\W\d]+)\.?[\s-]*(?:del?\s+)?(\d{4})(?!\d)",
    re.IGNORECASE,
)
_FORMS = (
    "must be a date such as 2031-01-31, 31.1.2031, 31 January 2031 or 31. Januar 2031 (names in "
    f"{', '.join(LANGUAGES)}), maybe with a time such as 18:30"
)


def key(label: str) -> str:
    return "".join(filter(str.isalnum, label.casefold()))


#: English names of months and weekdays by the key of each name.
_MONTHS, _WEEKDAYS = (
    {
        key(name(number, language, width)): name(number, "en")
        for language in LANGUAGES
        for width in get_args(date_words.Width)
        for number in numbers
    }
    for name, numbers in ((date_words.month_name, range(1, 13)), (date_words.weekday, range(7)))
)


class InvalidCell(ValueError):
    """A value that cannot be read; `field` names its column, `remedy` says how the file can be."""

    def __init__(self, field: str, reason: str, value: str = "", remedy: str = "") -> None:
        super().__init__(reason)
        self.field, self.value, self.remedy = field, value, remedy


def times(values: dict[str, Any], zone: tzinfo, day_first: bool | None) -> dict[str, Any]:
    """Start and end. Without any time of day the event lasts all day, without an end it has no length.

    `day_first` says how to read 03/04/2031; None: refuse it. Raises InvalidCell.
    """
    clock, end_clock = (str(values.get(name, "")).strip() for name in ("start_time", "end_time"))
    day, end_day = (_day(values, name, day_first) for name in ("start_day", "end_day"))
    if not day:
        raise InvalidCell("start_day", "is missing")
    start = end = _moment("start", day, clock, zone)
    if end_day or end_clock:
        if end_day and clock and not end_clock and dates.is_day(end_day, zone, _NOW):
            end_clock = clock
        end = _moment("end", end_day or dates.text(start)[:10], end_clock, zone)
        if not end_day and end < start:
            end += timedelta(days=1)  # it ends after midnight
    timed = clock or end_clock or not dates.is_day(day, zone, _NOW)
    found = {"start_date": dates.text(start), "end_date": dates.text(end)}
    return found if timed or "all_day" in values else found | {"all_day": True}


def _day(values: dict[str, Any], field: str, day_first: bool | None) -> str:
    """A date with the year first if it is written in numbers, else with English names."""
    cell = str(values.get(field, "")).strip()
    match = _NUMERIC.match(cell)
    if cell and not re.search(r"\d{4}", cell):
        raise InvalidCell(field, "must be a date with a year of four digits, such as 2031-01-31", cell)
    if match is None:
        return _in_english(cell)
    first, second = int(match[1]), int(match[3])
    if max(first, second) > 12:
        day_first = first > 12
    if day_first is None and first != second:
        reason = "can be two days, as can other dates of the file"
        raise InvalidCell(field, reason, cell, "Say --dates dmy or --dates mdy.")
    day, month = (first, second) if day_first else (second, first)
    return f"{match[4]}-{month:02}-{day:02}{cell[match.end() :]}"


def _in_english(cell: str) -> str:
    """Replace the names in a date of another language; other cells stay as they are."""
    match = _IN_WORDS.match(cell)
    month = _MONTHS.get(key(match[3])) if match else None
    if match is None or month is None:
        return cell
    weekday = match[1] or ""
    weekday = _WEEKDAYS.get(key(weekday), weekday)
    return f"{weekday} {match[2]} {month} {match[4]}{cell[match.end() :]}".strip()


def _moment(bound: str, day: str, clock: str, zone: tzinfo) -> datetime:
    match = _CLOCK.fullmatch(clock)
    value = f"{day} {match[1]}:{match[2] or '00'}" if match else f"{day} {clock}".strip()
    try:
        return dates.parse(value, zone, _NOW)
    except ValueError as error:
        if clock and dates.is_day(day, zone, _NOW):
            raise InvalidCell(f"{bound}_time", "must be a time, such as 18:30", clock) from None
        reason = _FORMS if str(error) == dates.UNREADABLE else str(error)
        raise InvalidCell(f"{bound}_day", reason, value) from None
