"""Relative dates, as `dates.parse` reads them (docs/interface.md#dates)."""

from datetime import UTC, datetime, timedelta

import pytest
from dateutil.relativedelta import relativedelta
from dateutil.relativedelta import weekday as on_weekday
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.domain import dates, time_zones

FRIDAY = "2031-01-31 14:20:30"
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
NOWS = st.datetimes(datetime(1700, 1, 1), datetime(2300, 1, 1)).map(lambda now: now.replace(microsecond=0))
AMOUNTS = st.integers(-9999, 9999)
LENGTHS = {unit: timedelta(**{unit: 1}) for unit in ("days", "weeks", "hours", "minutes", "seconds")}


def wall(value: str, now: str = FRIDAY, zone: str = "UTC") -> str:
    """What `value` means when clocks in `zone` show `now`."""
    place = time_zones.named(zone)
    return dates.text(dates.parse(value, place, dates.from_text(now).replace(tzinfo=place)))


def read(value: str, now: datetime) -> datetime:
    return dates.parse(value, UTC, now.replace(tzinfo=UTC)).replace(tzinfo=None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("now", "2031-01-31 14:20:30"),
        ("today", "2031-01-31 00:00:00"),
        ("midnight", "2031-01-31 00:00:00"),
        ("noon", "2031-01-31 12:00:00"),
        ("tomorrow", "2031-02-01 00:00:00"),
        (" Tomorrow ", "2031-02-01 00:00:00"),
        ("yesterday", "2031-01-30 00:00:00"),
        ("10:00", "2031-01-31 10:00:00"),
        ("9am", "2031-01-31 09:00:00"),
        ("tomorrow 9:30 pm", "2031-02-01 21:30:00"),
        ("tomorrow 9:30:15 p.m.", "2031-02-01 21:30:15"),
        ("tomorrow 24:00", "2031-02-02 00:00:00"),
        ("noon tomorrow", "2031-02-01 12:00:00"),
        ("tomorrow at noon", "2031-02-01 12:00:00"),
        ("now 12am", "2031-01-31 00:00:00"),
        # amounts and steps
        ("+1 week", "2031-02-07 14:20:30"),
        ("- 2 days", "2031-01-29 14:20:30"),
        (" 10 days", "2031-02-10 14:20:30"),
        ("+1week", "2031-02-07 14:20:30"),
        ("-2 weeks ago", "2031-02-14 14:20:30"),
        ("1 week 2 days ago", "2031-01-22 14:20:30"),
        ("-1 week 2 days", "2031-01-26 14:20:30"),
        ("+1 month -1 day", "2031-03-02 14:20:30"),
        ("+90 min", "2031-01-31 15:50:30"),
        ("30 seconds ago", "2031-01-31 14:20:00"),
        ("tomorrow +2 hours", "2031-02-01 02:00:00"),
        ("+1 week 9am", "2031-02-07 09:00:00"),
        ("next week", "2031-02-07 14:20:30"),
        ("next month", "2031-03-03 14:20:30"),
        ("previous day 8am", "2031-01-30 08:00:00"),
        ("next week next week", "2031-02-14 14:20:30"),
        # weekdays and days of months
        ("next wednesday 4pm", "2031-02-05 16:00:00"),
        ("previous monday", "2031-01-27 00:00:00"),
        ("friday 24:00", "2031-02-01 00:00:00"),
        ("next monday next week", "2031-02-10 00:00:00"),
        ("last day of next month 23:59:59", "2031-02-28 23:59:59"),
        ("first day of next month +1 week", "2031-02-08 00:00:00"),
    ],
)
def test_words_on_a_friday(value: str, expected: str) -> None:
    assert wall(value) == expected


@pytest.mark.parametrize(
    ("now", "value", "expected"),
    [
        ("2028-02-29 12:00:00", "+1 year", "2029-03-01 12:00:00"),
        ("2028-02-29 12:00:00", "-4 years", "2024-02-29 12:00:00"),
        ("2028-02-28 12:00:00", "tomorrow", "2028-02-29 00:00:00"),
        ("2027-12-31 23:59:59", "tomorrow", "2028-01-01 00:00:00"),
        ("2027-12-31 23:59:59", "next month", "2028-01-31 23:59:59"),
        ("2028-01-01 00:00:00", "yesterday", "2027-12-31 00:00:00"),
        ("9999-12-30 12:00:00", "this week", "9999-12-30 12:00:00"),
    ],
)
def test_leap_days_and_year_ends(now: str, value: str, expected: str) -> None:
    assert wall(value, now) == expected


@pytest.mark.parametrize(
    ("now", "value", "expected"),
    [
        ("2031-03-29 02:30:00", "+1 day", "2031-03-30 03:30:00"),
        ("2031-03-29 02:30:00", "+24 hours", "2031-03-30 03:30:00"),
        ("2031-03-29 12:00:00", "+24 hours", "2031-03-30 13:00:00"),
        ("2031-03-29 12:00:00", "tomorrow 2:30", "2031-03-30 03:30:00"),
        ("2031-03-30 01:59:59", "+1 second", "2031-03-30 03:00:00"),
        ("2031-10-26 01:30:00", "+2 hours", "2031-10-26 02:30:00"),
        ("2031-10-26 01:30:00", "+3 hours", "2031-10-26 03:30:00"),
        ("2031-10-25 12:00:00", "+1 day", "2031-10-26 12:00:00"),
    ],
)
def test_clock_changes(now: str, value: str, expected: str) -> None:
    assert wall(value, now, "Europe/Berlin") == expected


def test_now_in_an_hour_that_occurs_twice() -> None:
    berlin, now = time_zones.named("Europe/Berlin"), datetime(2031, 10, 26, 1, 30, tzinfo=UTC)

    moments = [
        dates.parse(value, berlin, now).astimezone(UTC) for value in ("now", "+1 hour", "this week", "2:30")
    ]

    assert moments == [now, now + timedelta(hours=1), now, now - timedelta(hours=1)]


@pytest.mark.parametrize(
    "value",
    [
        *("at", "at tomorrow", "tomorrow at", "tomorrow tomorrow", "now today", "tomorrow monday"),
        *("monday tuesday", "9am 10am", "tomorrow 25:00", "tomorrow 13pm", "tomorrow 0am", "tomorrow 9:60"),
        *("tomorrow 9", "24:01", "next", "last", "this", "next next week", "next tomorrow", "ago"),
        *("tomorrow ago", "2 weeks ago ago", "+1", "+ week", "week", "1 1 week", "++1 week", "--1 day"),
        *("+1.5 days", "1e3 days", "+1234567 days", "first", "first monday", "first monday of"),
        *("first day of", "third day of next month", "first of march", "first monday of next"),
        *("first monday of next month", "first day of next month tomorrow", "1 fortnight", "+3 weekdays"),
        *("+999999 years", "-999999 years", "+999999 months", "-999999 weeks"),
        *("999999 weeks 999999 weeks", "last day of march 2031"),
        *("next week Mars/Phobos", "tomorrow\x00", "mond", "+1 week," * 12, "tomorrow; now"),
        *("next\u00a0week", "½ day", "twelve days", "easter"),
    ],
)
def test_what_is_no_relative_date(value: str) -> None:
    with pytest.raises(ValueError, match=r"^must "):
        wall(value)


@given(NOWS, AMOUNTS, st.sampled_from(list(LENGTHS)))
def test_amounts_of_fixed_length(now: datetime, amount: int, unit: str) -> None:
    assert read(f"{amount:+} {unit}", now) == now + amount * LENGTHS[unit]


@given(NOWS, st.integers(-5000, 5000))
def test_months_run_on_when_the_day_is_missing(now: datetime, amount: int) -> None:
    first = now.replace(day=1) + relativedelta(months=amount)

    assert read(f"{amount} months", now) == first + timedelta(days=now.day - 1)


@given(NOWS, st.sampled_from([("last", -1), ("this", 0), ("next", 1)]))
def test_first_and_last_day_of_a_month(now: datetime, month: tuple[str, int]) -> None:
    first = now.replace(day=1, hour=0, minute=0, second=0) + relativedelta(months=month[1])

    found = [read(f"{which} day of {month[0]} month", now) for which in ("first", "last")]

    assert found == [first, first + relativedelta(day=31)]


@given(NOWS, st.integers(0, 6))
def test_weekday_after_on_and_before(now: datetime, index: int) -> None:
    today = now.replace(hour=0, minute=0, second=0)
    after, before = (
        relativedelta(days=1, weekday=on_weekday(index, 1)),
        relativedelta(days=-1, weekday=on_weekday(index, -1)),
    )

    found = [read(f"{which} {WEEKDAYS[index]}".strip(), now) for which in ("next", "", "this", "last")]

    plain = today + relativedelta(weekday=on_weekday(index, 1))
    assert found == [today + after, plain, plain, today + before]


@given(NOWS, st.integers(0, 6), st.sampled_from([("last", -1), ("this", 0), ("next", 1)]))
def test_weekday_of_a_week(now: datetime, index: int, week: tuple[str, int]) -> None:
    monday = now.replace(hour=0, minute=0, second=0) - timedelta(days=now.weekday())

    assert read(f"{WEEKDAYS[index]} {week[0]} week", now) == monday + timedelta(days=index, weeks=week[1])


@given(
    st.lists(
        st.sampled_from(
            [*WEEKDAYS, "march", "first", "last", "next", "this", "day", "of", "month", "week", "at", "ago"]
        )
        | st.sampled_from(
            ["now", "tomorrow", "noon", "9am", "10:00", "+1", "-999999", "2031", "days", "years"]
        ),
        max_size=10,
    ).map(" ".join),
    st.sampled_from([FRIDAY, "2028-02-29 12:00:00", "9999-12-30 23:59:59", "1000-01-02 00:00:00"]),
)
def test_any_words_are_a_moment_or_a_value_error(value: str, now: str) -> None:
    try:
        found = dates.from_text(wall(value, now, "Europe/Berlin"))
    except ValueError:
        return

    assert dates.EARLIEST <= found <= dates.LATEST
