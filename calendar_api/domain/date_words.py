"""Dates and times in words, for pages: `Sun 22 Nov 2026, 10:00–16:00`.

Names and patterns are those of the Unicode CLDR, in `locale/dates.json`, with ordinary spaces, and with an
ordinal number for the first of a month in French; English is that of Ireland, which writes the day first. A
language is one of `translation.LANGUAGES`, else KeyError.
"""

import datetime
import json
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypedDict

from calendar_api.domain.translation import DEFAULT

Width = Literal["wide", "abbreviated"]


class _DateWords(TypedDict):
    """`months` and `weekdays` are lists by width, from January and from Monday.

    `clock` and `times` are patterns of the 24-hour clock; `first_day` is the number of the first of a month.
    """

    months: dict[str, list[str]]
    weekdays: dict[str, list[str]]
    patterns: dict[str, str]
    clock: str
    times: str
    first_day: str
    am_pm: list[str]


def full_day(date: datetime.date, language: str) -> str:
    """Return `Sunday 22 November 2026`."""
    return _day(date, language, "full_day", "wide")


def short_day(date: datetime.date, language: str) -> str:
    """Return `Sun 22 Nov 2026`."""
    return _day(date, language, "short_day", "abbreviated")


def month(year: int, month: int, language: str) -> str:
    """Return `November 2026`; months are 1 to 12."""
    return _words(language)["patterns"]["month"].format(month=month_name(month, language), year=year)


def month_name(month: int, language: str, width: Width = "wide") -> str:
    """Return `November`, or `Nov`; months are 1 to 12."""
    return _words(language)["months"][width][month - 1]


def weekday(number: int, language: str, width: Width = "wide") -> str:
    """Return the name of a weekday on its own, as in the head of a table; 0 is Monday."""
    return _words(language)["weekdays"]["wide" if width == "wide" else "stand_alone"][number]


def time(text: str, clock: str, language: str = DEFAULT) -> str:
    """Return `20:00`, or `8:00 pm` if `clock` is "12"; `text` is wall time, `YYYY-MM-DD HH:MM:SS`."""
    words = _words(language)
    hour, minute = int(text[11:13]), int(text[14:16])
    if clock == "12":
        return f"{(hour - 1) % 12 + 1}:{minute:02} {words['am_pm'][hour // 12]}"
    return words["clock"].format(hour=hour, minute=minute)


def times(start: str, end: str, clock: str, language: str) -> str:
    """Return `10:00–16:00`, or `10:00` if both are the same minute; in German with `Uhr`."""
    from_, to = (time(text, clock, language) for text in (start, end))
    dash = " – " if clock == "12" else "–"
    shown = from_ if from_ == to else f"{from_}{dash}{to}"
    return shown if clock == "12" else _words(language)["times"].format(times=shown)


def span(start: str, end: str, all_day: bool, language: str, clock: str) -> str:
    """Return the time from `start` to `end` in one line; both are wall time, `YYYY-MM-DD HH:MM:SS`.

    An end at the same minute is left out. An all-day event ends in the last second of its last day.
    """
    first, last = (datetime.date.fromisoformat(text[:10]) for text in (start, end))
    to = short_day(last, language)
    if first == last:
        return to if all_day else f"{to}, {times(start, end, clock, language)}"
    pattern = "short_day"
    if first.year == last.year:
        pattern = "day_in_month" if all_day and first.month == last.month else "day_in_year"
    from_ = _day(first, language, pattern, "abbreviated")
    if all_day:
        return f"{from_} – {to}"
    return f"{from_}, {times(start, start, clock, language)} – {to}, {times(end, end, clock, language)}"


def _day(date: datetime.date, language: str, pattern: str, width: Width) -> str:
    words = _words(language)
    return words["patterns"][pattern].format(
        weekday=words["weekdays"][width][date.weekday()],
        day=words["first_day"] if date.day == 1 else date.day,
        month=words["months"][width][date.month - 1],
        year=date.year,
    )


@lru_cache
def _words(language: str) -> _DateWords:
    text = (Path(__file__).parent / "locale" / "dates.json").read_text("utf-8")
    found: dict[str, _DateWords] = json.loads(text)
    return found[language]
