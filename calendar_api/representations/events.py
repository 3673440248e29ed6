"""An event as JSON, with the keys and their order of the reference (docs/interface.md#event-keys)."""

import json
from collections.abc import Container, Iterable
from typing import NamedTuple

from calendar_api.domain import costs, dates, text, time_zones
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.text import inert
from calendar_api.representations import documents, icalendar, json_ld
from calendar_api.representations.documents import INSERTED, INSERTED_JSON, LINKS, ImageJson, with_links
from calendar_api.representations.links import RenderContext
from calendar_api.representations.rows import EventRow, Json


class Nested(NamedTuple):
    """What an event shows of other records: JSON, and the parts of the documents of venues and organizers."""

    venues: list[list[bytes]]
    organizers: list[list[bytes]]
    categories: list[bytes]
    tags: list[bytes]


class Loaded(NamedTuple):
    """An event with all that is shown of it.

    `parts` are those of its document; `parent` is 0 and `parent_uid` "" if there is none that the caller may
    read.
    """

    id: int
    author_id: int
    status: str
    password: str
    parts: list[bytes]
    image: ImageJson | None
    parent: int
    nested: Nested
    sequence: int
    parent_uid: str


#: The fields that show other records, beside `image` and `post_parent`.
NESTED_FIELDS = frozenset({"venue", "organizer", "categories", "tags"})

_NO_COST: Json = {"currency_symbol": "", "currency_code": "", "currency_position": "", "values": []}
_MASKED: Json = {
    "description": "",
    "excerpt": "",
    "image": False,
    "cost": "",
    "cost_details": _NO_COST,
    "website": "",
    **dict.fromkeys(("all_day", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured")),
    **{name: [] for name in ("categories", "tags", "venue", "organizer", "custom_fields")},
    **dict.fromkeys(("post_parent", "ticketed")),
    "event_status_reason": "",
}


def document(event: EventRow, site: SiteSettings) -> bytes:
    """The document of an event (see `documents`)."""
    id = int(event.id)
    url, rest_url = LINKS.page("event", id, event.slug, event.status), LINKS.record("events", id)
    global_id = LINKS.global_id(id)
    cost, details = "", _NO_COST
    if event.cost:
        cost = inert(costs.formatted(event.cost, site.currency_symbol, documents.FREE))
        details = costs.details(event.cost)
        details["currency_symbol"] = inert(str(details["currency_symbol"]))
    zone = time_zones.named(event.timezone)
    record: Json = {
        "id": id,
        "global_id": global_id,
        "global_id_lineage": [global_id],
        "author": str(event.author_id),
        "status": event.status,
        "date": dates.local(event.published_utc, site.zone),
        "date_utc": event.published_utc,
        "modified": dates.local(event.modified_utc, site.zone),
        "modified_utc": event.modified_utc,
        "url": url,
        "rest_url": rest_url,
        "title": text.escape(event.title),
        "description": text.paragraphs(event.description),
        "excerpt": text.paragraphs(event.excerpt),
        "slug": event.slug or "",
        "image": INSERTED,
        "all_day": bool(event.all_day),
        "start_date": event.start_date,
        "start_date_details": date_details(event.start_date),
        "end_date": event.end_date,
        "end_date_details": date_details(event.end_date),
        "utc_start_date": event.utc_start_date,
        "utc_start_date_details": date_details(event.utc_start_date),
        "utc_end_date": event.utc_end_date,
        "utc_end_date_details": date_details(event.utc_end_date),
        "timezone": event.timezone,
        "timezone_abbr": dates.from_text(event.start_date).replace(tzinfo=zone).tzname(),
        "cost": cost,
        "cost_details": details,
        "website": url if event.website is None else text.escape_amp(event.website),
        "show_map": bool(event.show_map),
        "show_map_link": bool(event.show_map_link),
        "hide_from_listings": bool(event.hide_from_listings),
        "sticky": bool(event.sticky),
        "featured": bool(event.featured),
        "categories": INSERTED,
        "tags": INSERTED,
        "venue": INSERTED,
        "organizer": INSERTED,
        "custom_fields": [],
        "post_parent": INSERTED,
        "ticketed": bool(event.ticketed),
        "uid": inert(event.uid),
        "event_status": event.event_status,
        "event_status_reason": inert(event.event_status_reason),
    }
    record["json_ld"] = json_ld.event(event, record, zone)
    return documents.stored(record, site, [icalendar.own_lines(record)])


def page(events: Iterable[Loaded], masked_ids: Container[int], limit: int) -> list[bytes] | None:
    """The events as lists show them, or masked; None if several have more than `limit` bytes together.

    One event is always shown, so that a client can read every list with `per_page=1`.
    """
    found: list[bytes] = []
    size = 0
    for event in events:
        found.append(masked(event) if event.id in masked_ids else listed(event))
        size += len(found[-1])
        if len(found) > 1 and size > limit:
            return None
    return found


def records(
    events: Iterable[Loaded],
    masked_ids: Container[int],
    context: RenderContext,
    known: dict[bytes, Json] | None = None,
    *,
    for_calendar: bool = False,
) -> list[Json]:
    """The events as lists show them, or masked, as objects: what feeds and pages are made of.

    They have two more keys: `sequence`, and `parent_uid`, "" for none and in masked events. Events that show
    the same venue, organizer, term or image share its object: do not change it. `known` are these objects;
    give calls for the same response the same dict. With `for_calendar`, an event that is not masked has
    `own_lines` (see `icalendar`), `description` and `status` instead of all that depends on its own row.
    """
    known = {} if known is None else known

    def decoded(head: bytes, tail: bytes = b"") -> Json:
        if head not in known:
            known[head] = json.loads(with_links(head + tail, context))
        return known[head]

    events = list(events)
    found: dict[int, Json] = {}
    if for_calendar:
        lines = with_links(b"\xff".join([event.parts[3] for event in events]), context).split(b"\xff")
        texts = json.loads(b"[%b]" % b",".join([_description(event) for event in events]))
        found = {
            event.id: {"own_lines": own, "description": text, "status": event.status}
            for event, own, text in zip(events, lines, texts, strict=True)
        }
    whole = [event for event in events if not for_calendar or event.id in masked_ids]
    # Decoded together, because they have the same keys.
    own = b",".join([event.parts[0] + event.parts[2] for event in whole])
    decoded_whole = json.loads(with_links(b"[%b]" % own.replace(INSERTED_JSON, b"0"), context))
    found |= {event.id: record for event, record in zip(whole, decoded_whole, strict=True)}
    for event in events:
        record = found[event.id]
        record |= {"sequence": event.sequence, "parent_uid": event.parent_uid}
        if event.id in masked_ids:
            record |= {**_MASKED, "parent_uid": ""}
        else:
            nested = event.nested
            venues = [decoded(head, tail) for head, _, tail in nested.venues]
            record |= {
                "image": decoded(event.image.record) if event.image else False,
                "categories": [decoded(term) for term in nested.categories],
                "tags": [decoded(term) for term in nested.tags],
                "venue": venues[0] if len(venues) == 1 else venues,
                "organizer": [decoded(head, tail) for head, _, tail in nested.organizers],
                "post_parent": event.parent,
            }
    return [found[event.id] for event in events]


def _description(event: Loaded) -> bytes:
    """The description as JSON. In JSON texts, quotation marks are escaped: no text can look like a key."""
    return event.parts[0].partition(b',"description":')[2].partition(b',"excerpt":')[0]


def masked(event: Loaded) -> bytes:
    """The record with nothing in it that the password of the event protects, still without links."""
    record = documents.decode(documents.joined(event.parts, json_ld=False))
    return documents.encode(record | _MASKED)


def listed(event: Loaded) -> bytes:
    """The record as lists show it, still without links."""
    venues = [head + tail for head, _, tail in event.nested.venues]
    organizers = [head + tail for head, _, tail in event.nested.organizers]
    return _joined(event, venues, organizers, event.parts[2])


def single(event: Loaded, *, with_own_json_ld: bool = True) -> bytes:
    """The record alone, still without links: venues and organizers have `json_ld`, the event on request."""
    nested = event.nested
    venues = [documents.joined(parts, json_ld=True) for parts in nested.venues]
    organizers = [documents.joined(parts, json_ld=True) for parts in nested.organizers]
    _, own, tail = event.parts[:3]
    if not with_own_json_ld:
        return _joined(event, venues, organizers, tail)
    ld = json_ld.with_related(
        own,
        image=event.image.url if event.image else None,
        location=nested.venues[0][1] if nested.venues else None,
        organizer=nested.organizers[0][1] if nested.organizers else None,
    )
    return _joined(event, venues, organizers, documents.JSON_LD, ld, tail)


def _joined(event: Loaded, venues: list[bytes], organizers: list[bytes], *rest: bytes) -> bytes:
    """The event with what other records contribute, in the order of the keys; `rest` follows its head."""
    # One venue is an object, none or several are a list: the reference's shape.
    venue = venues[0] if len(venues) == 1 else b"[%b]" % b",".join(venues)
    image, categories, tags, place, organizer, parent, last = event.parts[0].split(INSERTED_JSON)
    return b"".join(
        (
            image, event.image.record if event.image else b"false",
            categories, b"[", b",".join(event.nested.categories), b"]",
            tags, b"[", b",".join(event.nested.tags), b"]",
            place, venue,
            organizer, b"[", b",".join(organizers), b"]",
            parent, b"%d" % event.parent,
            last, *rest,
        )
    )  # fmt: skip


def date_details(moment: str) -> dict[str, str]:
    """ "YYYY-MM-DD HH:MM:SS" in six texts (docs/interface.md#parts-of-records)."""
    return {
        "year": moment[0:4],
        "month": moment[5:7],
        "day": moment[8:10],
        "hour": moment[11:13],
        "minutes": moment[14:16],
        "seconds": moment[17:19],
    }
