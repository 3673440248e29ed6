"""RSS and Atom: what feedparser and an XML parser read from them; names of the files of all feeds."""

import re
import time
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import feedparser
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calendar_api.domain.text import escape
from calendar_api.representations import syndication
from calendar_api.representations.feed import disposition
from tests.representations.feed_events import (
    Json,
    all_day,
    event,
    feed,
    image,
    masked,
    organizer,
    term,
    venue,
)  # fmt: skip

ATOM = "{http://www.w3.org/2005/Atom}"
EV = "{http://purl.org/rss/1.0/modules/event/}"
FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
HOSTILE = (
    "<img src=x onerror=alert(1)>", "</script><script>", "]]><!--", "=cmd()",
    'a "b" \'c\' & &amp; &lt;', "x" * 10_000, "one\ntwo\r\nthree\rfour\tfive",
    "\0\x0b\x1f\ufffe\uffff\x85\u2028", "😀 \u202e",
)  # fmt: skip
Write = Callable[[list[Json], Any], bytes]
BOTH = pytest.mark.parametrize("write", [syndication.rss, syndication.atom], ids=["rss", "atom"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def xml(content: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(content)  # noqa: S314 - our own feed


def parsed(content: bytes) -> Any:
    found = feedparser.parse(content)
    assert not found.bozo, found.bozo_exception
    return found


def contents(content: bytes) -> str:
    """The HTML of the first event as the feed contains it."""
    root = xml(content)
    return root.findtext("channel/item/description") or root.findtext(f"{ATOM}entry/{ATOM}content") or ""


@BOTH
def test_readers_find_every_part_of_an_event(write: Write) -> None:
    full = event(
        title="Tango &#038; &lt;more&gt;", description="<p>Long &amp; <b>bold</b></p>", image=image(),
        venue=venue(city="Ulm"), organizer=[organizer(organizer="Ann &amp; Bob")],
        categories=[term("Rock & roll")], tags=[term("free")],
    )  # fmt: skip

    found = parsed(write([full], feed()))

    (entry,) = found.entries
    assert (entry.link, entry.author) == (full["url"], "Ann & Bob")
    assert entry.published_parsed == time.struct_time((2026, 11, 1, 8, 30, 0, 6, 305, 0))
    assert [tag.term for tag in entry.tags] == ["Rock & roll", "free"]
    times = [entry.ev_startdate, entry.ev_enddate]
    assert times == [f"2026-11-22T{hour}:00:00+01:00" for hour in (10, 16)]
    assert entry.ev_location == "Town hall, Ulm"
    text = "<p>Sun 22 Nov 2026, 10:00–16:00, Town hall, Ulm</p>\n<p>Long &amp; <b>bold</b></p>"
    assert contents(write([full], feed())) == text
    head = found.feed
    assert (head.title, head.subtitle) == ("Ulm & around: Music", "What is on")
    assert head.links[-1 if write is syndication.rss else 0].href == feed().self_url
    assert head.language == "en"


def test_rss_has_its_own_elements() -> None:
    next_url = "https://x/?page=3&a"
    content = syndication.rss([event(image=image(), title="Q &#038; A")], feed(ttl=30, next_url=next_url))

    channel = xml(content).find("channel")
    assert channel is not None
    assert (channel.findtext("ttl"), channel.findtext("link")) == ("30", feed().page_url)
    assert channel.findtext("lastBuildDate") == "Mon, 02 Nov 2026 08:30:00 GMT"
    links = [(link.get("rel"), link.get("href")) for link in channel.iter(f"{ATOM}link")]
    assert links == [("self", feed().self_url), ("next", next_url)]
    assert channel.findtext("item/title") == "Q & A"
    guid = channel.find("item/guid")
    assert guid is not None
    assert (guid.text, guid.get("isPermaLink")) == (event()["uid"], "false")
    (media,) = parsed(content).entries[0].media_content
    assert media == {"url": image()["url"], "medium": "image", "type": "image/jpeg"}


def test_atom_has_its_own_elements() -> None:
    full = event(image=image("https://x/a?b", "php"), title="Q &#038; A")

    found = parsed(syndication.atom([full], feed(next_url="https://x/?page=3&a")))

    assert (found.version, found.feed.id) == ("atom10", feed().self_url)
    assert found.feed.updated == "2026-11-02T08:30:00Z"
    assert {(link.rel, link.type): link.href for link in found.feed.links} == {
        ("self", "application/atom+xml"): feed().self_url,
        ("next", "application/atom+xml"): "https://x/?page=3&a",
        ("alternate", "text/html"): feed().page_url,
        ("alternate", "application/json"): feed().json_url,
    }
    (entry,) = found.entries
    assert entry.id == f"urn:uuid:{event()['uid']}"
    assert (entry.published, entry.updated) == ("2026-11-01T08:30:00Z", "2026-11-02T08:30:00Z")
    assert (entry.title_detail.type, entry.title) == ("text/plain", "Q & A")
    assert [link.href for link in entry.enclosures] == ["https://x/a?b"]


def test_atom_id_of_an_imported_uid_is_a_urn_and_stays() -> None:
    uids = ["040000008200@outlook", "040000008200@outlook", "other@google.com"]
    ids = [entry.id for entry in parsed(syndication.atom([event(uid=uid) for uid in uids], feed())).entries]
    assert ids[0] == ids[1] != ids[2]
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", id) for id in ids)


HALLS = venue(venue="Ulm, Town hall", city="Ulm"), venue(venue="Ulmer Hof", city="Ulm")
#: Events and the line of their time and place, in English with 24 hours unless said otherwise.
LINES: list[tuple[Json, str, dict[str, str]]] = [
    (event(venue=venue(city="Ulm")),
     "So., 22. Nov. 2026, 10:00–16:00 Uhr, Town hall, Ulm", {"language": "de"}),
    (event(venue=[*HALLS]), "Sun 22 Nov 2026, 10:00–16:00, Ulm, Town hall; Ulmer Hof, Ulm", {}),
    (event(), "Sun 22 Nov 2026, 10:00 am – 4:00 pm", {"clock": "12"}),
    (all_day(), "Sun 22 – Mon 23 Nov 2026", {}),
    (all_day() | {"all_day": None}, "Sun 22 – Mon 23 Nov 2026", {}),  # masked
    (event(timezone="UTC+1", timezone_abbr="UTC+1"), "Sun 22 Nov 2026, 10:00–16:00", {}),
    (event(timezone="Europe/London", timezone_abbr="GMT", utc_start_date="2026-11-22 10:00:00"),
     "Sun 22 Nov 2026, 10:00–16:00 GMT", {}),
    (event(end_date="2026-11-23 01:00:00", utc_end_date="2026-11-23 00:00:00"),
     "Sun 22 Nov, 10:00 – Mon 23 Nov 2026, 01:00", {}),
    (event(venue=[venue(venue="A &amp; B", city="St&lt;ein"), venue(venue="C")]),
     "Sun 22 Nov 2026, 10:00–16:00, A &amp; B, St&lt;ein; C", {}),
]  # fmt: skip


@BOTH
def test_text_begins_with_time_and_place(write: Write) -> None:
    for record, line, settings in LINES:
        content = write([record], feed(**settings))
        assert contents(content).startswith(f"<p>{line}</p>\n")
        (entry,) = parsed(content).entries
        assert ("T" in entry.ev_startdate, "T" in entry.ev_enddate) == (not record["all_day"],) * 2


@BOTH
def test_text_says_that_an_event_does_not_take_place(write: Write) -> None:
    for status, reason, language, shown in (
        ("canceled", "Rain & &lt;b>", "en", "<p><strong>Cancelled</strong> – Rain &amp; &lt;b&gt;</p>\n"),
        ("postponed", "", "de", "<p><strong>Verschoben</strong></p>\n"), ("scheduled", "", "en", ""),
    ):  # fmt: skip
        texts = {"excerpt": "<p>Short</p>", "description": "Long"}
        record = event(event_status=status, event_status_reason=reason, **texts)
        found = contents(write([record], feed(language)))
        assert found.partition("</p>\n")[2] == f"{shown}<p>Short</p>"


@BOTH
def test_protected_event_has_title_and_times_only_and_a_feed_may_be_empty(write: Write) -> None:
    content = write([masked()], feed())
    (entry,) = parsed(content).entries
    assert entry.title == "Secret party"
    assert contents(content) == "<p>Sun 22 Nov 2026, 10:00–16:00</p>\n"
    assert not {"media_content", "tags", "ev_location", "authors"} & set(entry)
    assert [link.rel for link in entry.links] == ["alternate"]
    assert parsed(write([], feed())).entries == []


@BOTH
@given(st.one_of(st.sampled_from(HOSTILE), TEXTS))
@example("".join(HOSTILE))
def test_texts_come_back_as_they_are(write: Write, text: str) -> None:
    record = event(
        title=escape(text), venue=venue(venue=escape(text)), organizer=[organizer(organizer=escape(text))],
        categories=[term(text)], event_status="canceled", event_status_reason=text, uid=text,
    )  # fmt: skip

    content = write([record], feed(name=text))

    allowed = FORBIDDEN.sub("", text)
    atom = write is syndication.atom
    prefix = ATOM if atom else ""
    (item,) = xml(content).iter(f"{prefix}entry" if atom else "item")
    found = item.find(f"{prefix}category")
    assert found is not None
    who = f"{ATOM}author/{ATOM}name" if atom else "{http://purl.org/dc/elements/1.1/}creator"
    assert item.findtext(f"{prefix}title") == allowed
    assert item.findtext(f"{EV}location") == allowed
    assert (item.findtext(who), found.get("term") if atom else found.text or "") == (allowed, allowed)
    assert not feedparser.parse(content).bozo
    assert "<img" not in contents(content)


def test_names_of_files_are_ascii_and_complete() -> None:
    assert disposition("Café: Größe", "ics", attached=False) == 'inline; filename="cafe-grosse.ics"'
    assert disposition("東京 jazz", "csv", attached=True) == (
        "attachment; filename=\"jazz.csv\"; filename*=UTF-8''%E6%9D%B1%E4%BA%AC-jazz.csv"
    )
    assert disposition("!", "rss", attached=False) == 'inline; filename="calendar.rss"'
    assert len(disposition("x" * 300, "ics", attached=False)) < 130
