"""Events as RSS 2.0 and as Atom (RFC 4287), both with the RSS event module and pages of RFC 5005."""

import re
from collections.abc import Iterable
from datetime import UTC
from email.utils import format_datetime
from html import escape, unescape

from calendar_api.domain import date_words, dates
from calendar_api.domain.translation import message, translated
from calendar_api.representations import event_fields
from calendar_api.representations.event_fields import image_url, moment, names, place, plain, urn
from calendar_api.representations.feed import Feed
from calendar_api.representations.records import EventJson

_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
_EVENT_MODULE = "http://purl.org/rss/1.0/modules/event/"
_RSS = (
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    f' xmlns:media="http://search.yahoo.com/mrss/" xmlns:ev="{_EVENT_MODULE}">'
)
_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # by XML 1.0, 2.2
_STATUS = {"canceled": message("Cancelled"), "postponed": message("Postponed")}
_NEVER = "1970-01-01 00:00:00"


def rss(events: Iterable[EventJson], feed: Feed) -> bytes:
    """Return an RSS feed; dates of items are those of publication, not of the events."""
    events = list(events)
    next_link = _link("atom:link", "next", feed.next_url, "application/rss+xml") if feed.next_url else ""
    return _document(
        f"{_RSS}<channel>"
        f"<title>{_text(feed.name)}</title><link>{_text(feed.alternate[0])}</link>"
        f"<description>{_text(feed.description)}</description>"
        f"<language>{_text(feed.language)}</language>"
        f"<lastBuildDate>{_rfc822(_modified(events))}</lastBuildDate><ttl>{feed.ttl}</ttl>"
        f"{_link('atom:link', 'self', feed.self_url, 'application/rss+xml')}{next_link}\n"
        f"{''.join(_item(event, feed) for event in events)}</channel></rss>\n"
    )


def atom(events: Iterable[EventJson], feed: Feed) -> bytes:
    """Return an Atom feed; an entry was `published` when the event was, and `updated` at its last change."""
    events = list(events)
    next_link = _link("link", "next", feed.next_url, "application/atom+xml") if feed.next_url else ""
    page_link = _link("link", "alternate", feed.page_url, "text/html") if feed.page_url else ""
    return _document(
        f'<feed xmlns="http://www.w3.org/2005/Atom" xmlns:ev="{_EVENT_MODULE}"'
        f' xml:lang="{_attribute(feed.language)}">'
        f"<title>{_text(feed.name)}</title><subtitle>{_text(feed.description)}</subtitle>"
        f"<id>{_text(feed.self_url)}</id>"
        f"<updated>{_rfc3339(_modified(events))}</updated><author><name>{_text(feed.name)}</name></author>"
        f"{_link('link', 'self', feed.self_url, 'application/atom+xml')}{next_link}"
        f"{page_link}{_link('link', 'alternate', feed.json_url, 'application/json')}\n"
        f"{''.join(_entry(event, feed) for event in events)}</feed>\n"
    )


def _item(event: EventJson, feed: Feed) -> str:
    terms = names(event["categories"]) + names(event["tags"])
    organizers = names(event["organizer"], "organizer")
    creators = "".join(f"<dc:creator>{_text(name)}</dc:creator>" for name in organizers)
    categories = "".join(f"<category>{_text(name)}</category>" for name in terms)
    url = image_url(event)
    image = f'<media:content url="{_attribute(url)}" medium="image"{_type(event)}/>' if url else ""
    return (
        f"<item><title>{_text(unescape(event['title']))}</title><link>{_text(event['url'])}</link>"
        f'<guid isPermaLink="false">{_text(plain(event, "uid"))}</guid>'
        f"<pubDate>{_rfc822(event['date_utc'])}</pubDate>"
        f"<description>{_text(_content(event, feed))}</description>"
        f"{creators}{categories}{image}{_event_module(event)}</item>\n"
    )


def _entry(event: EventJson, feed: Feed) -> str:
    terms = names(event["categories"]) + names(event["tags"])
    organizers = names(event["organizer"], "organizer")
    authors = "".join(f"<author><name>{_text(name)}</name></author>" for name in organizers)
    categories = "".join(f'<category term="{_attribute(name)}"/>' for name in terms)
    url = image_url(event)
    image = f'<link rel="enclosure" href="{_attribute(url)}"{_type(event)}/>' if url else ""
    return (
        f"<entry><title>{_text(unescape(event['title']))}</title><id>{urn(event)}</id>"
        f"<published>{_rfc3339(event['date_utc'])}</published>"
        f"<updated>{_rfc3339(event['modified_utc'])}</updated>"
        f"{_link('link', 'alternate', event['url'], feed.alternate[1])}{image}{authors}{categories}"
        f'<content type="html">{_text(_content(event, feed))}</content>{_event_module(event)}</entry>\n'
    )


def _content(event: EventJson, feed: Feed) -> str:
    """Return HTML: time and place in one line, a status other than scheduled, then the text of the event."""
    start, end, all_day = event["start_date"], event["end_date"], event_fields.is_all_day(event)
    span = date_words.span(start, end, all_day, feed.language, feed.clock)
    when = f"{span} {event_fields.other_zone(event, feed.timezone)}".rstrip()
    line = escape(", ".join(filter(None, (when, place(event)))))
    status = ""
    if event["event_status"] in _STATUS:
        word = translated(_STATUS[event["event_status"]], feed.translate)
        reason = plain(event, "event_status_reason")
        status = f"<p><strong>{escape(word)}</strong>{escape(f' – {reason}') if reason else ''}</p>\n"
    return f"<p>{line}</p>\n{status}{event['excerpt'] or event['description']}"


def _event_module(event: EventJson) -> str:
    where = place(event)
    location = f"<ev:location>{_text(where)}</ev:location>" if where else ""
    start, end = moment(event, "start"), moment(event, "end")
    return f"<ev:startdate>{start}</ev:startdate><ev:enddate>{end}</ev:enddate>{location}"


def _type(event: EventJson) -> str:
    return f' type="{found}"' if (found := event_fields.media_type(event)) else ""


def _link(element: str, relation: str, address: str, media_type: str) -> str:
    return f'<{element} rel="{relation}" type="{media_type}" href="{_attribute(address)}"/>'


def _modified(events: list[EventJson]) -> str:
    """Return the last change of any event, so that the bytes are the same until an event changes."""
    return max((event["modified_utc"] for event in events), default=_NEVER)


def _rfc822(utc: str) -> str:
    return format_datetime(dates.from_text(utc).replace(tzinfo=UTC), usegmt=True)


def _rfc3339(utc: str) -> str:
    return f"{utc[:10]}T{utc[11:]}Z"


def _text(value: str) -> str:
    # A parser reads a carriage return as the end of a line.
    return escape(value).replace("\r", "&#13;")


def _attribute(value: str) -> str:
    # A parser reads white space in attributes as spaces.
    return _text(value).replace("\n", "&#10;").replace("\t", "&#9;")


def _document(xml: str) -> bytes:
    return (_HEAD + _FORBIDDEN.sub("", xml)).encode()
