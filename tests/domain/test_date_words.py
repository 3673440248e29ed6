"""Words of dates are those of the Unicode CLDR, as Babel has them; patterns too, but for narrow spaces."""

import datetime
import re

import babel.dates
import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.domain import date_words
from calendar_api.domain.date_words import span
from calendar_api.domain.translation import LANGUAGES

CLDR = {language: Locale.parse("en_IE" if language == "en" else language) for language in LANGUAGES}

days = st.dates(min_value=datetime.date(1000, 1, 2), max_value=datetime.date(9999, 12, 30))
languages = st.sampled_from(LANGUAGES)


def plain(text: str) -> str:
    return re.sub("[\u2009\u202f\xa0]", " ", text)


def cldr(moment: datetime.date | datetime.time, skeleton: str, language: str) -> str:
    pattern = CLDR[language].datetime_skeletons[skeleton]
    return first_in_french(plain(str(pattern.apply(moment, CLDR[language]))), language)


def first_in_french(text: str, language: str) -> str:
    """In French the first of a month is an ordinal, which CLDR leaves out."""
    return re.sub(r"\b1 ", "1er ", text) if language == "fr" else text


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_those_of_cldr(language: str) -> None:
    months, weekdays = CLDR[language].months, CLDR[language].days["stand-alone"]
    for width in ("wide", "abbreviated"):
        assert [date_words.month_name(number, language, width) for number in range(1, 13)] == [
            months["format"][width][number] for number in range(1, 13)
        ]
        assert [date_words.weekday(number, language, width) for number in range(7)] == [
            weekdays[width][number] for number in range(7)
        ]


@given(day=days, language=languages)
def test_days_and_months_are_written_as_in_cldr(day: datetime.date, language: str) -> None:
    full = babel.dates.format_date(day, "full", CLDR[language])
    assert date_words.full_day(day, language) == first_in_french(full, language)
    assert date_words.short_day(day, language) == cldr(day, "yMMMEd", language)
    assert date_words.month(day.year, day.month, language) == cldr(day, "yMMMM", language)


@given(first=days, last=days, language=languages)
def test_all_day_spans_are_written_as_in_cldr(
    first: datetime.date, last: datetime.date, language: str
) -> None:
    first, last = sorted((first, last))
    for end in (last, min(last, first.replace(month=12, day=31)), min(last, first.replace(day=28)), first):
        last_second = f"{max(first, end)} 23:59:59"
        expected = babel.dates.format_interval(first, max(first, end), "yMMMEd", locale=CLDR[language])

        shown = span(f"{first} 00:00:00", last_second, True, language, "24")
        assert shown == first_in_french(plain(expected), language)


@given(moment=st.times(), language=languages)
def test_times_are_written_as_in_cldr(moment: datetime.time, language: str) -> None:
    text = f"2026-11-22 {moment.isoformat('seconds')}"

    assert date_words.time(text, "24", language) == cldr(moment, "Hm", language)
    assert date_words.time(text, "12", language) == cldr(moment, "hm", language)
    later = moment.replace(minute=(moment.minute + 1) % 60)
    interval = plain(babel.dates.format_interval(moment, later, "Hm", locale=CLDR[language]))
    shown = date_words.times(text, f"2026-11-22 {later.isoformat('seconds')}", "24", language)
    assert shown == interval.replace(" – ", "–")


TEN, SIXTEEN, MONDAY = "2026-11-22 10:00:00", "2026-11-22 16:00:00", "2026-11-23 16:00:00"


@pytest.mark.parametrize(
    ("start", "end", "language", "clock", "expected"),
    [
        (TEN, SIXTEEN, "en", "24", "Sun 22 Nov 2026, 10:00–16:00"),
        (TEN, SIXTEEN, "en", "12", "Sun 22 Nov 2026, 10:00 am – 4:00 pm"),
        (TEN, MONDAY, "en", "24", "Sun 22 Nov, 10:00 – Mon 23 Nov 2026, 16:00"),
        (TEN, TEN, "en", "24", "Sun 22 Nov 2026, 10:00"),
        (TEN, SIXTEEN, "de", "24", "So., 22. Nov. 2026, 10:00–16:00 Uhr"),
        (TEN, MONDAY, "de", "24", "So., 22. Nov., 10:00 Uhr – Mo., 23. Nov. 2026, 16:00 Uhr"),
        (TEN, TEN, "de", "24", "So., 22. Nov. 2026, 10:00 Uhr"),
        ("2026-11-22 09:00:00", SIXTEEN, "es", "24", "dom, 22 nov 2026, 9:00–16:00"),
        ("2026-11-22 00:00:00", "2026-11-22 12:30:00", "nl", "12", "zo 22 nov 2026, 12:00 a.m. – 12:30 p.m."),
    ],
)
def test_span_with_times(start: str, end: str, language: str, clock: str, expected: str) -> None:
    assert span(start, end, False, language, clock) == expected


def test_all_day_span() -> None:
    start = "2026-11-22 00:00:00"
    assert span(start, "2026-11-22 23:59:59", True, "en", "24") == "Sun 22 Nov 2026"
    assert span(start, "2026-11-24 23:59:59", True, "en", "24") == "Sun 22 – Tue 24 Nov 2026"
