"""WordPress exports as items: every kind of post, order, broken and hostile files, memory."""

import io
import tracemalloc
from itertools import chain
from typing import Any

import pytest

from calendar_api.commands import SourceError
from calendar_api.commands.sources import wxr
from calendar_api.commands.sources.items import Item, Notice, Problem, Reference
from tests.commands.sources.reading import DIALECTS, Generated, Pipe, check, options

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


def test_site_whose_events_stand_before_what_they_name(pytestconfig: pytest.Config) -> None:
    with (DIALECTS / "wordpress.xml").open("rb") as stream:
        found = list(wxr.read(stream, options()))

    check(found, "wordpress.xml.jsonl", update=pytestconfig.getoption("update_golden"))


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
