"""Events as iCalendar: each property (RFC 5545, RFC 7986)."""

from datetime import datetime
from typing import Any

import icalendar as reader
import pytest

from calendar_api import __version__
from calendar_api.representations import icalendar
from tests.calendar_readers import lines
from tests.representations.feed_events import SITE, all_day, between, feed, masked, numbered

FEED = feed(name="Town: Music, Art; Film", description="All, always")


def component(**fields: Any) -> list[str]:
    """The lines of an event without those that tests of other properties check."""
    found = lines(icalendar.single(numbered(**fields), FEED))
    found = found[found.index("BEGIN:VEVENT") + 1 : found.index("END:VEVENT")]
    usual = "UID DTSTAMP LAST-MOD CREATED SEQUENCE:0 URL STATUS:CONF SUMMARY:Event DT DESCRIPTION:https"
    return [line for line in found if not line.startswith(tuple(usual.split()))]


# -- properties

HEAD = (
    "BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:-//calendar-api//{__version__}//EN", "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
)  # fmt: skip
SOURCE = f"URL:{FEED.page_url}", f"SOURCE;VALUE=URI:{FEED.self_url}"


def test_head_of_a_feed() -> None:
    assert lines(icalendar.calendar([], FEED)) == [
        *HEAD, "NAME:Town: Music\\, Art\\; Film", "X-WR-CALNAME:Town: Music\\, Art\\; Film",
        "DESCRIPTION:All\\, always", "X-WR-CALDESC:All\\, always", "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        "X-PUBLISHED-TTL:PT1H", "X-WR-TIMEZONE:Europe/Berlin", *SOURCE, "END:VCALENDAR",
    ]  # fmt: skip
    found = lines(icalendar.calendar([], feed(timezone="UTC", ttl=90)))
    assert "X-PUBLISHED-TTL:PT90M" in found
    assert not any(line.startswith("X-WR-TIMEZONE") for line in found)


@pytest.mark.parametrize("letter", ["a", "é", "😀"])
def test_description_is_folded_with_the_address_at_its_end(letter: str) -> None:
    """Whatever its length: the lines before the address are folded when the event is stored."""
    url = f"{SITE}/event/{'x' * 90}/"
    for length in range(160):
        text = letter * length
        event = numbered(description=f"<p>{text}</p>", url=url, website=url)
        described = icalendar.single(event, FEED).partition(b"\r\nDESCRIPTION:")[2].partition(b"\r\nURL:")[0]
        folded = [one.decode() for one in (b"DESCRIPTION:" + described).split(b"\r\n ")]
        whole = f"{text}\\n\\n" if text else ""
        assert "".join(folded) == f"DESCRIPTION:{whole}{url}"
        for before, after in zip([folded[0], *(f" {one}" for one in folded[1:])], folded[1:], strict=False):
            assert len(before.encode()) <= 75 < len((before + after[0]).encode())


def test_file_of_one_event() -> None:
    """Without a name and a time to fetch it again: it is imported once, into a calendar that exists."""
    event = numbered(
        uid="a&lt;b", title="Fair &#038; Feast", sequence=3, url=f"{SITE}/event/fair/", website="http://fair.org/?a=1&amp;b",
        event_status_reason="&lt;b>Storm", description="<p>All day</p>",
    )  # fmt: skip
    assert lines(icalendar.single(event, FEED)) == [
        *HEAD, *SOURCE, "BEGIN:VEVENT", "UID:a<b", "DTSTAMP:20310102T093015Z",
        "LAST-MODIFIED:20310102T093015Z", "CREATED:20310101T080000Z", "SEQUENCE:3", "STATUS:CONFIRMED",
        "DTSTART:20310501T100000Z", "DTEND:20310501T120000Z", "SUMMARY:Fair & Feast",
        f"DESCRIPTION:All day\\n\\n<b>Storm\\nhttp://fair.org/?a=1&b\\n{SITE}/event/fair/",
        f"URL:{SITE}/event/fair/", "END:VEVENT", "END:VCALENDAR",
    ]  # fmt: skip


def test_property() -> None:
    for fields, expected in (
        ({"event_status": "canceled"}, ["STATUS:CANCELLED"]),
        ({"event_status": "postponed"}, ["STATUS:TENTATIVE"]),
        *(({"status": status}, ["STATUS:TENTATIVE", "CLASS:PRIVATE"]) for status in ("draft", "pending")),
        *(({"status": status}, ["CLASS:PRIVATE"]) for status in ("private", "future")),
        ({"status": "draft", "event_status": "canceled"}, ["STATUS:CANCELLED", "CLASS:PRIVATE"]),
        ({"parent_uid": "a,b"}, ["RELATED-TO;RELTYPE=PARENT:a\\,b"]),
        ({"categories": [{"name": "Food, drink"}], "tags": [{"name": "A &amp; B"}, {"name": "c;d"}]},
         ["CATEGORIES:Food\\, drink,A & B,c\\;d"]),
        ({"organizer": [{}, {"organizer": "Ann &#038; Bob"}]}, ["CONTACT:Ann & Bob"]),
        # The first of them with an address is the organizer.
        ({"organizer": [{"organizer": "A"}, {"organizer": "B &quot;C&quot;", "email": "b@x.org"},
                        {"organizer": "D", "email": "d@x.org"}]},
         ["CONTACT:A", "ORGANIZER;CN=\"B 'C'\":mailto:b@x.org", "CONTACT:D"]),
        ({"venue": [{"venue": "A &#038; B", "address": "1 &lt;b, left", "zip": "88131"}, {"venue": ""}]},
         ["LOCATION:A & B\\, 1 <b\\, left\\, 88131"]),
        ({"venue": {"venue": "Hall", "city": "Lindau", "state": "no", "stateprovince": "Bavaria",
                    "zip": "88131", "country": "Germany", "geo_lat": 47.5, "geo_lng": -0.1234567}},
         ["LOCATION:Hall\\, Lindau\\, Bavaria\\, 88131\\, Germany", "GEO:47.500000;-0.123457"]),
        ({"venue": {"id": 1}}, []),  # records leave out a name of "0"
        ({"image": {"url": f"{SITE}/a,b.jpg", "extension": "JPG"}},
         [f"IMAGE;VALUE=URI;DISPLAY=BADGE;FMTTYPE=image/jpeg:{SITE}/a,b.jpg",
          f"ATTACH;FMTTYPE=image/jpeg:{SITE}/a,b.jpg"]),
        ({"image": {"url": f"{SITE}/a", "extension": ""}},
         [f"IMAGE;VALUE=URI;DISPLAY=BADGE:{SITE}/a", f"ATTACH:{SITE}/a"]),
    ):  # fmt: skip
        assert component(**fields) == expected


def test_description_is_text() -> None:
    for markup, plain, is_rich in (
        ("<p>a &amp; b &lt;i&gt;</p>\n<p>c<br />\nd<br />e</p>", "a & b <i>\n\nc\nd\ne", False),
        ("<p>a\nb</p>\n<p>c  d</p>", "a b\n\nc d", False),
        ("<h2>A</h2>\n<p>b</p>", "A\n\nb", True),
        ("<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>c</p>", "a\nb\n\nc", True),
        ('<p><a href="http://x.org/?a=1&amp;b" rel="noopener nofollow">the <b>x</b></a>.</p>',
         "the x (http://x.org/?a=1&b).", True),
        ('<a href="http://x.org">http://x.org</a> <a href="mailto:a@x.org">a@x.org</a>',
         "http://x.org a@x.org", True),
        ('<a title="x">y</a> <td colspan="2">z</td>', "y z", True),
        ("<p>a</p><pre>b\n  c\n\nd</pre>", "a\n\nb\nc\n\nd", True),
        ("<p>&amp;lt;</p>", "&lt;", False),
    ):  # fmt: skip
        event = numbered(description=markup)
        (found,) = reader.Calendar.from_ical(icalendar.single(event, FEED)).walk("VEVENT")
        assert str(found["description"]) == f"{plain}\n\n{event['url']}"
        rich = found.get("x-alt-desc", "")
        assert rich.replace("\\n", "\n").replace("\\;", ";") == (markup if is_rich else "")


# -- times


@pytest.mark.parametrize(
    ("zone", "start", "end", "expected"),
    [
        ("UTC+5:30", "2031-05-01 04:30:00", "2031-05-01 06:30:00",
         ["DTSTART:20310501T043000Z", "DTEND:20310501T063000Z"]),
        ("Asia/Kolkata", "2031-05-01 04:30:00", "2031-05-01 06:30:00",
         ["DTSTART;TZID=Asia/Kolkata:20310501T100000", "DTEND;TZID=Asia/Kolkata:20310501T120000"]),
        ("asia/kolkata", "2031-05-01 04:30:00", "2031-05-01 04:30:00",
         ["DTSTART;TZID=Asia/Kolkata:20310501T100000"]),
        ("Europe/Berlin", "2031-10-25 23:30:00", "2031-10-26 00:30:00",
         ["DTSTART:20311025T233000Z", "DTEND:20311026T003000Z"]),
        ("Europe/Berlin", "2031-10-26 00:30:00", "2031-10-26 01:30:00",
         ["DTSTART:20311026T003000Z", "DTEND:20311026T013000Z"]),
        ("Europe/Berlin", "1969-12-31 22:59:59", "1969-12-31 23:00:00",
         ["DTSTART:19691231T225959Z", "DTEND:19691231T230000Z"]),
        ("Europe/Berlin", "2031-05-01 08:00:00", "9999-12-30 22:59:59",
         ["DTSTART:20310501T080000Z", "DTEND:99991230T225959Z"]),
    ],
    ids=["offset", "zone", "no duration", "end occurs twice", "start and end occur twice", "1969", "9999"],
)  # fmt: skip
def test_times(zone: str, start: str, end: str, expected: list[str]) -> None:
    event = between(*(datetime.fromisoformat(f"{moment}+00:00") for moment in (start, end)), zone)
    found = lines(icalendar.single(event, FEED))
    assert [line for line in found[found.index("BEGIN:VEVENT") :] if line.startswith("DT")][1:] == expected
    assert ("BEGIN:VTIMEZONE" in found) == ("TZID" in expected[0])


def test_days_are_those_of_the_event() -> None:
    days = numbered(
        all_day=True, timezone="Pacific/Kiritimati",
        start_date="2031-02-27 00:00:00", end_date="2031-02-28 23:59:59",
        utc_start_date="2031-02-26 10:00:00", utc_end_date="2031-02-28 09:59:59",
    )  # fmt: skip
    expected = ["DTSTART;VALUE=DATE:20310227", "DTEND;VALUE=DATE:20310301", "TRANSP:TRANSPARENT"]
    assert set(expected) <= set(lines(icalendar.single(days, FEED)))


def test_masked_event_of_whole_days_has_dates() -> None:
    """With times, it would fill whole days of the subscriber's calendar."""
    masked_days = all_day() | {"all_day": None}

    assert lines(icalendar.single(masked_days, FEED)) == lines(icalendar.single(all_day(), FEED))


def test_masked_event_has_title_and_times_only() -> None:
    found = lines(icalendar.single(masked(), FEED))
    names = [line.partition(":")[0] for line in found[found.index("BEGIN:VEVENT") + 1 : -2]]
    assert names == [
        "UID", "DTSTAMP", "LAST-MODIFIED", "CREATED", "SEQUENCE", "STATUS", "DTSTART;TZID=Europe/Berlin",
        "DTEND;TZID=Europe/Berlin", "SUMMARY", "DESCRIPTION", "URL",
    ]  # fmt: skip
