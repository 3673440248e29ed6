"""What becomes of iCalendar files as nine producers write them: those in `dialects`."""

import io
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from calendar_api.commands.sources import icalendar_files
from calendar_api.commands.sources.items import Found, Item, Notice, Options, Reference

FOLDER = Path(__file__).with_name("dialects")
WINDOW = datetime(2031, 3, 1, tzinfo=UTC), datetime(2031, 12, 31, tzinfo=UTC)


def read(text: str | bytes, timezone: str = "", site: str = "") -> list[Found]:
    file = text if isinstance(text, bytes) else text.replace("\n", "\r\n").encode()
    return list(icalendar_files.read(io.BytesIO(file), Options(timezone, *WINDOW, site_timezone=site)))


def dialect(name: str) -> str:
    return (FOLDER / f"{name}.ics").read_text("utf-8")


def venue(name: str, address: str = "", **coordinates: float) -> Item:
    key = f"{name}, {address}" if address else name
    fields = {"venue": name, **({"address": address} if address else {}), **coordinates}
    return Item("venue", key.casefold(), fields, "", name)


def event(
    uid: str, title: str, zone: str, start: str, end: str, *, all_day: bool = False, **more: Any
) -> Item:
    """An event whose identifier is its UID."""
    times = {"timezone": zone, "all_day": all_day, "start_date": f"2031-{start}", "end_date": f"2031-{end}"}
    return Item("event", uid, {"uid": uid, "title": title, **times, **more}, "", title)


def unplaced(found: list[Found]) -> list[Found]:
    """The same without the places in the file."""
    return [replace(one, place="") if isinstance(one, Item) else one for one in found]


def test_google() -> None:
    series = Reference("series", "weekly@google.com")
    town = Reference("organizer", "town, town@group.calendar.google.com")

    def choir(utc: str, start: str, end: str, title: str = "Choir", **more: Any) -> Item:
        """An occurrence of the series."""
        one = event(f"weekly@google.com-{utc}", title, "Europe/Berlin", start, end, **more)
        return replace(one, foreign_id=f"weekly@google.com/{utc}", canceled="event_status" in more)

    assert unplaced(read(dialect("google"))) == [
        venue("Town hall", "Market 1, 89073 Ulm, Germany"),
        Item(*town, {"organizer": "Town", "email": "town@group.calendar.google.com"}, "", "Town"),
        event(
            "single@google.com", "Concert", "Europe/Berlin", "05-01 19:30:00", "05-01 21:30:00",
            description="<b>Come</b> all<br>to us", organizer=[town],
            venue=[Reference("venue", "town hall, market 1, 89073 ulm, germany")],
        ),
        choir("20310322T180000Z", "03-22 19:00:00", "03-22 20:00:00", post_parent=series),
        choir("20310329T180000Z", "03-29 19:00:00", "03-29 20:00:00", post_parent=series),
        choir("20310412T170000Z", "04-12 20:30:00", "04-12 21:30:00", "Choir (late)", post_parent=series),
        choir("20310419T170000Z", "04-19 19:00:00", "04-19 20:00:00", event_status="canceled"),
    ]  # fmt: skip


def test_outlook() -> None:
    assert unplaced(read(dialect("outlook"))) == [
        event(
            "040000008200E00074C5B7101A82E00800000000", "Gespräch", "Europe/Berlin", "06-11 09:30:00",
            "06-11 11:00:00", description="<p>Bring a<br>pencil, please</p>", status="private",
        ),
        event("fair", "Fair", "Europe/Berlin", "06-14 00:00:00", "06-15 23:59:59", all_day=True),
    ]  # fmt: skip


def test_apple() -> None:
    park = venue("City Park", "Parkweg 3, 89073 Ulm", geo_lat=48.3984, geo_lng=9.99155)
    assert unplaced(read(dialect("apple"), "Europe/Vienna")) == [
        park,
        event(
            "1A2B", "Camp", "Europe/Vienna", "07-08 00:00:00", "07-09 23:59:59", all_day=True,
            website="https://camp.example/", venue=[Reference("venue", park.foreign_id)],
        ),
    ]  # fmt: skip


def test_meetup() -> None:
    loft = venue("The Loft", "5th Avenue 1, New York, NY", geo_lat=40.75, geo_lng=-73.98)
    date, text = "Python Ulm<br />\nSunday, November 2 at 6:30 PM", "Bring a laptop &amp; &lt;3"
    assert unplaced(read(dialect("meetup"))) == [
        loft,
        event(
            "event_1@meetup.com", "Lightning talks", "America/New_York", "11-02 18:30:00", "11-02 20:30:00",
            description=f"<p>{date}</p>\n<p>{text}</p>",
            website="https://www.meetup.com/python-ulm/events/1/",
            venue=[Reference("venue", loft.foreign_id)],
        ),
    ]  # fmt: skip


def test_office_365() -> None:
    assert unplaced(read(dialect("office_365"))) == [
        event(
            "AAMkAD", "Review", "America/Los_Angeles", "07-04 09:00:00", "07-04 10:00:00",
            website="https://teams.example/l/1", status="private",
        ),
    ]  # fmt: skip


def test_nextcloud() -> None:
    terms = ("repair", "Repair"), ("do it yourself", "Do it yourself")
    assert unplaced(read(dialect("nextcloud"), "Europe/Paris")) == [
        *(Item("category", key, {"name": name}, "", name) for key, name in terms),
        event(
            "nc-1", "Repair café", "Europe/Berlin", "09-02 18:00:00", "09-02 19:45:00",
            image="https://cloud.example/s/poster",
            categories=[Reference("category", key) for key, _ in terms],
        ),
        event("nc-2", "Second calendar", "Europe/Paris", "09-03 18:00:00", "09-03 18:00:00"),
    ]  # fmt: skip


def test_wordpress() -> None:
    address = "Main St. 5, Springfield, IL, 62701, United States"
    library = venue("Library", address, geo_lat=39.8, geo_lng=-89.65)
    jane = Reference("organizer", "jane doe, jane@old.example")
    assert unplaced(read(dialect("wordpress"))) == [
        library,
        Item(*jane, {"organizer": "Jane Doe", "email": "jane@old.example"}, "", "Jane Doe"),
        Item("category", "books & film", {"name": "Books & Film"}, "", "Books & Film"),
        event(
            "10000312-1930935600-1930942800@old.example", "Book club", "America/Chicago",
            "03-10 19:00:00", "03-10 21:00:00", description="<p>We read.</p>\n<p>Then we talk.</p>",
            website="https://old.example/event/book-club/",
            image="https://old.example/wp-content/uploads/books.jpg",
            venue=[Reference("venue", library.foreign_id)], organizer=[jane],
            categories=[Reference("category", "books & film")],
        ),
    ]  # fmt: skip


def test_gancio() -> None:
    """Summer time ends, so that it is half past two twice."""
    assert unplaced(read(dialect("gancio"))) == [
        venue("Squat - Via Roma 1"),
        event(
            "41@gancio.example", "[Squat] Benefit", "Europe/Rome", "10-26 02:30:00", "10-26 02:30:00+01:00",
            description="<p>Food, music</p>", website="https://gancio.example/event/benefit",
            venue=[Reference("venue", "squat - via roma 1")],
        ),
    ]  # fmt: skip


def test_hand_made_latin_1_without_uids() -> None:
    found = unplaced(read(dialect("hand_made").encode("cp1252"), "Europe/Zurich"))
    first, second = (one.foreign_id for one in found if isinstance(one, Item) and one.noun == "event")

    assert found == [
        Notice("Line 3 is not UTF-8; such lines are read as Windows-1252."),
        venue("Spielplatz", "am Bach"),
        event(
            first, "Grillfest für alle", "Europe/Zurich", "08-01 00:00:00", "08-01 23:59:59", all_day=True,
            venue=[Reference("venue", "spielplatz, am bach")],
        ),
        event(second, "Kaffee", "Europe/Zurich", "08-02 00:00:00", "08-02 23:59:59", all_day=True),
    ]  # fmt: skip
    assert unplaced(read(b"\xef\xbb\xbf" + dialect("hand_made").encode(), "Europe/Zurich")) == found[1:]
    assert first != second
