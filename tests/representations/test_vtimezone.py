"""VTIMEZONE components are compared with the compiled rules of the tzdata package, zone by zone."""

import struct
from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from importlib import resources

import pytest
from dateutil.rrule import rrulestr

from calendar_api.domain import time_zones
from calendar_api.representations import vtimezone

FIRST, LAST = 1971, 2036
ROOT = resources.files("tzdata").joinpath("zoneinfo")
NAMES = resources.files("tzdata").joinpath("zones").read_text("utf-8").split()


def transitions(name: str) -> list[datetime]:
    """The changes of a zone in FIRST to LAST: the second block of a TZif file (RFC 8536)."""
    data = ROOT.joinpath(*name.split("/")).read_bytes()
    utc, standard, leaps, times, types, letters = struct.unpack_from(">6l", data, 20)
    start = 44 + 5 * times + 6 * types + letters + 8 * leaps + standard + utc
    (times,) = struct.unpack_from(">l", data, start + 32)
    moments = struct.unpack_from(f">{times}q", data, start + 44)
    found = [datetime.fromtimestamp(seconds, UTC) for seconds in moments if 0 < seconds < 2**31]
    return [moment for moment in found if FIRST <= moment.year <= LAST]


def offset(written: str) -> timedelta:
    sign = -1 if written[0] == "-" else 1
    return sign * timedelta(hours=int(written[1:3]), minutes=int(written[3:5]), seconds=int(written[5:] or 0))


def observances(component: str) -> list[tuple[datetime, timedelta, str]]:
    """UTC onset, offset and name of each observance until LAST, in their order."""
    found = []
    for block in component.split("BEGIN:")[2:]:
        fields = dict(line.split(":", 1) for line in block.splitlines()[1:] if ":" in line)
        start = datetime.strptime(fields["DTSTART"], "%Y%m%dT%H%M%S")
        onsets = [start]
        if "RRULE" in fields:
            rule = rrulestr(fields["RRULE"], dtstart=start)
            onsets = rule.between(start, datetime(LAST + 2, 1, 1), inc=True)
            assert onsets[0] == start
        before, after = (offset(fields[f"TZOFFSET{end}"]) for end in ("FROM", "TO"))
        found += [((onset - before).replace(tzinfo=UTC), after, fields["TZNAME"]) for onset in onsets]
    return sorted(found)


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
def test_components_of_all_zones_follow_their_rules(step: int) -> None:
    """All of them in the long run, every fourth otherwise."""
    files = {ROOT.joinpath(*name.split("/")).read_bytes(): name for name in NAMES if name != "Factory"}
    compared = 0
    for name in list(files.values())[::step]:
        zone, found = time_zones.named(name), observances(vtimezone.component(name, FIRST, LAST))
        onsets = [onset for onset, _, _ in found]
        years = range(FIRST, LAST + 1)
        moments = [datetime(year, month, 1, tzinfo=UTC) for year in years for month in (2, 8)]
        for change in transitions(name):
            moments += [change - timedelta(seconds=1), change]
        for moment in moments:
            local, (_, *shown) = moment.astimezone(zone), found[bisect_right(onsets, moment) - 1]
            assert shown == [local.utcoffset(), local.tzname()], (name, moment)
        compared += len(moments)
    assert compared * step > 60_000
    assert len(files) > 300


def test_years_with_the_same_changes_are_a_rule() -> None:
    assert vtimezone.component("Europe/Berlin", 2026, 2027).split("\r\n") == [
        "BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "BEGIN:DAYLIGHT", "DTSTART:20250330T020000",
        "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "TZNAME:CEST", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200",
        "END:DAYLIGHT", "BEGIN:STANDARD", "DTSTART:20251026T030000",
        "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "TZNAME:CET", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100",
        "END:STANDARD", "END:VTIMEZONE", "",
    ]  # fmt: skip


def test_observances() -> None:
    for zone, first, expected in (
        ("Asia/Kathmandu", 2026, ["STANDARD 19700101T000000 +0545 +0545"]),
        (
            "Europe/Dublin", 2026,
            ["DAYLIGHT 20250330T010000 +0000 +0100 -1SU", "STANDARD 20251026T020000 +0100 +0000 -1SU"],
        ),
        (
            "America/New_York", 2007,
            [
                "DAYLIGHT 20060402T020000 -0500 -0400", "STANDARD 20061029T020000 -0400 -0500",
                "DAYLIGHT 20070311T020000 -0500 -0400 2SU", "STANDARD 20071104T020000 -0400 -0500 1SU",
            ],
        ),
        (
            "Africa/Casablanca", 2022,
            [
                "STANDARD 20210411T030000 +0100 +0000", "DAYLIGHT 20210516T020000 +0000 +0100",
                "STANDARD 20220327T030000 +0100 +0000", "DAYLIGHT 20220508T020000 +0000 +0100",
                "STANDARD 20230319T030000 +0100 +0000", "DAYLIGHT 20230423T020000 +0000 +0100",
            ],
        ),
        (
            "Africa/Monrovia", 1971,
            ["STANDARD 19700101T000000 -004430 -004430", "STANDARD 19720107T000000 -004430 +0000"],
        ),
    ):  # fmt: skip
        found = []
        for block in vtimezone.component(zone, first, first).split("BEGIN:")[2:]:
            fields = dict(line.split(":", 1) for line in block.splitlines()[1:] if ":" in line)
            by_day = fields.get("RRULE", "").partition("BYDAY=")[2]
            words = [fields[name] for name in ("DTSTART", "TZOFFSETFROM", "TZOFFSETTO")]
            found.append(" ".join([block.split("\r\n")[0], *words, by_day]).strip())
        assert found == expected


def test_time_that_occurs_twice_is_ambiguous() -> None:
    once = ("2031-10-26 01:59:59", "2031-10-26 03:00:00", "1970-01-01 00:00:00", "2099-12-31 23:59:59")
    other = ("2031-10-26 02:00:00", "2031-10-26 02:59:59", "1969-12-31 23:59:59", "2100-01-01 00:00:00")
    assert [local for local in once if not vtimezone.is_unambiguous("Europe/Berlin", local)] == []
    assert [local for local in other if vtimezone.is_unambiguous("Europe/Berlin", local)] == []


def test_size_is_bounded() -> None:
    """In the largest span, in a zone without a yearly rule."""
    assert len(vtimezone.component("Africa/Casablanca", 1970, 2099)) < 32_000
