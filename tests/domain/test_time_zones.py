"""Names of time zones, their offsets and abbreviations."""

from datetime import UTC, datetime, timedelta
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.domain import time_zones

WINTER = datetime(2040, 1, 5, 10)
SUMMER = datetime(2040, 7, 1, 22)
LISTED = resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()


@pytest.mark.parametrize(
    ("name", "hours", "shown"),
    [
        ("America/New_York", -5, "EST"),
        ("Europe/Berlin", 1, "CET"),
        ("europe/berlin", 1, "CET"),
        ("Asia/Kolkata", 5.5, "IST"),
        ("Etc/GMT-3", 3, "+03"),
        ("America/Argentina/Buenos_Aires", -3, "-03"),
        ("UTC", 0, "UTC"),
        ("utc", 0, "UTC"),
        ("Z", 0, "Z"),
        ("UTC+0", 0, "UTC+0"),
        ("UTC-3.5", -3.5, "UTC-3.5"),
        ("UTC+5.75", 5.75, "UTC+5.75"),
        ("UTC-4:30", -4.5, "UTC-4:30"),
        ("UTC+14:00", 14, "UTC+14:00"),
        ("+02:00", 2, "GMT+0200"),
        ("-0800", -8, "GMT-0800"),
        ("+2", 2, "GMT+0200"),
        ("+12:45", 12.75, "GMT+1245"),
        ("GMT+2", 2, "GMT+0200"),
        ("EST", -5, "EST"),
        ("pst", -8, "PST"),
        ("EDT", -4, "EDT"),
    ],
)
def test_zone_by_name(name: str, hours: float, shown: str) -> None:
    local = WINTER.replace(tzinfo=time_zones.named(name))

    assert local.utcoffset() == timedelta(hours=hours)
    assert local.tzname() == shown


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "UTC ", " UTC", "UTC/", "Europe/Rome\n", "Mars/Phobos", "5", "2", "0", "."),
        *("America", "Europe", "Etc", "posix", "right", "posix/UTC", "right/UTC"),
        *("localtime", "posixrules", "Factory", "factory", "tzdata.zi", "zones", "leapseconds"),
        *("UTC+25", "UTC+99", "UTC+15", "UTC+14:01", "UTC+14.05", "UTC-12:01", "UTC-13", "+1401", "-12:30"),
        *("UTCfoo", "UTC+", "UTC2", "UTC+2foo", "UTC+5.33", "UTC+5.555", "UTC+5:3", "UTC+5:60", "UTC+053"),
        *("+", "-", "+-2", "++2", "+2:", "+0260", "+02:000", "+020", "+02 00", "UTC++2"),
        *("../../etc/passwd", "/etc/passwd", "Europe/../Europe/Berlin", "Europe//Berlin", "Europe\\Berlin"),
        *("\x00", "UTC\x00", "Europe/Berlin\x00", "\ud800", "UTC+٢", "Asia/To\u212ayo", "ＵＴＣ"),
        *("a" * 300, "a" * 10_000, "UTC+" + "1" * 10_000, "Europe/" * 2_000),
    ],
)
def test_zone_unknown(name: str) -> None:
    with pytest.raises(ValueError, match=r"^must be "):
        time_zones.named(name)


def test_every_listed_zone_in_any_case() -> None:
    places = [name for name in LISTED if name != "Factory"]

    found = {name: time_zones.named(name.swapcase()).utcoffset(WINTER) for name in places}

    assert found == {name: time_zones.named(name).utcoffset(WINTER) for name in places}
    assert len(found) > 500


def test_abbreviation_follows_the_clock() -> None:
    twice = [datetime(2040, 10, 28, 2, 15, fold=fold) for fold in (0, 1)]
    berlin = time_zones.named("Europe/Berlin")

    assert [at.replace(tzinfo=berlin).tzname() for at in (SUMMER, *twice)] == ["CEST", "CEST", "CET"]
    assert [SUMMER.replace(tzinfo=time_zones.named(name)).tzname() for name in ("CET", "PST", "UTC+1")] == [
        "CEST",
        "PST",
        "UTC+1",
    ]


def test_zone_is_the_same_object_each_time() -> None:
    first = time_zones.named("Europe/Berlin")

    again = time_zones.named("Europe/Berlin")

    assert again is first
    assert time_zones.named("UTC") is UTC


@given(
    st.text(st.characters())
    | st.sampled_from(LISTED).flatmap(lambda name: st.text(name + "+-:.", max_size=12))
)
def test_zone_of_any_text_is_a_zone_or_a_value_error(name: str) -> None:
    try:
        zone = time_zones.named(name)
    except ValueError:
        return

    assert zone.utcoffset(WINTER) is not None
    assert WINTER.replace(tzinfo=zone).tzname()


@given(st.integers(min_value=-12 * 60, max_value=14 * 60))
def test_offset_in_every_spelling(minutes: int) -> None:
    sign = "-" if minutes < 0 else "+"
    hours, rest = divmod(abs(minutes), 60)
    spellings = [
        f"UTC{sign}{hours}:{rest:02}",
        f"UTC{sign}{hours:02}{rest:02}",
        f"{sign}{hours:02}:{rest:02}",
    ]

    offsets = [time_zones.named(spelling).utcoffset(WINTER) for spelling in spellings]

    assert offsets == [timedelta(minutes=minutes)] * 3


@pytest.mark.parametrize(
    ("local", "utc", "expected"),
    [
        ("2026-11-22 10:00:00", "2026-11-22 09:00:00", "2026-11-22T10:00:00+01:00"),
        ("2026-11-22 10:00:00", "2026-11-22 10:00:00", "2026-11-22T10:00:00+00:00"),
        ("2026-11-21 23:30:00", "2026-11-22 03:00:00", "2026-11-21T23:30:00-03:30"),
        ("2026-11-22 23:00:00", "2026-11-22 09:00:00", "2026-11-22T23:00:00+14:00"),
        ("2026-10-25 02:30:00", "2026-10-25 00:30:00", "2026-10-25T02:30:00+02:00"),
        ("2026-10-25 02:30:00", "2026-10-25 01:30:00", "2026-10-25T02:30:00+01:00"),
        ("1800-01-01 10:53:28", "1800-01-01 10:00:00", "1800-01-01T10:00:00+00:00"),
    ],
)
def test_wall_time_and_utc_give_the_offset(local: str, utc: str, expected: str) -> None:
    assert time_zones.with_offset(local, utc) == expected
