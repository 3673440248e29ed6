"""Reading dates, the stored text form, and wall clocks in time zones."""

from datetime import UTC, datetime, timedelta, tzinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.domain import dates, time_zones

BERLIN = time_zones.named("Europe/Berlin")
NOW = datetime(2031, 1, 31, 14, 20, 30, 5, tzinfo=UTC)

# zone, a wall time in a gap, what clocks show for it, an ambiguous wall time, its first reading in UTC
CHANGES = [
    ("Europe/Berlin", "2031-03-30 02:30", "2031-03-30 03:30", "2031-10-26 02:30", "2031-10-26 00:30"),
    ("America/New_York", "2031-03-09 02:30", "2031-03-09 03:30", "2031-11-02 01:30", "2031-11-02 05:30"),
    ("America/St_Johns", "2010-03-14 00:30", "2010-03-14 01:30", "2010-11-06 23:30", "2010-11-07 02:00"),
    ("America/Toronto", "1919-03-30 23:45", "1919-03-31 00:45", "1919-10-25 23:30", "1919-10-26 03:30"),
    ("America/Sao_Paulo", "2018-11-04 00:30", "2018-11-04 01:30", "2018-02-17 23:30", "2018-02-18 01:30"),
    ("Australia/Sydney", "2031-10-05 02:30", "2031-10-05 03:30", "2031-04-06 02:30", "2031-04-05 15:30"),
    ("Australia/Lord_Howe", "2031-10-05 02:15", "2031-10-05 02:45", "2031-04-06 01:45", "2031-04-05 14:45"),
    ("Pacific/Apia", "2011-12-30 10:00", "2011-12-31 10:00", "2012-04-01 03:30", "2012-03-31 13:30"),
]
SOME_ZONES = st.sampled_from([change[0] for change in CHANGES] + ["UTC", "UTC-12", "UTC+14", "Asia/Kolkata"])
MOMENTS = st.datetimes(dates.EARLIEST, dates.LATEST).map(lambda moment: moment.replace(microsecond=0))


def move_out_of_gap(local: datetime, zone: tzinfo) -> datetime:
    return dates.to_local(dates.to_utc(local, zone), zone)


def wall(value: str | int, zone: str = "Europe/Berlin", now: datetime = NOW) -> str:
    return dates.text(dates.parse(value, time_zones.named(zone), now))


def test_text_pads_the_year_and_drops_zone_and_microseconds() -> None:
    moment = datetime(31, 2, 3, 4, 5, 6, 789, tzinfo=UTC)

    written = dates.text(moment)

    assert written == "0031-02-03 04:05:06"


@pytest.mark.parametrize(
    "value",
    [
        *("", "2031-01-31", "2031-01-31T10:00:00", "2031-01-31 10:00", "2031-01-31 10:00:00Z", "\ud800"),
        *("now", "2031-01-31 10:00:00.1", "2031-01-31 10:00:00+01:00", "2031-02-30 10:00:00"),
        *("2031-1-31 10:00:00", "0000-00-00 00:00:00", "2031-01-31 24:00:00"),
        *(" 2031-01-31 10:00:00", "2031-01-31\ud80010:00:00"),
    ],
)
def test_from_text_of_another_form(value: str) -> None:
    with pytest.raises(ValueError, match=r"^must look like 2031-01-31 10:00:00$"):
        dates.from_text(value)


@pytest.mark.parametrize(
    "value",
    [
        *(20310110, "20310110", " 20310110\n", "2031-01-10", "2031-1-10", "2031/01/10", "2031-W02-5"),
        *("2031W025", "01/10/2031", "1/10/2031", "10.01.2031", "10-01-2031", "10-Jan-2031"),
        *("10 january 2031", "2031 Jan 10", "January 10 2031", "January 10, 2031", "10th of January, 2031"),
        *("Fri, 10 Jan 2031", "2031-01-10 12 am", "2031-01-09 24:00", "20310109T240000"),
        *("2031-01-10 midnight", "@1925766000", "1925766000", 1925766000, "@1925766000", "1925766000"),
    ],
)
def test_parse_of_a_day(value: str | int) -> None:
    assert wall(value) == "2031-01-10 00:00:00"


@pytest.mark.parametrize(
    "value",
    [
        *("2031-01-10T10:00", "2031-01-10t10:00:00", "2031-01-10T10", "20310110T100000", "20310110T1000"),
        *("2031-01-10 10:00:00.999999999", "2031-01-10 10:00:00," + "9" * 50, "2031-01-10T100000.5"),
        *("2031-01-10 10am", "2031-01-10 10 a.m.", "01/10/2031 10:00 AM", "10 Jan 2031 10:00"),
        *("10.01.2031 10:00", "2031-01-10T09:00:00Z", "20310110T0900Z", "2031-01-10T14:00:00+05:00"),
        *("2031-01-10T05:30-0330", "2031-01-10T11+02", "2031-01-10 01:00:00 PST"),
        *("2031-01-10 04:00 America/New_York", "10 January 2031 04:00 america/new_york"),
        *("Fri, 10 Jan 2031 09:00:00 GMT", "2031-01-10 14:30UTC+5:30"),
    ],
)
def test_parse_of_a_day_and_a_time(value: str) -> None:
    assert wall(value) == "2031-01-10 10:00:00"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (-999999999, "1938-04-24 23:13:21"),
        ("@0", "1970-01-01 01:00:00"),
        ("@-5", "1970-01-01 00:59:55"),
        ("@20310110", "1970-08-24 02:41:50"),
        ("2031-01", "2031-01-01 00:00:00"),
        ("March 2031", "2031-03-01 00:00:00"),
        ("1/2/2031 9:05 pm", "2031-01-02 21:05:00"),
        ("2040-03-01 12:30pm", "2040-03-01 12:30:00"),
        ("2040-03-01 UTC+5:30", "2040-02-29 19:30:00"),
        ("2031-W02", "2031-01-06 00:00:00"),
        ("2026-W53-7", "2027-01-03 00:00:00"),
    ],
)
def test_parse_of_an_absolute_date(value: str | int, expected: str) -> None:
    assert wall(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        *("", " ", "abc", "null", "'", "0", "2031", "1234567", "123", "1.5", "1e9", "-1", "-20310110", "@"),
        *("@1.5", 0, -1, 7, 2031, -20310110, True, False, 10**12, -(10**12), 10**100, -(10**100), "9" * 40),
        *("9" * 101, "@" + "9" * 90, "20310110100000", "00000000", "20311301", "20310230", "2031-13-01"),
        *("2031-00-10", "2031-01-00", "2031-01-32", "2031-02-30", "2027-02-29", "2031-00", "13/01/2031"),
        *("00/01/2031", "2/30/2031", "01/10/31", "31.13.2031", "30.02.2031", "10.01-2031", "2031-W00"),
        *("2031-W53", "2031-W02-8", "2031-010", "2031-01-10-", "2031-01-10Z", "2031-01-10T"),
        *("2031-01-10 25:00", "2031-01-10 24:00:01", "2031-01-10 10:60", "2031-01-10 10:00:60"),
        *("2031-01-10 10:0", "2031-01-10 10", "2031-01-10 13pm", "2031-01-10 0am", "2031-01-10 10:00:00:00"),
        *("2031-01-10T25", "2031-01-10T1060", "2031-01-10T10:00+25:00", "2031-01-10T10:00 Mars/Phobos"),
        *("30 February 2031", "0 March 2031", "32 March 2031", "March 32, 2031", "March 5", "5 March"),
        *("March", "March 10 31", "10 March 2031 11", "10 11 March 2031", "Friday 2031", "Mon, 10 Jan 2031"),
        *("10h March 2031", "1 foo 2031", "a 2031", "10 March 2031 10:00 foo", "10 March 12031"),
        *("2031 2032 March", "0000-00-00 00:00:00", "0001-01-01", "-0001-01-01", "12000-01-01"),
        *("1000-01-01 23:59:59", "9999-12-31", "1000-01-02T00:00:00+14:00", "9999-12-30T23:59:59-12:00"),
        *("9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "2026-01-01\x00", "\ud800", "٢٠٢٦-01-01"),
        *("²031-01-01", "2031-01-10\n10", "2031-01-10 " + "1" * 200, " " * 101, "[]", "{}"),
        *("2031-01-10;drop", "--", "+", "1/1/1/1"),
        "2031-01-10Tnoo",
        pytest.param(10**5000, id="too long to print"),
    ],
)
def test_parse_of_what_is_no_date(value: str | int) -> None:
    with pytest.raises(ValueError, match=r"^must "):
        dates.parse(value, BERLIN, NOW)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2031-02-29", "2031-03-01 00:00:00"),
        ("2028-02-29", "2028-02-29 00:00:00"),
        ("2031-02-31", "2031-03-03 00:00:00"),
        ("2031-02-30 10:00:00", "2031-03-02 10:00:00"),
        ("2031-02-30T23:00:00-05:00", "2031-03-03 05:00:00"),
        ("2/30/2031", "2031-03-02 00:00:00"),
        ("30.02.2031", "2031-03-02 00:00:00"),
        ("30 February 2031 9am", "2031-03-02 09:00:00"),
        ("Feb 30th, 2031", "2031-03-02 00:00:00"),
        ("2031-01-00", "2030-12-31 00:00:00"),
    ],
)
def test_filter_date_rolls_over_to_the_next_month(value: str, expected: str) -> None:
    assert dates.text(dates.parse_filter(value, BERLIN, NOW)) == expected


@pytest.mark.parametrize(
    "value",
    [
        *("2031-13-01", "2031-00-10", "2031-01-32", "32 March 2031", "2031-W53", "0000-00-00", "abc", ""),
        *("2031-02-30 25:00", "2031-02-30x", "9999-12-31 25:00", "9999-12-31 Mars/Phobos", "12000-01-01"),
        *("-0001-01-01", "99999999999999999999999999999999999999x", "1" * 101),
    ],
)
def test_filter_date_that_is_no_date(value: str) -> None:
    with pytest.raises(ValueError, match=r"^must "):
        dates.parse_filter(value, BERLIN, NOW)


@pytest.mark.parametrize("zone", ["UTC-12", "UTC", "UTC+14", "Europe/Berlin"])
@pytest.mark.parametrize(
    ("value", "end"),
    [
        *((value, "first") for value in ("0001-01-01", "0001-01-01 00:00:00", "0000-12-31", "0999-12-31")),
        *((value, "first") for value in ("0001-01-01T00:00:00+14:00", "1.1.0001", "1 January 0999")),
        *(
            (value, "first")
            for value in ("-99999999999999", "@-" + "9" * 90, "-9000 years", "9000 years ago")
        ),
        *((value, "last") for value in ("9999-12-31", "9999-12-31 23:59:59", "9999-12-31 24:00")),
        *((value, "last") for value in ("9999-12-31T23:59:59-12:00", "9999-12-31 08:00", "31.12.9999 23:00")),
        *((value, "last") for value in ("99999999999999", "@" + "9" * 90, "+9000 years", "Dec 31 9999 11pm")),
    ],
)
def test_filter_date_beyond_the_calendar_is_its_end(value: str, end: str, zone: str) -> None:
    place = time_zones.named(zone)

    read = dates.parse_filter(value, place, NOW)

    expected = dates.EARLIEST if end == "first" else dates.LATEST
    assert (read, read.tzinfo) == (expected.replace(tzinfo=UTC), place)
    assert dates.day_start(read) <= read <= dates.day_end(read)


@pytest.mark.parametrize("name", ["UTC-12", "UTC+14", "America/New_York"])
def test_parse_at_the_limits_in_wall_time(name: str) -> None:
    for end in (dates.text(dates.EARLIEST), dates.text(dates.LATEST)):
        assert wall(end, name) == end
    for beyond in (dates.EARLIEST - timedelta(seconds=1), dates.LATEST + timedelta(seconds=1)):
        with pytest.raises(ValueError, match="between 1000-01-02 and 9999-12-30"):
            wall(dates.text(beyond), name)


@pytest.mark.parametrize(("zone", "gap", "shown", "twice", "first"), CHANGES)
def test_clock_changes(zone: str, gap: str, shown: str, twice: str, first: str) -> None:
    place = time_zones.named(zone)
    in_gap, after_gap, ambiguous, utc = (
        datetime.fromisoformat(value) for value in (gap, shown, twice, first)
    )

    assert move_out_of_gap(in_gap, place) == after_gap
    assert dates.to_utc(in_gap, place) == dates.to_utc(after_gap, place)
    assert dates.to_utc(ambiguous, place) == utc
    assert dates.to_local(utc, place) == ambiguous
    assert dates.parse(gap, place, NOW).replace(tzinfo=None) == after_gap
    assert dates.parse(twice, place, NOW).astimezone(UTC).replace(tzinfo=None) == utc


@pytest.mark.parametrize(
    ("zone", "moment", "start", "end"),
    [
        ("Europe/Berlin", "2031-03-30 12:00", "2031-03-29T23:00:00", "2031-03-30T21:59:59"),
        ("Europe/Berlin", "2031-10-26 12:00", "2031-10-25T22:00:00", "2031-10-26T22:59:59"),
        ("America/Sao_Paulo", "2018-11-04 12:00", "2018-11-04T03:00:00", "2018-11-05T01:59:59"),
        ("America/Toronto", "1919-03-30 12:00", "1919-03-30T05:00:00", "1919-03-31T04:29:59"),
        ("Pacific/Apia", "2011-12-30 12:00", "2011-12-30T10:00:00", "2011-12-31T09:59:59"),
        ("UTC-12", "9999-12-30 12:00", "9999-12-30T12:00:00", "9999-12-31T11:59:59"),
        ("UTC+14", "1000-01-02 12:00", "1000-01-01T10:00:00", "1000-01-02T09:59:59"),
    ],
)
def test_day_start_and_end(zone: str, moment: str, start: str, end: str) -> None:
    day = datetime.fromisoformat(moment).replace(tzinfo=time_zones.named(zone))

    edges = [edge.astimezone(UTC).replace(tzinfo=None) for edge in (dates.day_start(day), dates.day_end(day))]

    assert edges == [datetime.fromisoformat(start), datetime.fromisoformat(end)]


@given(
    st.text(st.characters(), max_size=110)
    | st.text("0123456789-/.:+@tzw apm", max_size=30)
    | st.lists(
        st.sampled_from(["10", "2031", "march", "feb", "fri", "10:00", "am", "z", "h", "of", "-", ","])
    ).map(" ".join)
    | st.integers()
)
def test_parse_of_anything_is_a_moment_or_a_value_error(value: str | int) -> None:
    try:
        moment = dates.parse(value, BERLIN, NOW)
    except ValueError:
        return

    assert (moment.tzinfo, moment.microsecond) == (BERLIN, 0)
    assert dates.EARLIEST <= moment.replace(tzinfo=None) <= dates.LATEST


@given(
    st.integers(1, 9999), st.integers(1, 12), st.integers(0, 31),
    st.sampled_from(["", " 00:00:00", " 23:59:59", "T12:00-12:00", "T12:00+14:00"]), SOME_ZONES,
)  # fmt: skip
def test_parse_filter_reads_every_day_of_every_month(
    year: int, month: int, day: int, clock: str, zone: str
) -> None:
    place = time_zones.named(zone)

    read = dates.parse_filter(f"{year:04}-{month:02}-{day:02}{clock}", place, NOW)

    assert dates.EARLIEST <= read.astimezone(UTC).replace(tzinfo=None) <= dates.LATEST
    assert dates.text(dates.day_start(read)) <= dates.text(read) <= dates.text(dates.day_end(read))


@given(MOMENTS, SOME_ZONES)
def test_wall_time_through_utc_and_back(moment: datetime, zone: str) -> None:
    place = time_zones.named(zone)

    shown = dates.to_local(dates.to_utc(moment, place), place)

    assert shown == move_out_of_gap(moment, place) >= moment
    assert dates.to_local(dates.to_utc(shown, place), place) == shown
