"""iCalendar files: times, occurrences, what is broken or hostile, and our own feeds read back."""

import io
import tracemalloc
from datetime import UTC, datetime, time, timedelta
from html import escape, unescape
from importlib import import_module
from itertools import chain, repeat
from typing import Any

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.commands import CommandError, SourceError
from calendar_api.commands.sources import icalendar_files
from calendar_api.commands.sources.items import Item, Notice, Problem, Reference
from calendar_api.domain import dates, text, time_zones
from calendar_api.domain.text import paragraphs
from calendar_api.representations import icalendar
from tests.commands.sources.reading import EXAMPLES, Generated, options
from tests.commands.sources.reading import read_calendar as read
from tests.representations import feed_events


def calendar(*lines: str, head: str = "") -> str:
    """A calendar of one event, with a UID and a title unless they are given."""
    usual = [line for line in ("UID:u", "SUMMARY:T") if not any(one[:3] == line[:3] for one in lines)]
    return "\n".join(
        ["BEGIN:VCALENDAR", head, "BEGIN:VEVENT", *usual, *lines, "END:VEVENT", "END:VCALENDAR", ""]
    )


def one(*lines: str, head: str = "", timezone: str = "") -> dict[str, Any]:
    (item,) = read(calendar(*lines, head=head), timezone, "Asia/Pyongyang")
    assert isinstance(item, Item), item  # a Problem says why
    return item.fields


def times(*lines: str, head: str = "", timezone: str = "") -> tuple[str, str, str]:
    fields = one(*lines, head=head, timezone=timezone)
    return fields["start_date"], fields["end_date"], fields["timezone"]


def starts(*lines: str, head: str = "") -> list[str]:
    return [item.fields["start_date"] for item in read(calendar(*lines, head=head)) if isinstance(item, Item)]


def problem(*lines: str, head: str = "") -> Problem:
    (found,) = read(calendar(*lines, head=head))
    assert isinstance(found, Problem)
    assert found.remedy
    return found


# -- times


def zone(*observances: str, tzid: str = "Own", location: str = "") -> str:
    """A VTIMEZONE of observances written as "from to start rule"."""
    lines = ["BEGIN:VTIMEZONE", f"TZID:{tzid}", *([f"X-LIC-LOCATION:{location}"] if location else [])]
    for observance in observances:
        before, after, start, *rule = observance.split()
        lines += [
            "BEGIN:STANDARD", f"DTSTART:{start}", f"TZOFFSETFROM:{before}", f"TZOFFSETTO:{after}",
            *[f"RRULE:{each}" for each in rule], "END:STANDARD",
        ]  # fmt: skip
    return "\n".join([*lines, "END:VTIMEZONE"])


NO_IANA_ZONE = zone(
    "+0117 +0017 20001029T030000 FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
    "+0017 +0117 20000326T020000 FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
)
KOREAN = zone("+0900 +0900 19700101T000000")


@pytest.mark.parametrize(
    ("line", "head", "timezone", "start", "name"),
    [
        ("TZID=europe/berlin:20310501T100000", "", "", "05-01 10:00", "Europe/Berlin"),
        ("TZID=Romance Standard Time:20310501T100000", "", "", "05-01 10:00", "Europe/Paris"),
        ("TZID=Own:20310501T100000", zone(location="Asia/Tokyo"), "", "05-01 10:00", "Asia/Tokyo"),
        ("TZID=Own:20310501T100000", NO_IANA_ZONE, "", "05-01 08:43", "UTC"),
        ("TZID=Own:20310201T100000", NO_IANA_ZONE, "", "02-01 09:43", "UTC"),
        ("TZID=Own:20310501T100000", KOREAN, "", "05-01 10:00", "Asia/Pyongyang"),
        ("TZID=UTC+2:20310501T100000", "", "", "05-01 10:00", "UTC+2"),
        ('TZID="(UTC+09:00) Osaka, Tokyo":20310501T100000',
         zone(tzid="(UTC+09:00) Osaka\\, Tokyo", location="Asia/Tokyo"), "", "05-01 10:00", "Asia/Tokyo"),
        ('TZID="(UTC+09:00) Osaka, Tokyo":20310501T100000',
         zone("+0900 +0900 19700101T000000", tzid='"(UTC+09:00) Osaka\\, Tokyo"'), "", "05-01 10:00",
         "Asia/Pyongyang"),
        ("X-A=1:20310501T100000Z", "", "Europe/Berlin", "05-01 10:00", "UTC"),
        ("X-A=1:20310501T100000Z", "X-WR-TIMEZONE:Asia/Tokyo", "", "05-01 19:00", "Asia/Tokyo"),
        ("X-A=1:20310501T100000", "X-WR-TIMEZONE:Asia/Tokyo", "", "05-01 10:00", "Asia/Tokyo"),
        ("X-A=1:20310501T100000", "X-WR-TIMEZONE:Asia/Tokyo", "Asia/Seoul", "05-01 10:00", "Asia/Seoul"),
        ("X-A=1:20310501T100000", "", "", "05-01 10:00", "Asia/Pyongyang"),
    ],
)  # fmt: skip
def test_zones(line: str, head: str, timezone: str, start: str, name: str) -> None:
    found, _, zone_name = times(f"DTSTART;{line}", head=head, timezone=timezone)

    assert (found, zone_name) == (f"2031-{start}:00", name)


@pytest.mark.parametrize(("uid", "foreign_id"), [("u 1", "u 1"), ("u\\,1", ""), ("u" * 201, ""), (" ", "")])
def test_event_that_cannot_be_read_is_identified_by_a_plain_uid(uid: str, foreign_id: str) -> None:
    assert problem("DTSTART:x", f"UID:{uid}").foreign_id == foreign_id


def test_definition_without_offsets_defines_nothing() -> None:
    head = zone("+0100 +0100 20000101T000000").replace("TZOFFSETTO:+0100\n", "")
    found = problem("DTSTART;TZID=Own:20310501T100000", head=head)

    assert found.reason == "The time zone Own is unknown, and the file does not define it."


def test_zone_that_is_defined_after_its_events() -> None:
    before, definition = calendar("DTSTART;TZID=Own:20310501T100000"), zone(location="Asia/Tokyo")
    (item,) = read(before.replace("END:VCALENDAR", f"{definition}\nEND:VCALENDAR"))

    assert item.fields["timezone"] == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("lines", "start", "end"),
    [
        (("DTSTART;VALUE=DATE:20310501", "DTEND;VALUE=DATE:20310504"), "01 00:00:00", "03 23:59:59"),
        (("DTSTART;VALUE=DATE:20310501",), "01 00:00:00", "01 23:59:59"),
        (("DTSTART;VALUE=DATE:20310501", "DURATION:P2D"), "01 00:00:00", "02 23:59:59"),
        (("DTSTART:20310501T100000",), "01 10:00:00", "01 10:00:00"),
        (("DTSTART:20310501T100000", "DURATION:P1DT2H"), "01 10:00:00", "02 12:00:00"),
        (("DTSTART:20310501T100000Z", "DTEND;TZID=Asia/Tokyo:20310501T200000"), "01 10:00:00", "01 11:00:00"),
        (("DTSTART:20310501T000000", "DTEND:20310502T000000"), "01 00:00:00", "02 00:00:00"),
        (("DTSTART:20310501T100000", "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE"), "01 10:00:00", "01 10:00:00"),
    ],
)
def test_ends(lines: tuple[str, ...], start: str, end: str) -> None:
    assert times(*lines)[:2] == (f"2031-05-{start}", f"2031-05-{end}")


def test_hours_of_a_duration_are_exact_on_the_day_when_clocks_change() -> None:
    found = times("DTSTART;TZID=Europe/Berlin:20310329T200000", "DURATION:PT10H")

    assert found == ("2031-03-29 20:00:00", "2031-03-30 07:00:00", "Europe/Berlin")


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        (("DTSTART:20310501T100000", "DTEND:20310501T090000"), "DTEND"),
        (("DTSTART;VALUE=DATE:20310501", "DTEND:20310501T090000"), "DTEND"),
        (("DTSTART:20310230T100000",), "DTSTART"),
        (("DTSTART:P1D",), "DTSTART"),
        (("DTSTART;TZID=Nowhere:20310501T100000",), "DTSTART"),
        (("DTSTART;TZID=America:20310501T100000",), "DTSTART"),  # a folder in many time zone databases
        (("DTEND:20310501T100000",), "DTSTART"),
        (("DTSTART:20310501T100000", "DTSTART:2031"), "DTSTART"),
        (("DTSTART:20310501T100000", "RRULE:COUNT=2"), "RRULE"),
        (("DTSTART:20310501T100000", "DURATION:x"), "DURATION"),
        (("DTSTART:20310501T100000", "DURATION:20310501"), "DURATION"),
        (("DTSTART:20310501T100000", "RRULE:FREQ=HOURLY"), "RRULE"),
        (("DTSTART:20310501T100000", "RRULE:FREQ=DAILY;BYHOUR=10,14"), "RRULE"),
        (("DTSTART:20310501T100000", "RRULE:FREQ=SOMETIMES"), "RRULE"),
        (("DTSTART:20310501T100000", "RRULE:FREQ=WEEKLY;BYDAY=" + "MO," * 999 + "TU"), "RRULE"),
        (("DTSTART:20310501T100000", "RRULE"), "RRULE"),
        (("DTSTART:20310501T100000", "RECURRENCE-ID;RANGE=THISANDFUTURE:20310501T100000"), "RECURRENCE-ID"),
        (("DTSTART:20310501T100000", "SUMMARY:"), "SUMMARY"),
    ],
)  # fmt: skip
def test_event_is_rejected_by_its_uid_and_property(lines: tuple[str, ...], field: str) -> None:
    found = problem(*lines)

    assert (found.place, found.field) == ("UID u", field)
    assert "2031" not in found.reason  # equal problems are grouped
    value = next((line for line in lines if line.startswith(field)), "").partition(":")[2]
    assert found.value == value[:80]


# -- occurrences


@pytest.mark.parametrize(
    ("lines", "head", "expected"),
    [
        # The time on the wall stays when clocks change; a rule in UTC is one of instants; so is UNTIL.
        (["DTSTART;TZID=Europe/Berlin:20311024T190000", "RRULE:FREQ=DAILY;COUNT=4",
          "DTEND;TZID=Europe/Berlin:20311024T200000"], "", ["10-24 19", "10-25 19", "10-26 19", "10-27 19"]),
        (["DTSTART:20311025T170000Z", "RRULE:FREQ=DAILY;COUNT=2"], "X-WR-TIMEZONE:Europe/Berlin",
         ["10-25 19", "10-26 18"]),
        (["DTSTART;TZID=America/New_York:20310501T200000", "RRULE:FREQ=DAILY;UNTIL=20310502T235959Z"], "",
         ["05-01 20"]),
    ],
)  # fmt: skip
def test_rules_and_time_zones(lines: list[str], head: str, expected: list[str]) -> None:
    assert starts(*lines, head=head) == [f"2031-{start}:00:00" for start in expected]


@pytest.mark.parametrize(
    ("lines", "days"),
    [
        (["RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=3"], ["05-01", "05-02", "05-09"]),  # the start counts: a Thursday
        (["RRULE:FREQ=WEEKLY;UNTIL=20310515"], ["05-01", "05-08", "05-15"]),
        (["RRULE:FREQ=WEEKLY;UNTIL=20310515T095959Z"], ["05-01", "05-08"]),
        (["RRULE:FREQ=DAILY;COUNT=4", "EXDATE:20310502T100000Z,20310503T100000Z"], ["05-01", "05-04"]),
        (["RRULE:FREQ=DAILY;COUNT=3", "EXDATE;VALUE=DATE:20310502"], ["05-01", "05-03"]),
        (["RRULE:FREQ=DAILY;COUNT=3", "EXDATE;TZID=Asia/Tokyo:20310502T190000"], ["05-01", "05-03"]),
        (["RRULE:FREQ=DAILY;COUNT=0", "RDATE:20310601T100000Z"], ["05-01", "06-01"]),
        (["RDATE:20310601T100000Z,20310501T100000Z"], ["05-01", "06-01"]),
        (["RDATE;VALUE=PERIOD:20310601T100000Z/PT1H"], ["05-01", "06-01"]),
    ],
)
def test_rules_and_lists_of_dates(lines: list[str], days: list[str]) -> None:
    assert starts("DTSTART:20310501T100000Z", *lines) == [f"2031-{day} 10:00:00" for day in days]


def test_days_recur_as_days() -> None:
    (item,) = read(calendar("DTSTART;VALUE=DATE:20310501", "RRULE:FREQ=YEARLY", "EXDATE;VALUE=DATE:20320501"))

    assert (item.foreign_id, item.fields["uid"]) == ("u/20310501", "u-20310501")


def test_old_and_endless_series_only_has_what_lies_in_the_window() -> None:
    found = starts("DTSTART:19900105T100000Z", "RRULE:FREQ=WEEKLY")

    assert (found[0], found[-1], len(found)) == ("2031-03-07 10:00:00", "2031-12-26 10:00:00", 43)


def test_too_many_occurrences_are_left_out_and_reported() -> None:
    window = options(first=datetime(2031, 1, 1, tzinfo=UTC), last=datetime(2033, 1, 1, tzinfo=UTC))
    file = calendar("DTSTART:20310101T100000Z", "RRULE:FREQ=DAILY").encode()
    *found, last = icalendar_files.read(io.BytesIO(file), window)

    assert len(found) == 500
    assert last.reason == "Occurrences 501 and later, from 2032-05-15, are left out."


def test_change_of_an_occurrence_that_is_before_its_series_or_without_it() -> None:
    change = calendar("DTSTART:20310602T120000Z", "RECURRENCE-ID:20310502T100000Z", "SUMMARY:Changed")
    series = calendar("DTSTART:20310501T100000Z", "RRULE:FREQ=DAILY;COUNT=3")
    both = change.replace("END:VCALENDAR\n", "") + series.partition("\n")[2]
    parent = Reference("series", "u")

    assert [(one.title, one.fields["post_parent"]) for one in read(both)] == [
        ("T", parent), ("T", parent), ("Changed", parent),
    ]  # fmt: skip
    (alone,) = read(change)
    assert (alone.foreign_id, alone.fields["post_parent"]) == ("u/20310502T100000Z", parent)


def test_change_of_an_occurrence_in_another_calendar_of_the_file() -> None:
    zone = "X-WR-TIMEZONE:Asia/Tokyo"
    series = calendar("DTSTART:20310501T100000", "RRULE:FREQ=DAILY;COUNT=2", head=zone)
    change = calendar("DTSTART:20310502T200000", "RECURRENCE-ID:20310502T010000Z", "SUMMARY:Changed")

    for file in (series + change, change + series):
        assert [(one.title, one.fields["start_date"], one.fields["timezone"]) for one in read(file)] == [
            ("T", "2031-05-01 10:00:00", "Asia/Tokyo"), ("Changed", "2031-05-02 20:00:00", "UTC"),
        ]  # fmt: skip


RULES = st.builds(
    lambda frequency, interval, parts: ";".join([f"FREQ={frequency}", f"INTERVAL={interval}", *parts]),
    st.sampled_from(("DAILY", "WEEKLY", "MONTHLY", "YEARLY")),
    st.integers(1, 4),
    st.lists(
        st.sampled_from(("BYDAY=MO,FR", "BYMONTH=5,6,11", "BYMONTHDAY=-1,13", "WKST=SU", "BYSETPOS=1")),
        unique=True, max_size=3,
    ),
)  # fmt: skip


@EXAMPLES
@given(rule=RULES, day=st.integers(1, 28))
def test_any_rule_has_the_occurrences_of_dateutil_and_its_start(rule: str, day: int) -> None:
    start, end = datetime(2031, 4, day, 10), datetime(2031, 12, 31)
    if "BYSETPOS" in rule and rule.count("BY") == 1:
        rule = f"{rule};BYDAY=TU"
    expected = {start, *rrulestr(rule, dtstart=start).between(start, end)}

    assert starts(f"DTSTART:{start:%Y%m%dT%H%M%SZ}", f"RRULE:{rule}") == [str(at) for at in sorted(expected)]


# -- what is read of events


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("URL:javascript:alert(1)", {}),
        ("GEO:48.4;9.9", {}),  # no place without a name
        ("DESCRIPTION:1 < 2\\n\\nb", {"description": "<p>1 &lt; 2</p>\n<p>b</p>"}),
        ("X-ALT-DESC:<b>b</b>\nDESCRIPTION:c", {"description": "<p>c</p>"}),  # says nothing about HTML
        ("ATTACH:https://x.example/a.PDF\nATTACH:https://x.example/b.JPG?c", {"image": "https://x.example/b.JPG?c"}),
        ("STATUS:CANCELLED\nLOCATION:Hall", {"event_status": "canceled"}),
        ("LOCATION:\\, \\,\\n", {}),
        ("COLOR:red\nNAME", {}),
        ("CONTACT:Ann, phone 5", {}),
    ],
)  # fmt: skip
def test_properties(line: str, fields: dict[str, str]) -> None:
    usual = {"uid", "title", "timezone", "all_day", "start_date", "end_date"}
    found = one("DTSTART:20310501T100000Z", *line.split("\n"))

    assert {name: value for name, value in found.items() if name not in usual} == fields


def test_organizer_and_contact_of_one_name_in_our_own_files_are_one() -> None:
    ann = 'ORGANIZER;CN="Ann":mailto:ann@example.org'
    lines = ((ann, "UID:1"), ("CONTACT:Ann", "UID:2"))
    files = [calendar("DTSTART:20310501T100000Z", *two, head=OWN) for two in lines]
    organizer, *events = read("".join(files))

    assert organizer.fields == {"organizer": "Ann", "email": "ann@example.org"}
    assert [one.fields["organizer"] for one in events] == [[Reference("organizer", "ann")]] * 2


def test_place_without_its_first_part() -> None:
    venue, _ = read(calendar("DTSTART:20310501T100000Z", "LOCATION:\\, Way 1\\, Faro"))

    assert venue.fields == {"venue": "Way 1", "address": "Faro"}


def test_occurrence_whose_start_the_clock_skips_keeps_its_length() -> None:
    lines = ("DTSTART;TZID=Europe/Berlin:20310329T023000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2")
    _, skipped = read(calendar(*lines))

    assert (skipped.fields["start_date"], skipped.fields["end_date"]) == (
        "2031-03-30 03:30:00", "2031-03-30 04:30:00",
    )  # fmt: skip


def test_problem_names_the_value_after_quoted_parameters() -> None:
    lines = ("DTSTART:20310501T100000Z", 'DTEND;X-A="a:b":20310101T100000Z', 'SUMMARY;ALTREP="cid:1":Title')
    found = read(calendar(*lines).replace("SUMMARY:T\n", ""))

    assert [(one.title, one.value) for one in found if isinstance(one, Problem)] == [
        ("Title", "20310101T100000Z")
    ]


OWN = "PRODID:-//calendar-api//0.9//EN"


def test_contacts_of_our_own_files_are_organizers() -> None:
    organizer, event = read(calendar("DTSTART:20310501T100000Z", "CONTACT:Ann\\, Bob", head=OWN))

    assert organizer.fields == {"organizer": "Ann, Bob"}
    assert event.fields["organizer"] == [Reference("organizer", "ann, bob")]


@pytest.mark.parametrize(
    ("description", "fields"),
    [
        ("a\\n\\nb", {"description": "<p>a</p>\n<p>b</p>", "website": "https://x.example/"}),  # was edited
        ("a\\n\\nRain\\nhttps://x.example/", {
            "description": "<p>a</p>", "website": "https://x.example/", "event_status_reason": "Rain",
        }),
        ("https://y.example\\nhttps://x.example/", {"website": "https://y.example"}),
        ("<b>a</b>\\n\\nhttps://x.example/", {
            "description": "<p>&lt;b&gt;a&lt;/b&gt;</p>", "website": "https://x.example/",
        }),
    ],
)  # fmt: skip
def test_notes_below_our_own_descriptions(description: str, fields: dict[str, str]) -> None:
    lines = "DTSTART:20310501T100000Z", f"DESCRIPTION:{description}", "URL:https://x.example/"
    found = one(*lines, head=OWN)

    noted = ("description", "website", "event_status_reason")
    assert {name: found[name] for name in noted if name in found} == fields


def test_method_cancel_cancels_all_events() -> None:
    (item,) = read(calendar("DTSTART:20310501T100000Z", head="METHOD:CANCEL"))

    assert item.canceled


# -- several events with one UID


CHANGE = "RECURRENCE-ID:20310501T120000Z"


def versions(*lines: str) -> str:
    """Calendars with an event of one UID at noon, each with some of these lines."""
    return "".join(calendar("DTSTART:20310501T120000Z", *some.split("\n")) for some in lines)


OLD, NEW = "20300101T000000Z", "20310101T000000Z"


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (("SEQUENCE:10", "SEQUENCE:9"), 0),
        ((f"SEQUENCE:1\nDTSTAMP:{OLD}", f"DTSTAMP:{NEW}"), 0),
        ((f"LAST-MODIFIED:{NEW}", f"LAST-MODIFIED:{OLD}"), 0),
        ((f"DTSTAMP:{NEW}", f"DTSTAMP:{NEW}\nLAST-MODIFIED:{OLD}"), 0),
        (("URL:https://a.example/", "URL:https://b.example/"), 1),
        (("RRULE:FREQ=DAILY;COUNT=3", "SEQUENCE:1"), 1),
        ((f"{CHANGE}\nSEQUENCE:2", f"{CHANGE}\nSEQUENCE:1"), 0),
    ],
)
def test_newest_version_of_an_event_is_read(lines: tuple[str, ...], kept: int) -> None:
    marked = [f"{line}\nLOCATION:{number}" for number, line in enumerate(lines)]
    _, event, notice = read(versions(*marked))

    assert event.fields["venue"] == [Reference("venue", str(kept))]
    assert isinstance(notice, Notice)
    assert notice.text.endswith(": u.")


def test_copy_of_an_event_is_read_once_and_not_reported() -> None:
    assert [one.title for one in read(versions("SEQUENCE:1", "SEQUENCE:1"))] == ["T"]


def test_copy_of_an_event_without_uid_is_read_once() -> None:
    assert len(read(versions("", "").replace("UID:u\n", ""))) == 1


def test_changed_occurrence_is_no_version_of_its_series() -> None:
    series = calendar("DTSTART:20310501T100000Z", "RRULE:FREQ=DAILY;COUNT=2", "SEQUENCE:3")
    change = calendar("DTSTART:20310502T120000Z", "RECURRENCE-ID:20310502T100000Z")
    both = series.replace("END:VCALENDAR\n", "") + change.partition("\n")[2]

    assert [one.fields["start_date"][8:13] for one in read(both)] == ["01 10", "02 12"]


def test_another_event_with_the_same_uid_is_rejected() -> None:
    other = calendar("DTSTART:20310502T100000Z")
    found, kept = read(calendar("DTSTART:20310501T100000Z") + other)

    assert (found.place, found.field, found.foreign_id) == ("UID u", "UID", "u")
    assert kept.fields["start_date"] == "2031-05-02 10:00:00"


# -- broken and hostile files


@pytest.mark.parametrize(
    "file", [b"", b"<!DOCTYPE html>\n<html>", b"\x00\xff" * 1000, b"\x1f\x8b\x08", b"BEGIN:VCALENDAR\n x"]
)
def test_what_is_no_calendar_is_rejected_at_once(file: bytes) -> None:
    with pytest.raises(SourceError, match="no calendar"):
        read(file)


def test_file_that_ends_too_early_or_lacks_an_end() -> None:
    whole = calendar("DTSTART:20310501T100000Z")
    cut, lacking = whole.partition("END:VCALENDAR")[0], whole.replace("END:VEVENT\n", "")

    assert [type(one) for one in read(cut)] == [Item, Problem]
    assert [getattr(one, "reason", "") for one in read(lacking)] == ["It has no END:VEVENT."]
    assert [type(one) for one in read(lacking + whole)] == [Problem, Item]


HEAD = b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nSUMMARY:A\r\nDTSTART:20310501T100000Z\r\n"
SECOND = HEAD.replace(b":a", b":b").replace(b"BEGIN:VCALENDAR", b"\r\nEND:VEVENT")
TAIL = SECOND + b"END:VEVENT\r\nEND:VCALENDAR\r\n"


@pytest.mark.parametrize(
    ("head", "middle", "thousands", "most", "first"),
    [
        (b"DESCRIPTION:", b"x" * 100, 100, 2**21, Problem),
        (b"DESCRIPTION:x", b"\r\n xxx", 100, 2**24, Problem),
        (b"ATTACH;ENCODING=BASE64;VALUE=BINARY:", b"A" * 100, 100, 2**21, Item),
        (b"X-A:", b"A" * 100, 100, 2**21, Item),
        (b"X-A:", b"\r\nX-A:A", 20, 2**20, Item),
        (b"X-A:", b"\r\nCATEGORIES:A", 20, 2**20, Problem),
        (b"X-A:", b"\r\nBEGIN:VALARM", 20, 2**20, Item),
    ],
)
def test_what_never_ends_takes_little_memory(
    head: bytes, middle: bytes, thousands: int, most: int, first: type
) -> None:
    stream = io.BufferedReader(Generated(chain([HEAD + head], repeat(middle * 1000, thousands), [TAIL])))
    import_module("icalendar")
    tracemalloc.start()
    try:
        found = list(icalendar_files.read(stream, options()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert [type(one) for one in found] == [first, Item]
    assert peak < most


@pytest.mark.parametrize(
    ("rule", "count"),
    [
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", 1),
        ("FREQ=DAILY;COUNT=1000000", 244),
        ("FREQ=DAILY;INTERVAL=2147483647", 1),
    ],
)  # fmt: skip
def test_rules_without_matches_and_with_a_million_end(rule: str, count: int) -> None:
    assert len(starts("DTSTART:20310501T100000Z", f"RRULE:{rule}")) == count


def test_rules_that_take_too_long_together_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calendar_api.commands.sources.icalendar_times._SECONDS", 0)
    series = [calendar("DTSTART:20310501T100000Z", f"UID:{uid}", "RRULE:FREQ=DAILY;COUNT=2") for uid in "ab"]
    found = read("".join(series))

    assert [type(one) for one in found] == [Item, Item, Problem]
    assert found[2].reason == "The rules of this file take too long."


LINES = (
    *HEAD.split(b"\r\n"), *TAIL.split(b"\r\n"), b"RRULE:FREQ=DAILY;COUNT=2", b" x", b"\xff;:=,\"",
    b"RECURRENCE-ID:20310502T100000Z", b"GEO:1", b"ORGANIZER;CN=\"a:b", b"RDATE:x", b"LOCATION:,",
    b"BEGIN:VTIMEZONE", b"TZID:X", b"BEGIN:STANDARD", b"TZOFFSETTO:+0100", b"END:VTIMEZONE",
    b"DTSTART;TZID=X:20310501T100000",
)  # fmt: skip


def test_more_series_or_zones_than_fit_into_memory_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(icalendar_files, "_HELD", 1300)
    monkeypatch.setattr(icalendar_files, "_DEFINITIONS", 1)
    lines = [
        calendar("DTSTART:20310501T100000Z", f"UID:{uid}", "RRULE:FREQ=DAILY;COUNT=2").split("\n")[2:-2]
        for uid in ("a", "b", "c")
    ]
    zones = [zone("+0100 +0100 19700101T000000", tzid=name) for name in ("One", "Two")]
    event = calendar(
        "DTSTART;TZID=Two:20310501T100000", head="\n".join([*zones, *lines[0], *lines[1], *lines[2]])
    )

    assert [one.place for one in read(event) if isinstance(one, Problem)] == ["line 30", "UID u"]


@given(st.lists(st.sampled_from(LINES)))
def test_any_lines_are_read_or_rejected(lines: list[bytes]) -> None:
    for found in read(b"\n".join([b"BEGIN:VCALENDAR", b"VERSION:2.0", *lines])):
        assert isinstance(found, Problem) or getattr(found, "title", "") or getattr(found, "text", "")


def test_without_icalendar_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(import_module("sys").modules, "icalendar", None)

    with pytest.raises(CommandError, match=r"run `pip install icalendar`"):
        read(calendar("DTSTART:20310501T100000Z"))


# -- our own feeds

PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z", "M")), min_size=1, max_size=20)
JOINED = st.lists(PLAIN, min_size=1, max_size=3).map(" ".join).map(text.plain)
WORDS = JOINED.filter(lambda value: value not in ("", "0"))
LINES_OF_TEXT = st.lists(WORDS, max_size=3).map("\n\n".join)
PARAGRAPHS = LINES_OF_TEXT.map(lambda words: paragraphs(escape(words, quote=False)))
RICH = WORDS.map(lambda words: f"<p>See <b>{escape(words, quote=False)}</b></p>")
NAMES = WORDS.filter(lambda value: not any(part in value for part in (",", " (", '"', "%")))
#: The package icalendar reads two backslashes in a parameter, which has no escapes, as one.
PEOPLE = NAMES.filter(lambda value: "\\" not in value)


@EXAMPLES
@given(
    title=WORDS, description=PARAGRAPHS | RICH, place=NAMES, street=WORDS | st.just(""), person=PEOPLE,
    terms=st.lists(WORDS, max_size=3, unique=True), all_day=st.booleans(), is_canceled=st.booleans(),
    zone_name=st.sampled_from(("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe")),
    start=st.datetimes(datetime(2031, 1, 1), datetime(2031, 12, 31)), hours=st.integers(0, 100),
    website=st.sampled_from(("", "https://band.example/a?b=1&c")),
)  # fmt: skip
def test_own_feed_reads_back(
    title: str, description: str, place: str, street: str, person: str, terms: list[str], all_day: bool,
    is_canceled: bool, zone_name: str, start: datetime, hours: int, website: str,
) -> None:  # fmt: skip
    """In the zone of the site: one hour a year has no name in it, and is written in UTC."""
    zone = time_zones.named(zone_name)
    moments = [at.replace(tzinfo=UTC).astimezone(zone) for at in (start, start + timedelta(hours=hours))]
    if all_day:
        clocks = time(), time(23, 59, 59)
        moments = [datetime.combine(at, clock, zone) for at, clock in zip(moments, clocks, strict=True)]
    wall, utc = ([dates.text(at.astimezone(where)) for at in moments] for where in (zone, UTC))
    record = feed_events.event(
        title=text.escape(title), description=description, all_day=all_day, timezone=zone_name,
        event_status="canceled" if is_canceled else "scheduled",
        start_date=wall[0], end_date=wall[1], utc_start_date=utc[0], utc_end_date=utc[1],
        venue=[feed_events.venue(venue=text.escape(place), address=street, geo_lat=48.4, geo_lng=-9.99)],
        organizer=[feed_events.organizer(organizer=text.escape(person), email="a@b.example")],
        categories=[feed_events.term(name) for name in terms], image=feed_events.image(),
    )  # fmt: skip
    record["website"] = escape(website) or record["url"]
    found = read(icalendar.calendar([record], feed_events.feed(timezone=zone_name)))
    items = [item for item in found if isinstance(item, Item)]
    event = items[-1]

    assert len(found) == len(items)
    assert event.canceled == is_canceled
    assert event.fields["uid"] == event.foreign_id == record["uid"]
    assert event.fields["title"] == title
    assert event.fields.get("description", "") == description
    assert [event.fields[name][:19] for name in ("start_date", "end_date")] == wall
    assert (event.fields["timezone"], event.fields["all_day"]) == (zone_name, all_day)
    assert event.fields["website"] == unescape(record["website"])
    assert event.fields["image"] == record["image"]["url"]
    if not is_canceled:
        address = {"address": street} if street else {}
        assert [item.fields for item in items[:-1]] == [
            {"venue": place, **address, "geo_lat": 48.4, "geo_lng": -9.99},
            {"organizer": person, "email": "a@b.example"},
            *({"name": name} for name in terms),
        ]
