"""Events as iCalendar: RFC 5545, with the properties of RFC 7986."""

import re
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache
from html import unescape
from typing import Any

from calendar_api import __version__
from calendar_api.domain.text import BLOCK_TAGS
from calendar_api.representations import vtimezone
from calendar_api.representations.event_fields import media_type, plain
from calendar_api.representations.feed import Feed
from calendar_api.representations.rows import Json

#: A record of a list (docs/interface.md#event-keys) with `sequence` and `parent_uid`, or of a related record.
_Record = dict[str, Any]
_Years = dict[str, tuple[str, str]]  # first and last year of the local times in each zone

_LINE = 75  # octets without the line end (RFC 5545, section 3.1)
_STATUSES = {"canceled": "CANCELLED", "postponed": "TENTATIVE"}
_ADDRESS = ("address", "city", "stateprovince", "zip", "country")

_ASCII_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\r\n"})
_SEPARATORS = re.compile("[\x85\u2028\u2029]")  # some readers take them for line ends
_OTHER_CONTROLS = re.compile("[\r\n\x80-\x9f\ud800-\udfff]")
_HREF = re.compile(r'\shref="([^"]*)"')
_PREFORMATTED = re.compile("<pre>.*?</pre>", re.DOTALL)
#: What stands for the tags of blocks in plain text.
_WRITTEN = {f"{end}{name}": "\n\n" for end in ("", "/") for name in BLOCK_TAGS}
_WRITTEN |= {f"{end}{name}": " " for end in ("", "/") for name in ("td", "th")}
for _name in ("br", "li", "tr", "dt", "dd", "caption", "figcaption"):
    _WRITTEN |= {_name: "\n", f"/{_name}": ""}


def calendar(events: Iterable[Json], feed: Feed) -> bytes:
    """Return a feed of events as a file to subscribe to."""
    ttl = f"PT{feed.ttl}M" if feed.ttl % 60 else f"PT{feed.ttl // 60}H"
    name, description = _text(feed.name), _text(feed.description)
    head = [_line(f"NAME:{name}"), _line(f"X-WR-CALNAME:{name}")]
    head += [_line(f"DESCRIPTION:{description}"), _line(f"X-WR-CALDESC:{description}")]
    # RFC 7986 requires VALUE, and strict readers insist on it.
    head += [f"REFRESH-INTERVAL;VALUE=DURATION:{ttl}", f"X-PUBLISHED-TTL:{ttl}"]
    if zone := vtimezone.iana_name(feed.timezone):
        head.append(f"X-WR-TIMEZONE:{zone}")
    return _file(head, events, feed)


def single(event: Json, feed: Feed) -> bytes:
    """Return one event as a file to import; it has no name, which some readers give to a new calendar."""
    return _file([], [event], feed)


def _file(head: list[str], events: Iterable[Json], feed: Feed) -> bytes:
    years: _Years = {}
    components = [_component(event, years) for event in events]
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:-//calendar-api//{__version__}//EN", "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH", *head,
        _line(f"URL:{feed.alternate[0]}"), _line(f"SOURCE;VALUE=URI:{feed.self_url}"),
    ]  # fmt: skip
    zones = [vtimezone.component(zone, *map(int, used)) for zone, used in sorted(years.items())]
    text = "".join(["\r\n".join(lines), "\r\n", *zones, *components, "END:VCALENDAR\r\n"])
    return text.encode().translate(None, _ASCII_CONTROLS)


def _component(event: _Record, years: _Years) -> str:
    usual = "TENTATIVE" if event["status"] in ("draft", "pending") else "CONFIRMED"
    status = _STATUSES.get(event["event_status"], usual)
    modified, url, website = _utc(event["modified_utc"]), event["url"], event["website"]
    text, is_rich = _plain_text(event["description"])
    # Several readers do not show URL.
    notes = [
        plain(event, "event_status_reason"),
        unescape(website) if website != url else "",
        url,
    ]
    description = "\n".join([f"{text}\n"] * bool(text) + [note for note in notes if note])
    lines = [
        "BEGIN:VEVENT",
        _line(f"UID:{_text(plain(event, 'uid'))}"),
        f"DTSTAMP:{modified}",
        f"LAST-MODIFIED:{modified}",
        f"CREATED:{_utc(event['date_utc'])}",
        f"SEQUENCE:{event['sequence']}",
        f"STATUS:{status}",
        *_times(event, years),
        _line(f"SUMMARY:{_text(unescape(event['title']))}"),
        _line(f"DESCRIPTION:{_text(description)}"),
    ]
    if is_rich:
        lines.append(_line(f"X-ALT-DESC;FMTTYPE=text/html:{_text(event['description'])}"))
    if venue := event["venue"]:
        lines += _place(venue[0] if isinstance(venue, list) else venue)
    if terms := event["categories"] + event["tags"]:
        lines.append(_line("CATEGORIES:" + ",".join([_text(unescape(term["name"])) for term in terms])))
    if organizers := event["organizer"]:
        lines += _people(organizers)
    lines.append(_line(f"URL:{url}"))
    if image := event["image"]:
        parameter = f";FMTTYPE={known}" if (known := media_type(event)) else ""
        lines.append(_line(f"IMAGE;VALUE=URI;DISPLAY=BADGE{parameter}:{image['url']}"))
        lines.append(_line(f"ATTACH{parameter}:{image['url']}"))
    if event["parent_uid"]:
        lines.append(_line(f"RELATED-TO;RELTYPE=PARENT:{_text(event['parent_uid'])}"))
    lines.append("END:VEVENT\r\n")
    return "\r\n".join(lines)


def _times(event: _Record, years: _Years) -> list[str]:
    start, end = event["start_date"], event["end_date"]
    if event["all_day"]:
        # DTEND is the day after the last. A festival of a week must not block anybody's calendar.
        first, last = _local(start[:10]), _day_after(end[:10])
        return [f"DTSTART;VALUE=DATE:{first}", f"DTEND;VALUE=DATE:{last}", "TRANSP:TRANSPARENT"]
    zone = vtimezone.iana_name(event["timezone"])
    if zone and vtimezone.is_unambiguous(zone, start) and vtimezone.is_unambiguous(zone, end):
        first, last = years.get(zone, (start, end))
        years[zone] = min(first, start[:4]), max(last, end)[:4]
        lines = [f"DTSTART;TZID={zone}:{_local(start)}", f"DTEND;TZID={zone}:{_local(end)}"]
    else:
        lines = [f"DTSTART:{_utc(event['utc_start_date'])}", f"DTEND:{_utc(event['utc_end_date'])}"]
    # DTEND must be later than DTSTART.
    return lines if event["utc_start_date"] < event["utc_end_date"] else lines[:1]


def _local(moment: str) -> str:
    """Turn "YYYY-MM-DD HH:MM:SS" or "YYYY-MM-DD" into the form of iCalendar."""
    return moment.replace("-", "").replace(":", "").replace(" ", "T")


def _utc(moment: str) -> str:
    return f"{_local(moment)}Z"


@lru_cache(maxsize=1024)
def _day_after(day: str) -> str:
    return _local(str(date.fromisoformat(day) + timedelta(days=1)))


def _place(venue: _Record) -> list[str]:
    parts = [unescape(venue.get("venue", "")), *[plain(venue, key) for key in _ADDRESS]]
    place = ", ".join(filter(None, parts))
    lines = [_line(f"LOCATION:{_text(place)}")] if place else []
    if "geo_lat" in venue:
        lines.append(f"GEO:{venue['geo_lat']:.6f};{venue['geo_lng']:.6f}")
    return lines


def _people(organizers: list[_Record]) -> list[str]:
    """Return ORGANIZER, which can occur once, for the first with an address, and CONTACT for the others."""
    first = next((organizer for organizer in organizers if organizer.get("email")), None)
    lines = []
    for organizer in organizers:
        name = unescape(organizer.get("organizer", ""))
        if organizer is first:
            quoted = name.replace('"', "'")  # a quoted value cannot contain the sign
            lines.append(_line(f'ORGANIZER;CN="{quoted}":mailto:{organizer["email"]}'))
        elif name:
            lines.append(_line(f"CONTACT:{_text(name)}"))
    return lines


def _text(value: str) -> str:
    """Escape text (RFC 5545, section 3.3.11)."""
    if "\r" in value:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    return value.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _line(line: str) -> str:
    """Return a content line, folded between characters so that no part has more than 75 octets.

    `_file` removes ASCII control characters from all lines together, which is faster.
    """
    if "\n" in line or "\r" in line or not (line.isascii() or line.isprintable()):
        line = _OTHER_CONTROLS.sub("", _SEPARATORS.sub(" ", line))
    if line.isascii():
        if len(line) <= _LINE:
            return line
        # The space at the start of a continuation counts.
        rest = [line[at : at + _LINE - 1] for at in range(_LINE, len(line), _LINE - 1)]
        return "\r\n ".join([line[:_LINE], *rest])
    octets, parts, at, end = line.encode(), [], 0, _LINE
    while end < len(octets):
        while octets[end] & 0xC0 == 0x80:  # inside of a character
            end -= 1
        parts.append(octets[at:end].decode())
        at, end = end, end + _LINE - 1
    return "\r\n ".join([*parts, octets[at:].decode()])


def _plain_text(markup: str) -> tuple[str, bool]:
    """Return the text of sanitised HTML, and whether the HTML has other tags than `p` and `br`.

    Paragraphs are separated by an empty line, breaks and list items begin a line, a link is `text (address)`.
    """
    # Fast path: what `domain.html.paragraphs` makes of text without tags.
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
