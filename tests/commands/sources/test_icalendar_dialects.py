"""iCalendar as nine producers write it, and exactly what becomes of it."""

import io
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from calendar_api.commands.sources import icalendar_files
from calendar_api.commands.sources.items import Found, Item, Notice, Options, Reference

WINDOW = datetime(2031, 3, 1, tzinfo=UTC), datetime(2031, 12, 31, tzinfo=UTC)


def read(text: str | bytes, timezone: str = "", site: str = "") -> list[Found]:
    file = text if isinstance(text, bytes) else text.replace("\n", "\r\n").encode()
    return list(icalendar_files.read(io.BytesIO(file), Options(timezone, *WINDOW, site_timezone=site)))


def venue(name: str, address: str = "", **coordinates: float) -> Item:
    key = f"{name}, {address}" if address else name
    return Item(
        "venue", key.casefold(), {"venue": name, **({"address": address} if address else {}), **coordinates},
        "", name,
    )  # fmt: skip


def unplaced(found: list[Found]) -> list[Found]:
    """The same without the places in the file."""
    return [replace(one, place="") if isinstance(one, Item) else one for one in found]


GOOGLE = """BEGIN:VCALENDAR
PRODID:-//Google Inc//Google Calendar 70.9054//EN
VERSION:2.0
CALSCALE:GREGORIAN
METHOD:PUBLISH
X-WR-CALNAME:Town
X-WR-TIMEZONE:Europe/Berlin
BEGIN:VEVENT
DTSTART:20310501T173000Z
DTEND:20310501T193000Z
DTSTAMP:20310101T000000Z
ORGANIZER;CN=Town:mailto:town@group.calendar.google.com
UID:single@google.com
CLASS:PUBLIC
DESCRIPTION:<b>Come</b> all<br>to us
LOCATION:Town hall\\, Market 1\\, 89073 Ulm\\, Germany
STATUS:CONFIRMED
SUMMARY:Concert
TRANSP:OPAQUE
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:This is an event reminder
TRIGGER:-P0DT0H30M0S
END:VALARM
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20310322T190000
DTEND;TZID=Europe/Berlin:20310322T200000
RRULE:FREQ=WEEKLY;UNTIL=20310419T215959Z;BYDAY=SA
EXDATE;TZID=Europe/Berlin:20310405T190000
UID:weekly@google.com
SUMMARY:Choir
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20310412T203000
DTEND;TZID=Europe/Berlin:20310412T213000
RECURRENCE-ID;TZID=Europe/Berlin:20310412T190000
UID:weekly@google.com
SUMMARY:Choir (late)
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20310419T190000
DTEND;TZID=Europe/Berlin:20310419T200000
RECURRENCE-ID;TZID=Europe/Berlin:20310419T190000
UID:weekly@google.com
STATUS:CANCELLED
SUMMARY:Choir
END:VEVENT
END:VCALENDAR
"""


def test_google() -> None:
    series = Reference("series", "weekly@google.com")

    def choir(day: int, utc: str, clock: str, title: str = "Choir", **more: Any) -> Item:
        month = 3 if day > 19 else 4
        hour, minute = clock.split(":")
        fields = {
            "uid": f"weekly@google.com-{utc}", "title": title, "timezone": "Europe/Berlin", "all_day": False,
            "start_date": f"2031-{month:02}-{day} {clock}:00",
            "end_date": f"2031-{month:02}-{day} {int(hour) + 1}:{minute}:00", **more,
        }  # fmt: skip
        canceled = "event_status" in more
        return Item("event", f"weekly@google.com/{utc}", fields, "", title, canceled)

    assert unplaced(read(GOOGLE)) == [
        venue("Town hall", "Market 1, 89073 Ulm, Germany"),
        Item(
            "organizer", "town, town@group.calendar.google.com",
            {"organizer": "Town", "email": "town@group.calendar.google.com"}, "", "Town",
        ),
        Item(
            "event", "single@google.com",
            {
                "uid": "single@google.com", "title": "Concert", "timezone": "Europe/Berlin", "all_day": False,
                "start_date": "2031-05-01 19:30:00", "end_date": "2031-05-01 21:30:00",
                "description": "<b>Come</b> all<br>to us",
                "venue": [Reference("venue", "town hall, market 1, 89073 ulm, germany")],
                "organizer": [Reference("organizer", "town, town@group.calendar.google.com")],
            }, "", "Concert",
        ),
        choir(22, "20310322T180000Z", "19:00", post_parent=series),
        choir(29, "20310329T180000Z", "19:00", post_parent=series),
        choir(12, "20310412T170000Z", "20:30", "Choir (late)", post_parent=series),
        choir(19, "20310419T170000Z", "19:00", event_status="canceled"),
    ]  # fmt: skip


OUTLOOK = """BEGIN:VCALENDAR
PRODID:-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN
VERSION:2.0
METHOD:PUBLISH
X-MS-OLK-FORCEINSPECTOROPEN:TRUE
BEGIN:VTIMEZONE
TZID:W. Europe Standard Time
BEGIN:STANDARD
DTSTART:16011028T030000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010325T020000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
CLASS:PRIVATE
DESCRIPTION:Bring a\\npencil\\n
DTEND;TZID="W. Europe Standard Time":20310611T110000
DTSTAMP:20310101T000000Z
DTSTART;TZID="W. Europe Standard Time":20310611T093000
SUMMARY;LANGUAGE=de:Gespräch
UID:040000008200E00074C5B7101A82E00800000000
X-ALT-DESC;FMTTYPE=text/html:<html><head><title>x</title></head><body lang=DE>
 <p>Bring a<br>pencil\\, please</p></body></html>
X-MICROSOFT-CDO-BUSYSTATUS:BUSY
X-MICROSOFT-CDO-ALLDAYEVENT:FALSE
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID="W. Europe Standard Time":20310614T000000
DTEND;TZID="W. Europe Standard Time":20310616T000000
SUMMARY:Fair
UID:fair
X-MICROSOFT-CDO-ALLDAYEVENT:TRUE
END:VEVENT
END:VCALENDAR
"""


def test_outlook() -> None:
    uid = "040000008200E00074C5B7101A82E00800000000"
    assert unplaced(read(OUTLOOK)) == [
        Item(
            "event", uid,
            {
                "uid": uid, "title": "Gespräch", "timezone": "Europe/Berlin", "all_day": False,
                "start_date": "2031-06-11 09:30:00", "end_date": "2031-06-11 11:00:00",
                "description": "<p>Bring a<br>pencil, please</p>", "status": "private",
            }, "", "Gespräch",
        ),
        Item(
            "event", "fair",
            {
                "uid": "fair", "title": "Fair", "timezone": "Europe/Berlin", "all_day": True,
                "start_date": "2031-06-14 00:00:00", "end_date": "2031-06-15 23:59:59",
            }, "", "Fair",
        ),
    ]  # fmt: skip


APPLE = """BEGIN:VCALENDAR
CALSCALE:GREGORIAN
PRODID:-//Apple Inc.//macOS 15.1//EN
VERSION:2.0
X-APPLE-CALENDAR-COLOR:#FF2968
BEGIN:VTODO
UID:todo
SUMMARY:Buy stamps
END:VTODO
BEGIN:VEVENT
DTEND;VALUE=DATE:20310710
DTSTART;VALUE=DATE:20310708
LOCATION:City Park\\nParkweg 3\\, 89073 Ulm
SUMMARY:Camp
TRANSP:TRANSPARENT
UID:1A2B
URL;VALUE=URI:https://camp.example/
X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS="Parkweg 3\\\\n89073 Ulm";X-
 APPLE-RADIUS=70;X-TITLE=City Park:geo:48.398400,9.991550
END:VEVENT
END:VCALENDAR
"""


def test_apple() -> None:
    park = venue("City Park", "Parkweg 3, 89073 Ulm", geo_lat=48.3984, geo_lng=9.99155)
    assert unplaced(read(APPLE, "Europe/Vienna")) == [
        park,
        Item(
            "event", "1A2B",
            {
                "uid": "1A2B", "title": "Camp", "timezone": "Europe/Vienna", "all_day": True,
                "start_date": "2031-07-08 00:00:00", "end_date": "2031-07-09 23:59:59",
                "website": "https://camp.example/", "venue": [Reference("venue", park.foreign_id)],
            }, "", "Camp",
        ),
    ]  # fmt: skip


MEETUP = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Meetup//Meetup Calendar 1.0//EN
X-ORIGINAL-URL:https://www.meetup.com/python-ulm/events/ical/
BEGIN:VTIMEZONE
TZID:America/New_York
X-LIC-LOCATION:America/New_York
END:VTIMEZONE
BEGIN:VEVENT
DTSTAMP:20310101T000000Z
DTSTART;TZID=America/New_York:20311102T183000
DTEND;TZID=America/New_York:20311102T203000
STATUS:CONFIRMED
SUMMARY:Lightning talks
DESCRIPTION:Python Ulm\\nSunday\\, November 2 at 6:30 PM\\n\\nBring a laptop & <3
CLASS:PUBLIC
GEO:40.75;-73.98
LOCATION:The Loft (5th Avenue 1\\, New York\\, NY)
URL:https://www.meetup.com/python-ulm/events/1/
UID:event_1@meetup.com
END:VEVENT
END:VCALENDAR
"""


def test_meetup() -> None:
    loft = venue("The Loft", "5th Avenue 1, New York, NY", geo_lat=40.75, geo_lng=-73.98)
    assert unplaced(read(MEETUP)) == [
        loft,
        Item(
            "event", "event_1@meetup.com",
            {
                "uid": "event_1@meetup.com", "title": "Lightning talks", "timezone": "America/New_York",
                "all_day": False, "start_date": "2031-11-02 18:30:00", "end_date": "2031-11-02 20:30:00",
                "description": "<p>Python Ulm<br />\nSunday, November 2 at 6:30 PM</p>\n"
                "<p>Bring a laptop &amp; &lt;3</p>",
                "website": "https://www.meetup.com/python-ulm/events/1/",
                "venue": [Reference("venue", loft.foreign_id)],
            }, "", "Lightning talks",
        ),
    ]  # fmt: skip


OFFICE_365 = """BEGIN:VCALENDAR
METHOD:PUBLISH
PRODID:Microsoft Exchange Server 2010
VERSION:2.0
X-WR-CALNAME:Calendar
BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T020000
TZOFFSETFROM:-0700
TZOFFSETTO:-0800
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=1SU;BYMONTH=11
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:-0800
TZOFFSETTO:-0700
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=2SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
UID:AAMkAD
SUMMARY:Review
DTSTART;TZID=Customized Time Zone:20310704T090000
DTEND;TZID=Customized Time Zone:20310704T100000
CLASS:CONFIDENTIAL
LOCATION:https://teams.example/l/1
SEQUENCE:0
STATUS:TENTATIVE
END:VEVENT
END:VCALENDAR
"""


def test_office_365() -> None:
    assert unplaced(read(OFFICE_365)) == [
        Item(
            "event", "AAMkAD",
            {
                "uid": "AAMkAD", "title": "Review", "timezone": "America/Los_Angeles", "all_day": False,
                "start_date": "2031-07-04 09:00:00", "end_date": "2031-07-04 10:00:00",
                "website": "https://teams.example/l/1", "status": "private",
            }, "", "Review",
        ),
    ]  # fmt: skip


NEXTCLOUD = """BEGIN:VCALENDAR
CALSCALE:GREGORIAN
VERSION:2.0
PRODID:-//IDN nextcloud.com//Calendar app 5.0//EN
BEGIN:VEVENT
CREATED:20310101T000000Z
UID:nc-1
DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20310902T180000
DURATION:PT1H45M
SUMMARY:Repair café
CATEGORIES:Repair,Do it yourself
CATEGORIES:Repair
ATTACH;FMTTYPE=image/jpeg;X-NC-FILE-ID=9:https://cloud.example/s/poster
IMAGE;VALUE=BINARY;ENCODING=BASE64;FMTTYPE=image/png:iVBORw0KGgo=
END:VEVENT
END:VCALENDAR
BEGIN:VCALENDAR
BEGIN:VJOURNAL
UID:journal
SUMMARY:Notes
END:VJOURNAL
BEGIN:VEVENT
UID:nc-2
DTSTART:20310903T180000
SUMMARY:Second calendar
END:VEVENT
END:VCALENDAR
"""


def test_nextcloud() -> None:
    terms = ("repair", "Repair"), ("do it yourself", "Do it yourself")
    assert unplaced(read(NEXTCLOUD, "Europe/Paris")) == [
        *(Item("category", key, {"name": name}, "", name) for key, name in terms),
        Item(
            "event", "nc-1",
            {
                "uid": "nc-1", "title": "Repair café", "timezone": "Europe/Berlin", "all_day": False,
                "start_date": "2031-09-02 18:00:00", "end_date": "2031-09-02 19:45:00",
                "image": "https://cloud.example/s/poster",
                "categories": [Reference("category", key) for key, _ in terms],
            }, "", "Repair café",
        ),
        Item(
            "event", "nc-2",
            {
                "uid": "nc-2", "title": "Second calendar", "timezone": "Europe/Paris", "all_day": False,
                "start_date": "2031-09-03 18:00:00", "end_date": "2031-09-03 18:00:00",
            }, "", "Second calendar",
        ),
    ]  # fmt: skip


WORDPRESS = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Old site - ECPv6.8.2//NONSGML v1.0//EN
X-WR-CALNAME:Old site
X-ORIGINAL-URL:https://old.example
BEGIN:VEVENT
DTSTART;TZID=America/Chicago:20310310T190000
DTEND;TZID=America/Chicago:20310310T210000
CREATED:20310101T000000Z
UID:10000312-1930935600-1930942800@old.example
SUMMARY:Book club
DESCRIPTION:We read.\\n\\nThen we talk.
URL:https://old.example/event/book-club/
LOCATION:Library\\, Main St. 5\\, Springfield\\, IL\\, 62701\\, United States
GEO:39.8;-89.65
CATEGORIES:Books & Film
ATTACH;FMTTYPE=image/jpeg:https://old.example/wp-content/uploads/books.jpg
ORGANIZER;CN="Jane%20Doe":MAILTO:jane@old.example
END:VEVENT
END:VCALENDAR
"""


def test_wordpress() -> None:
    library = venue(
        "Library", "Main St. 5, Springfield, IL, 62701, United States", geo_lat=39.8, geo_lng=-89.65
    )
    jane = Reference("organizer", "jane doe, jane@old.example")
    uid = "10000312-1930935600-1930942800@old.example"
    assert unplaced(read(WORDPRESS)) == [
        library,
        Item(*jane, {"organizer": "Jane Doe", "email": "jane@old.example"}, "", "Jane Doe"),
        Item("category", "books & film", {"name": "Books & Film"}, "", "Books & Film"),
        Item(
            "event", uid,
            {
                "uid": uid, "title": "Book club", "timezone": "America/Chicago", "all_day": False,
                "start_date": "2031-03-10 19:00:00", "end_date": "2031-03-10 21:00:00",
                "description": "<p>We read.</p>\n<p>Then we talk.</p>",
                "website": "https://old.example/event/book-club/",
                "image": "https://old.example/wp-content/uploads/books.jpg",
                "venue": [Reference("venue", library.foreign_id)], "organizer": [jane],
                "categories": [Reference("category", "books & film")],
            }, "", "Book club",
        ),
    ]  # fmt: skip


GANCIO = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//gancio//ics
METHOD:PUBLISH
BEGIN:VEVENT
UID:41@gancio.example
SUMMARY:[Squat] Benefit
DTSTAMP:20310101T000000Z
DTSTART:20311026T003000Z
DTEND:20311026T013000Z
X-ALT-DESC;FMTTYPE=text/html:<p></p>
DESCRIPTION:Food\\, music
URL:https://gancio.example/event/benefit
STATUS:CONFIRMED
LOCATION:Squat - Via Roma 1
END:VEVENT
END:VCALENDAR
"""


def test_gancio() -> None:
    assert unplaced(read(GANCIO.replace("METHOD", "X-WR-TIMEZONE:Europe/Rome\nMETHOD"))) == [
        venue("Squat - Via Roma 1"),
        Item(
            "event", "41@gancio.example",
            {
                "uid": "41@gancio.example", "title": "[Squat] Benefit", "timezone": "Europe/Rome",
                # Half past two twice: summer time ends.
                "all_day": False, "start_date": "2031-10-26 02:30:00",
                "end_date": "2031-10-26 02:30:00+01:00",
                "description": "<p>Food, music</p>", "website": "https://gancio.example/event/benefit",
                "venue": [Reference("venue", "squat - via roma 1")],
            }, "", "[Squat] Benefit",
        ),
    ]  # fmt: skip


HAND_MADE = """begin:vcalendar
begin:vevent
summary:Grillfest für alle
dtstart;value=date:20310801
location:Spielplatz (am Bach)
end:vevent
begin:vevent
summary:Kaffee
dtstart:20310802
dtend:20310802
end:vevent
end:vcalendar
"""


def test_hand_made_latin_1_without_uids() -> None:
    found = unplaced(read(HAND_MADE.encode("cp1252"), "Europe/Zurich"))
    ids = [one.foreign_id for one in found if isinstance(one, Item) and one.noun == "event"]

    def event(uid: str, title: str, day: str, **more: Any) -> Item:
        fields = {
            "uid": uid, "title": title, "timezone": "Europe/Zurich", "all_day": True,
            "start_date": f"{day} 00:00:00", "end_date": f"{day} 23:59:59", **more,
        }  # fmt: skip
        return Item("event", uid, fields, "", title)

    assert found == [
        Notice("Line 3 is not UTF-8; such lines are read as Windows-1252."),
        venue("Spielplatz", "am Bach"),
        event(ids[0], "Grillfest für alle", "2031-08-01", venue=[Reference("venue", "spielplatz, am bach")]),
        event(ids[1], "Kaffee", "2031-08-02"),
    ]
    assert unplaced(read(b"\xef\xbb\xbf" + HAND_MADE.encode(), "Europe/Zurich")) == found[1:]
    assert len(set(ids)) == 2
