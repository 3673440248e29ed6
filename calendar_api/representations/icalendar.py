"""Events as iCalendar: RFC 5545, with the properties of RFC 7986."""

import re
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache
from html import unescape

from calendar_api import __version__
from calendar_api.domain.text import BLOCK_TAGS, from_inert
from calendar_api.representations import vtimezone
from calendar_api.representations.event_fields import full_address, is_all_day, media_type
from calendar_api.representations.feed import Feed
from calendar_api.representations.records import EventJson, OrganizerJson, OwnEventJson

_STATUSES = {"canceled": "CANCELLED", "postponed": "TENTATIVE"}
_VENUE = ("venue", "address", "city", "stateprovince", "zip", "country", "geo_lat", "geo_lng")

# A line has at most 75 octets without its end (RFC 5545, section 3.1), each with the space that begins it.
_LINE = 75
_PARTS = re.compile(rb"(?:\A.)?.{1,74}(?![\x80-\xbf])", re.DOTALL)
_SEPARATORS = re.compile("[\x85\u2028\u2029]")  # some readers take them for line ends
_CONTROLS = re.compile("[\x00-\x08\n-\x1f\x7f-\x9f\ud800-\udfff]")
_HREF = re.compile(r'\shref="([^"]*)"')
_PREFORMATTED = re.compile("<pre>.*?</pre>", re.DOTALL)
#: What stands for the tags of blocks in plain text.
_WRITTEN = {f"{end}{name}": "\n\n" for end in ("", "/") for name in BLOCK_TAGS}
_WRITTEN |= {f"{end}{name}": " " for end in ("", "/") for name in ("td", "th")}
for _name in ("br", "li", "tr", "dt", "dd", "caption", "figcaption"):
    _WRITTEN |= {_name: "\n", f"/{_name}": ""}


def calendar(events: Iterable[EventJson], feed: Feed) -> bytes:
    """Return a feed of events as a file to subscribe to."""
    ttl = f"PT{feed.ttl}M" if feed.ttl % 60 else f"PT{feed.ttl // 60}H"
    name, description = _text(feed.name), _text(feed.description)
    head = [_line(f"NAME:{name}"), _line(f"X-WR-CALNAME:{name}")]
    head += [_line(f"DESCRIPTION:{description}"), _line(f"X-WR-CALDESC:{description}")]
    # RFC 7986 requires VALUE, and strict readers insist on it.
    head += [_line(f"REFRESH-INTERVAL;VALUE=DURATION:{ttl}"), _line(f"X-PUBLISHED-TTL:{ttl}")]
    if zone := vtimezone.iana_name(feed.timezone):
        head.append(_line(f"X-WR-TIMEZONE:{zone}"))
    return _file(head, events, feed)


def single(event: EventJson, feed: Feed) -> bytes:
    """Return one event as a file to import; it has no name, which some readers give to a new calendar."""
    return _file([], [event], feed)


def _file(head: list[bytes], events: Iterable[EventJson], feed: Feed) -> bytes:
    uses: set[bytes] = set()
    components = [_component(event, uses) for event in events]
    lines = [
        b"BEGIN:VCALENDAR", b"VERSION:2.0", _line(f"PRODID:-//calendar-api//{__version__}//EN"),
        b"CALSCALE:GREGORIAN", b"METHOD:PUBLISH", *head,
        _line(f"URL:{feed.alternate[0]}"), _line(f"SOURCE;VALUE=URI:{feed.self_url}"), b"",
    ]  # fmt: skip
    return b"".join([b"\r\n".join(lines), *_zones(uses), *components, b"END:VCALENDAR\r\n"])


def _zones(uses: Iterable[bytes]) -> list[bytes]:
    """Return a VTIMEZONE for each zone, from the first to the last year in which events use it."""
    years: dict[str, list[int]] = {}
    for use in filter(None, uses):
        zone, first, last = use.decode().split(" ")
        years.setdefault(zone, []).extend((int(first), int(last)))
    return [vtimezone.component(zone, min(used), max(used)).encode() for zone, used in sorted(years.items())]


def own_lines(record: OwnEventJson) -> bytes:
    """Return the lines of an event as far as they depend on its own row, to be stored in it.

    They are in six parts: zone, first and last year of its local times, or nothing; the lines before
    SEQUENCE; the last line of DESCRIPTION, without the address of the event at its end; X-ALT-DESC; CLASS and
    images; the lines between SEQUENCE and that last one.
    """
    usual = "TENTATIVE" if record["status"] in ("draft", "pending") else "CONFIRMED"
    modified, url, website = _utc(record["modified_utc"]), record["url"], record["website"]
    uid, reason = from_inert(record["uid"]), from_inert(record["event_status_reason"])
    use, times = _times(record)
    before = [
        "BEGIN:VEVENT", f"UID:{_text(uid)}", f"DTSTAMP:{modified}", f"LAST-MODIFIED:{modified}",
        f"CREATED:{_utc(record['date_utc'])}",
    ]  # fmt: skip
    text, is_rich = _plain_text(record["description"])
    # Several readers do not show URL.
    notes = [f"{text}\n" if text else "", reason, unescape(website) if website != url else ""]
    described = "".join([_text(note) + "\\n" for note in notes if note])
    after = [
        f"STATUS:{_STATUSES.get(record['event_status'], usual)}", *times,
        f"SUMMARY:{_text(unescape(record['title']))}", f"DESCRIPTION:{described}",
    ]  # fmt: skip
    rich = [f"X-ALT-DESC;FMTTYPE=text/html:{_text(record['description'])}"] if is_rich else []
    last = [] if record["status"] == "publish" else ["CLASS:PRIVATE"]
    if image := record["image"]:
        parameter = f";FMTTYPE={known}" if (known := media_type(record)) else ""
        last += [
            f"IMAGE;VALUE=URI;DISPLAY=BADGE{parameter}:{image['url']}",
            f"ATTACH{parameter}:{image['url']}",
        ]
    lines, _, end = _lines(after).rpartition(b"\r\n")
    return b"\0".join((use.encode(), _lines(before), end, _lines(rich), _lines(last), lines))


def _component(event: EventJson, uses: set[bytes]) -> bytes:
    own, url = event.get("own_lines") or own_lines(event), event["url"].encode()
    use, before, end, rich, last, after = own.split(b"\0", 5)
    uses.add(use)
    lines = [before, b"SEQUENCE:%d" % event["sequence"], after, _folded(end + url)]
    if rich:
        lines.append(rich)
    if venue := event["venue"]:
        first = venue[0] if isinstance(venue, list) else venue
        lines += _place(*[first.get(key) for key in _VENUE])
    if terms := event["categories"] + event["tags"]:
        lines.append(_line("CATEGORIES:" + ",".join([_value(term["name"]) for term in terms])))
    if organizers := event["organizer"]:
        lines += _people(organizers)
    lines.append(_folded(b"URL:" + url))
    if last:
        lines.append(last)
    if event["parent_uid"]:
        lines.append(_line(f"RELATED-TO;RELTYPE=PARENT:{_text(event['parent_uid'])}"))
    lines.append(b"END:VEVENT\r\n")
    return b"\r\n".join(lines)


def _times(event: OwnEventJson) -> tuple[str, list[str]]:
    """Return zone, first and last year of the local times, "" for none, and the lines."""
    start, end = event["start_date"], event["end_date"]
    # A masked event does not say whether it has whole days, but its times do.
    if is_all_day(event) if event["all_day"] is None else event["all_day"]:
        # DTEND is the day after the last. A festival of a week must not block anybody's calendar.
        last = _local(str(date.fromisoformat(end[:10]) + timedelta(days=1)))
        days = [f"DTSTART;VALUE=DATE:{_local(start[:10])}", f"DTEND;VALUE=DATE:{last}"]
        return "", [*days, "TRANSP:TRANSPARENT"]
    zone, use = vtimezone.iana_name(event["timezone"]), ""
    if zone and vtimezone.is_unambiguous(zone, start) and vtimezone.is_unambiguous(zone, end):
        use = f"{zone} {start[:4]} {end[:4]}"
        lines = [f"DTSTART;TZID={zone}:{_local(start)}", f"DTEND;TZID={zone}:{_local(end)}"]
    else:
        lines = [f"DTSTART:{_utc(event['utc_start_date'])}", f"DTEND:{_utc(event['utc_end_date'])}"]
    # DTEND must be later than DTSTART.
    return use, lines if event["utc_start_date"] < event["utc_end_date"] else lines[:1]


def _local(moment: str) -> str:
    """Turn "YYYY-MM-DD HH:MM:SS" or "YYYY-MM-DD" into the form of iCalendar."""
    return moment.replace("-", "").replace(":", "").replace(" ", "T")


def _utc(moment: str) -> str:
    return f"{_local(moment)}Z"


@lru_cache(maxsize=1024)  # events share venues, organizers and terms
def _place(*values: str | float | None) -> list[bytes]:
    """Return the lines for a venue with these values of _VENUE."""
    venue = dict(zip(_VENUE, values, strict=True))
    place = full_address(venue)
    lines = [_line(f"LOCATION:{_text(place)}")] if place else []
    if venue["geo_lat"] is not None:
        lines.append(_line(f"GEO:{venue['geo_lat']:.6f};{venue['geo_lng']:.6f}"))
    return lines


@lru_cache(maxsize=1024)
def _value(escaped: str) -> str:
    return _text(unescape(escaped))


def _people(organizers: list[OrganizerJson]) -> list[bytes]:
    """Return ORGANIZER, which can occur once, for the first with an address, and CONTACT for the others."""
    first = next((organizer for organizer in organizers if organizer.get("email")), None)
    lines = [_person(one.get("organizer", ""), one["email"] if one is first else "") for one in organizers]
    return [line for line in lines if line]


@lru_cache(maxsize=1024)
def _person(escaped: str, email: str) -> bytes:
    """Return CONTACT without an address; nothing without a name, too."""
    name = unescape(escaped)
    if email:
        quoted = name.replace('"', "'")  # a quoted value cannot contain the sign
        return _line(f'ORGANIZER;CN="{quoted}":mailto:{email}')
    return _line(f"CONTACT:{_text(name)}") if name else b""


def _text(value: str) -> str:
    """Escape text (RFC 5545, section 3.3.11)."""
    if "\r" in value:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    return value.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _cleaned(line: str) -> str:
    return line if line.isprintable() else _CONTROLS.sub("", _SEPARATORS.sub(" ", line))


def _line(line: str) -> bytes:
    """Return a content line without control characters, folded."""
    return _folded(_cleaned(line).encode())


def _lines(lines: list[str]) -> bytes:
    return b"\r\n".join(map(_line, lines))


def _folded(line: bytes) -> bytes:
    """Fold between characters; `line` may be what is left of one that is folded already."""
    return line if len(line) <= _LINE else b"\r\n ".join(_PARTS.findall(line))


def _plain_text(markup: str) -> tuple[str, bool]:
    """Return the text of sanitised HTML, and whether the HTML has other tags than `p` and `br`.

    Paragraphs are separated by an empty line, breaks and list items begin a line, a link is `text (address)`.
    """
    # Fast path: what `domain.text.paragraphs` makes of text without tags.
    text = markup.removeprefix("<p>").removesuffix("</p>")
    text = text.replace("</p>\n<p>", "<br /><br />").replace("<br />\n", "<br />")
    if not ("\n" in text or "  " in text) and "<" not in (text := text.replace("<br />", "\n")):
        return unescape(text).strip(), False
    if "<pre>" in markup:
        markup = _PREFORMATTED.sub(lambda element: element[0].replace("\n", "<br>"), markup)
    # In sanitised HTML, attributes contain no angle brackets.
    first, *rest = markup.replace("\n", " ").replace("\t", " ").split("<")
    pieces, is_rich, address, label = [first], False, "", 0
    for piece in rest:
        tag, _, text = piece.partition(">")
        is_rich = is_rich or tag not in ("p", "/p", "br /")
        if address and tag == "/a":
            linked = "".join(pieces[label:]).strip()
            pieces.append("" if linked == address else f" ({address})")
            address = ""
        elif tag.startswith("a ") and (href := _HREF.search(tag)):
            address, label = href[1].removeprefix("mailto:"), len(pieces)
        else:
            pieces.append(_WRITTEN.get(tag.partition(" ")[0], ""))
        pieces.append(text)
    text = _replaced("".join(pieces), "  ", " ").replace(" \n", "\n").replace("\n ", "\n")
    return unescape(_replaced(text, "\n\n\n", "\n\n")).strip(), is_rich


def _replaced(text: str, old: str, new: str) -> str:
    """Replace until there is none: `str.replace` is much faster than a regular expression."""
    while old in text:
        text = text.replace(old, new)
    return text
