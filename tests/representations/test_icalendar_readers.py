"""Calendar files that we write and others read: the same instants and the same texts."""

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import escape, unescape

import icalendar as reader
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.domain import html, text, time_zones
from calendar_api.representations import icalendar
from tests.calendar_readers import READERS, Read, lines
from tests.representations.feed_events import SITE, Json, between, feed, numbered

FEED = feed()
READER = pytest.mark.parametrize("read", READERS.values(), ids=READERS)
#: With changes of an hour and half an hour, by weekday and by decree, in both hemispheres, and without any.
ZONES = (
    "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Santiago",
    "America/Nuuk", "Africa/Casablanca", "Asia/Kathmandu", "Asia/Tehran", "Australia/Lord_Howe",
    "Pacific/Auckland", "Pacific/Apia",
)  # fmt: skip


def changes(zone: str, years: range) -> list[datetime]:
    """The hours in which the clock of a zone changes."""
    first = datetime(years[0], 1, 1, tzinfo=UTC)
    hours = [first + timedelta(hours=hour) for hour in range(len(years) * 365 * 24)]
    offsets = [hour.astimezone(time_zones.named(zone)).utcoffset() for hour in hours]
    return [hours[at] for at in range(1, len(hours)) if offsets[at - 1] != offsets[at]]


@pytest.fixture(scope="module")
def around_changes() -> list[Json]:
    """Events of 45 minutes near each change of all zones."""
    steps = [timedelta(minutes=minutes, seconds=1) for minutes in range(-90, 91, 15)]
    starts = [
        (zone, change + step - second)
        for zone in ZONES
        for change in changes(zone, range(2019, 2022)) or [datetime(2020, 1, 1, tzinfo=UTC)]
        for step in steps
        for second in (timedelta(), timedelta(seconds=1))
    ]
    return [between(start, start + timedelta(minutes=45), zone) for zone, start in starts]


@READER
@pytest.mark.parametrize("prefix", [b"", b"Unknown/"], ids=["known zones", "zones by VTIMEZONE alone"])
def test_instants_around_changes_of_the_clock(
    around_changes: list[Json], read: Callable[[bytes], list[Read]], prefix: bytes
) -> None:
    file = icalendar.calendar(around_changes, FEED)
    for zone in ZONES:
        file = file.replace(b"TZID:" + zone.encode(), b"TZID:" + prefix + zone.encode())
        file = file.replace(b"TZID=" + zone.encode(), b"TZID=" + prefix + zone.encode())
    found = read(file)

    def instant(moment: str) -> int:
        return int(datetime.fromisoformat(f"{moment}+00:00").timestamp())

    expected = [tuple(map(instant, (one["utc_start_date"], one["utc_end_date"]))) for one in around_changes]
    assert [(event.start, event.end) for event in found] == expected
    assert len(found) > 1000
    assert file.count(b"DTSTART;TZID") > len(found) * 0.6


@READER
def test_readers_find_what_was_written(read: Callable[[bytes], list[Read]]) -> None:
    hard = 'Größe; 100 %, "x" \\n \\ 🎪 ' + "語" * 100 + "a" * 200
    shown = numbered(
        title=text.escape(hard), description=f"<p>{escape(hard, quote=False)}</p>\n<p>=cmd()</p>",
        venue={"venue": text.escape(hard), "city": "Lindau"}, categories=[{"name": "A, b"}],
        organizer=[{"organizer": "A: B; C, D", "email": "a@x.org"}],
        image={"url": f"{SITE}/a.png", "extension": "png"},
    )  # fmt: skip
    days = numbered(all_day=True, start_date="2031-02-28 00:00:00", end_date="2031-02-28 23:59:59")

    first, second = read(icalendar.calendar([shown, days], FEED))

    assert first == Read(
        shown["uid"], hard, f"{hard}\n\n=cmd()\n\n{shown['url']}", f"{hard}, Lindau", 1935396000, 1935403200
    )
    assert (second.start, second.end) == ("2031-02-28", "2031-03-01")


# -- any text


PIECES = [
    "\\", ";", ",", "\n", "\r\n", ":", '"', "\\n", "=cmd()", "</script>", "&amp;", "\u2028", "\x85", "\x00",
    "\t", "🎪", "é" * 40, "a" * 80,
]  # fmt: skip
WORDS = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.just("a" * 10_000),
)


@given(title=WORDS, description=WORDS, reason=WORDS)
def test_any_text_comes_back(title: str, description: str, reason: str) -> None:
    """Titles and descriptions as they are stored, other text without control characters."""
    title, description = text.plain(title), html.sanitize(escape(description, quote=False))
    event = numbered(
        title=text.escape(title), description=text.paragraphs(description), event_status_reason=reason
    )
    file = icalendar.single(event, FEED)
    (found,) = reader.Calendar.from_ical(file).walk("VEVENT")

    assert lines(file)[-1] == "END:VCALENDAR"
    assert str(found["summary"]) == title
    words, end = str(found["description"]), "\n".join(filter(None, [without_controls(reason), event["url"]]))
    assert words.endswith(end)
    # HTML does not tell one space from several.
    assert words.removesuffix(end).split() == unescape(description).split()


def without_controls(value: str) -> str:
    value = re.sub("[\x85\u2028\u2029]", " ", value.replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(one for one in value if one in "\t\n" or unicodedata.category(one) not in ("Cc", "Cs"))
