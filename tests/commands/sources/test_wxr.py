"""WordPress exports as items: every kind of post, order, broken and hostile files, memory."""

import io
import tracemalloc
from itertools import chain
from typing import Any

import pytest

from calendar_api.commands import SourceError
from calendar_api.commands.sources import wxr
from calendar_api.commands.sources.items import Item, Notice, Noun, Problem, Reference
from tests.commands.sources.reading import Generated, Pipe, options

HEAD = (
    '<?xml version="1.0" encoding="UTF-8" ?>\n<!-- made by hand -->\n'
    '<rss version="2.0" xmlns:excerpt="e" xmlns:content="c" xmlns:wp="http://wordpress.org/export/1.2/">\n'
    "<channel>\n<title>Site</title>\n<wp:wxr_version>1.2</wp:wxr_version>\n"
)
END = "</channel>\n</rss>\n"
JAZZ = '<category domain="tribe_events_cat" nicename="jazz"><![CDATA[Jazz]]></category>'


def term(slug: str, name: str, parent: str = "", taxonomy: str = "tribe_events_cat") -> str:
    return (
        f"<wp:term><wp:term_id>1</wp:term_id><wp:term_taxonomy>{taxonomy}</wp:term_taxonomy>"
        f"<wp:term_slug><![CDATA[{slug}]]></wp:term_slug><wp:term_parent>{parent}</wp:term_parent>"
        f"<wp:term_name><![CDATA[{name}]]></wp:term_name></wp:term>\n"
    )


def post(type: str, id: int, title: str, *more: str, meta: Any = (), **texts: str) -> str:
    elements = {"post_id": str(id), "status": "publish", "post_type": type, "menu_order": "0"} | texts
    return "".join(
        [
            f"<item><title><![CDATA[{title}]]></title>",
            *(f"<wp:{name}><![CDATA[{text}]]></wp:{name}>" for name, text in elements.items()),
            *more,
            *(
                f"<wp:postmeta><wp:meta_key>{key}</wp:meta_key>"
                f"<wp:meta_value><![CDATA[{value}]]></wp:meta_value></wp:postmeta>"
                for key, value in (meta.items() if isinstance(meta, dict) else meta)
            ),
            "</item>\n",
        ]
    )


def event(id: int, *more: str, meta: Any = (), **texts: str) -> str:
    start = {"_EventStartDate": "2031-01-31 20:00:00", "_EventEndDate": "2031-01-31 22:00:00"}
    pairs = [*start.items(), *(meta.items() if isinstance(meta, dict) else meta)]
    return post("tribe_events", id, "Tango", *more, meta=pairs, **texts)


def read(*parts: str, **given: Any) -> list[Item | Problem | Notice]:
    content = "".join((HEAD, *parts, END)).encode()
    return list(wxr.read(io.BytesIO(content), options(**given)))


def only_event(*parts: str) -> dict[str, Any]:
    (item,) = [one for one in read(*parts) if isinstance(one, Item) and one.noun == "event"]
    return item.fields


PLAIN = {
    "title": "Tango", "status": "publish", "description": "", "timezone": "Europe/Berlin", "sticky": False,
    "start_date": "2031-01-31 20:00:00", "end_date": "2031-01-31 22:00:00",
    "venue": [], "organizer": [], "categories": [], "tags": [],
}  # fmt: skip


def test_site_whose_events_stand_before_what_they_name() -> None:
    found = read(
        term("jazz", "Jazz", parent="music"),
        term("music", "Music"),
        term("topic", "A topic", taxonomy="nav_menu"),
        "<wp:tag><wp:tag_slug>late</wp:tag_slug><wp:tag_name>Late &amp; long</wp:tag_name></wp:tag>",
        event(
            10,
            JAZZ,
            '<category domain="post_tag" nicename="late"><![CDATA[Late]]></category>',
            '<category domain="post_tag" nicename="%c3%bcber"><![CDATA[Über]]></category>',
            '<category domain="category" nicename="blog"><![CDATA[Blog]]></category>',
            "<content:encoded><![CDATA[One\ntwo\n\n<h2>Three</h2>\n\nFour]]></content:encoded>",
            "<excerpt:encoded><![CDATA[Short]]></excerpt:encoded>",
            "<wp:comment><wp:comment_content>Hello</wp:comment_content></wp:comment>",
            post_name="caf%c3%a9", post_date_gmt="2030-12-01 08:00:00", post_password="sesame",
            menu_order="-1",
            meta=[
                ("_EventTimezone", "Europe/Paris"), ("_EventAllDay", "yes"), ("_EventVenueID", "30"),
                ("_EventOrganizerID", "41"), ("_EventOrganizerID", "40"),
                ("_EventCost", "10"), ("_EventCost", "20"),
                ("_EventCurrencySymbol", "€"), ("_EventCurrencyPosition", "suffix"),
                ("_EventURL", "www.example.org/tango"), ("_EventShowMap", "1"), ("_EventShowMapLink", ""),
                ("_EventHideFromUpcoming", "yes"), ("_tribe_featured", "1"), ("_thumbnail_id", "50"),
                ("_tribe_events_status", "postponed"), ("_tribe_events_status_reason", "Rain"),
            ],
        ),
        post(
            "tribe_venue", 30, "Hall", status="draft",
            meta={
                "_VenueAddress": "Am Platz 1", "_VenueCity": "Ulm", "_VenueCountry": "Germany",
                "_VenueProvince": "BW", "_VenueState": "", "_VenueStateProvince": "BW",
                "_VenueZip": "89073", "_VenuePhone": "+49 731", "_VenueURL": "https://hall.example",
                "_VenueShowMap": "true", "_VenueLat": "48.4", "_VenueLng": "9.99", "_thumbnail_id": "50",
            },
        ),
        post(
            "tribe_organizer", 40, "Ann",
            meta={
                "_OrganizerEmail": "a@b.example", "_OrganizerPhone": "1", "_OrganizerWebsite": "ann.example",
            },
        ),
        post("tribe_organizer", 41, "Bo"),
        post("attachment", 50, "Poster", status="inherit", attachment_url="https://x.example/p.png"),
        post("page", 60, "About"),
        post("post", 61, "News"),
        post("post", 62, "More"),
        event(63, status="trash"),
    )  # fmt: skip

    image = "https://x.example/p.png"

    def read_term(noun: Noun, slug: str, name: str, **more: Any) -> Item:
        return Item(
            noun, slug, {"name": name, "slug": slug, "description": "", **more}, f"{noun} {slug}", name
        )

    assert found == [
        read_term("category", "music", "Music"),
        read_term("category", "jazz", "Jazz", parent=Reference("category", "music")),
        Item(
            "venue", "30",
            {
                "venue": "Hall", "status": "draft", "description": "", "address": "Am Platz 1", "city": "Ulm",
                "country": "Germany", "province": "BW", "stateprovince": "BW", "zip": "89073",
                "phone": "+49 731", "website": "https://hall.example", "show_map": True,
                "geo_lat": "48.4", "geo_lng": "9.99", "image": image,
            }, "post 30", "Hall",
        ),
        Item(
            "organizer", "40",
            {
                "organizer": "Ann", "status": "publish", "description": "", "email": "a@b.example",
                "phone": "1", "website": "http://ann.example",
            }, "post 40", "Ann",
        ),
        Item("organizer", "41", {"organizer": "Bo", "status": "publish", "description": ""}, "post 41", "Bo"),
        read_term("tag", "late", "Late & long"),
        read_term("tag", "über", "Über"),
        Item(
            "event", "10",
            {
                **PLAIN, "slug": "café", "date_utc": "2030-12-01 08:00:00", "password": "sesame",
                "sticky": True, "timezone": "Europe/Paris", "all_day": True,
                "venue": [Reference("venue", "30")],
                "organizer": [Reference("organizer", "41"), Reference("organizer", "40")],
                "cost": ["10€", "20€"], "website": "http://www.example.org/tango",
                "show_map": True, "show_map_link": False, "hide_from_listings": True, "featured": True,
                "image": image, "event_status": "postponed", "event_status_reason": "Rain",
                "excerpt": "Short", "description": "<p>One<br />\ntwo</p>\n<h2>Three</h2>\n<p>Four</p>",
                "categories": [Reference("category", "jazz")],
                "tags": [Reference("tag", "late"), Reference("tag", "über")],
            }, "post 10", "Tango",
        ),
    ]  # fmt: skip


def test_export_of_events_alone() -> None:
    found = read(
        event(10, JAZZ, meta={"_EventVenueID": "30", "_EventRecurrence": "a:1", "_thumbnail_id": "7"}),
        event(11, JAZZ),
    )

    jazz = {"name": "Jazz", "slug": "jazz", "description": ""}
    fields = {**PLAIN, "categories": [Reference("category", "jazz")]}
    assert found == [
        Item("category", "jazz", jazz, "category jazz", "Jazz"),
        Item("event", "10", {**fields, "venue": [Reference("venue", "30")]}, "post 10", "Tango"),
        Item("event", "11", fields, "post 11", "Tango"),
        Notice("1 events recur: the file has their first date only."),
        Notice("1 images are not in the file: choose All content in WordPress to export them."),
    ]


def test_occurrence_refers_to_the_first_one() -> None:
    first, child = read(event(10, meta={"_EventRecurrence": "a:1"}), event(11, post_parent="10"))[:2]

    assert "post_parent" not in first.fields
    assert child.fields["post_parent"] == Reference("event", "10")


def test_terms_in_a_circle_end() -> None:
    found = read(term("a", "A", parent="b"), term("b", "B", parent="a"))

    assert [(one.foreign_id, one.fields.get("parent")) for one in found if isinstance(one, Item)] == [
        ("b", None),
        ("a", Reference("category", "b")),
    ]


@pytest.mark.parametrize(
    ("wall", "utc", "start"),
    [
        ("2031-10-26 02:30:00", "2031-10-26 00:30:00", "2031-10-26 02:30:00"),
        ("2031-10-26 02:30:00", "2031-10-26 01:30:00", "2031-10-26 02:30:00+01:00"),
        ("2031-10-26 02:30:00", "2031-10-25 01:30:00", "2031-10-26 02:30:00"),
        ("someday", "2031-10-25 01:30:00", "someday"),
    ],
    ids=["first", "second", "stale", "no date"],
)
def test_time_that_the_clock_shows_twice(wall: str, utc: str, start: str) -> None:
    meta = {"_EventStartDate": wall, "_EventStartDateUTC": utc}

    assert only_event(post("tribe_events", 1, "Tango", meta=meta))["start_date"] == start


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ""),
        ("one\r\n\r\n\r\ntwo", "<p>one</p>\n<p>two</p>"),
        ("<ul><li>a</li></ul>\n\nb", "<ul><li>a</li></ul>\n<p>b</p>"),
        (
            "<!-- wp:paragraph -->\n<p>a</p>\n<!-- /wp:paragraph -->\n<!-- wp:tribe/event-datetime /-->",
            "<p>a</p>",
        ),
    ],
)
def test_lines_become_paragraphs(content: str, expected: str) -> None:
    element = f"<content:encoded><![CDATA[{content}]]></content:encoded>"

    assert only_event(event(1, element))["description"] == expected


def test_pipe_and_control_characters() -> None:
    content = f"{HEAD}{event(1)}{END}".replace("Tango", "Tan\x0bgo\x00").encode()

    (item,) = wxr.read(Pipe(content), options())

    assert item.title == "Tango"


@pytest.mark.parametrize("broken", ["<item><title>No", "<item></wp:term>", "<item>&nbsp;</item>"])
def test_what_comes_before_a_break_is_read(broken: str) -> None:
    content = f"{HEAD}{event(1)}{broken}".encode()

    item, problem = wxr.read(io.BytesIO(content), options())

    assert (item.foreign_id, problem.place) == ("1", "line 8")
    assert problem.reason.startswith("The file breaks off or is broken: ")


def test_blank_lines_before_the_file() -> None:
    """Plugins send them."""
    content = f"\ufeff\n \n{HEAD}{event(1)}<item>".encode()

    item, problem = wxr.read(io.BytesIO(content), options())

    assert (item.foreign_id, problem.place) == ("1", "line 10")


BOMB = '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (f"{BOMB}<rss><channel><item><title>&b;</title></item></channel></rss>", "DOCTYPE"),
        ('<!DOCTYPE rss SYSTEM "file:///etc/passwd"><rss/>', "DOCTYPE"),
        (f"{HEAD}<item a='{'x' * 9 * 2**20}", "post of more than"),
        (f"{HEAD}<item><content:encoded>{'x' * 9 * 2**20}", "post of more than"),
        (f"{HEAD}<!-- {'x' * 9 * 2**20}", "post of more than"),
        ("<rss><channel><title>News</title></channel></rss>", "no export of WordPress"),
        ("", "no export of WordPress"),
        ("Warning: x\n<rss/>", "broken at line 1: syntax error"),
        ('<?xml version="1.0" encoding="x-unknown"?><rss/>', "cannot be read: unknown encoding"),
    ],
    ids=["bomb", "external", "attribute", "text", "comment", "feed", "empty", "warning", "encoding"],
)
def test_hostile_and_other_files_are_refused(content: str, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        list(wxr.read(io.BytesIO(content.encode()), options()))


class Export(Generated):
    """An export of so many events, made while it is read."""

    def __init__(self, events: int) -> None:
        self.events = events
        self.seek(0)

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        assert (offset, whence) == (0, 0)
        body = f"<content:encoded>{'word ' * 2000}</content:encoded>"
        posts = (event(number, body, JAZZ) for number in range(self.events))
        super().__init__(part.encode() for part in chain([HEAD], posts, [END]))
        return 0


@pytest.mark.parametrize("events", [100, pytest.param(10_000, marks=pytest.mark.long)])
def test_memory_does_not_grow(events: int) -> None:
    """10,000 events are 100 MB."""
    stream = io.BufferedReader(Export(events))
    tracemalloc.start()
    try:
        found = sum(isinstance(one, Item) for one in wxr.read(stream, options()))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert found == events + 1
    assert most < 2**20
