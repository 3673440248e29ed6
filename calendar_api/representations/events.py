"""An event as JSON, with the keys and their order of the reference (docs/interface.md#event-keys)."""

import json
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple, cast

from calendar_api.domain import costs, dates, text, time_zones
from calendar_api.domain.costs import CostDetails
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.text import inert
from calendar_api.representations import documents, icalendar, json_ld
from calendar_api.representations.documents import (
    INSERTED,
    INSERTED_JSON,
    LINKS,
    decode,
    encode,
    with_json_ld,
    with_links,
)
from calendar_api.representations.links import RenderContext
from calendar_api.representations.records import EventJson, ImageJson, OwnEventJson
from calendar_api.representations.rows import EventRow, Json


class Nested(NamedTuple):
    """The records that an event shows, as JSON."""

    venues: list[bytes]
    organizers: list[bytes]
    categories: list[bytes]
    tags: list[bytes]


class Loaded(NamedTuple):
    """An event with all that is shown of it.

    `parent` is 0 and `parent_uid` "" if there is none that the caller may read. `more` is what lists do not
    show: the JSON-LD of a single event, with `json_ld_of` its venues and organizers, or, in a feed, the lines
    in iCalendar.
    """

    id: int
    author_id: int
    status: str
    password: str
    document: bytes
    parent: int
    nested: Nested
    sequence: int
    parent_uid: str
    more: bytes
    json_ld_of: Mapping[bytes, bytes]


#: The fields that show other records, beside `image` and `post_parent`.
NESTED_FIELDS = frozenset({"venue", "organizer", "categories", "tags"})

_MOMENTS = ("start_date", "end_date", "utc_start_date", "utc_end_date")
_FLAGS = ("show_map", "show_map_link", "hide_from_listings", "sticky", "featured")
_NO_COST: CostDetails = {"currency_symbol": "", "currency_code": "", "currency_position": "", "values": []}
_MASKED: Json = {
    "description": "",
    "excerpt": "",
    "image": False,
    "cost": "",
    "cost_details": _NO_COST,
    "website": "",
    **dict.fromkeys(("all_day", *_FLAGS)),
    **{name: [] for name in ("categories", "tags", "venue", "organizer", "custom_fields")},
    **dict.fromkeys(("post_parent", "ticketed")),
    "event_status_reason": "",
}


def own_documents(event: EventRow, site: SiteSettings, image: ImageJson | None) -> dict[str, bytes]:
    """The documents of an event by their columns."""
    id = int(event.id)
    url, rest_url = LINKS.page("event", id, event.slug, event.status), LINKS.record("events", id)
    global_id = LINKS.global_id(id)
    cost, details = "", _NO_COST
    if event.cost:
        cost = inert(costs.formatted(event.cost, site.currency_symbol, documents.FREE))
        details = costs.details(event.cost)
        details["currency_symbol"] = inert(details["currency_symbol"])
    zone = time_zones.named(event.timezone)
    moments = {name: getattr(event, name) for name in _MOMENTS}
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
        "image": image or False,
        "all_day": bool(event.all_day),
        **{
            key: value
            for name, moment in moments.items()
            for key, value in ((name, moment), (f"{name}_details", date_details(moment)))
        },
        "timezone": event.timezone,
        "timezone_abbr": dates.from_text(event.start_date).replace(tzinfo=zone).tzname(),
        "cost": cost,
        "cost_details": details,
        "website": url if event.website is None else text.escape_amp(event.website),
        **{name: bool(getattr(event, name)) for name in _FLAGS},
        "categories": INSERTED,  # with all fields up to `post_parent`, see `_inserted`
        "ticketed": bool(event.ticketed),
        "uid": inert(event.uid),
        "event_status": event.event_status,
        "event_status_reason": inert(event.event_status_reason),
    }
    own = cast(OwnEventJson, record)
    return {
        "document": encode(record),
        "json_ld": encode(json_ld.event(event, own, zone, site.currency_symbol)),
        "calendar_lines": b"\0".join((url.encode("utf-8", "surrogateescape"), icalendar.own_lines(own))),
    }


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
) -> list[EventJson]:
    """The events as lists show them, or masked, as objects: what feeds and pages are made of.

    They have two more keys: `sequence`, and `parent_uid`, "" for none and in masked events. Events that show
    the same venue, organizer, term or image share its object: do not change it. `known` are these objects;
    give calls for the same response the same dict. With `for_calendar`, an event that is not masked has
    `own_lines` (see `icalendar`) and `url` instead of all that depends on its own row.
    """
    known = {} if known is None else known
    events = list(events)
    shown = {one: None for event in events for some in event.nested for one in some if one not in known}
    known |= zip(shown, _decoded(shown, context), strict=True)
    found: dict[int, Json] = {}
    if for_calendar:
        stored = [event.more.partition(b"\0") for event in events]
        urls = with_links(b"\0".join([url for url, _, _ in stored]), context).decode().split("\0")
        found = {
            event.id: {"own_lines": own, "url": url}
            for event, (_, _, own), url in zip(events, stored, urls, strict=True)
        }
    whole = [event for event in events if not for_calendar or event.id in masked_ids]
    own = [event.document.replace(INSERTED_JSON, _NOTHING, 1) for event in whole]
    found |= {event.id: record for event, record in zip(whole, _decoded(own, context), strict=True)}
    for event in events:
        record = found[event.id]
        record |= {"sequence": event.sequence, "parent_uid": event.parent_uid}
        if event.id in masked_ids:
            record |= {**_MASKED, "parent_uid": ""}
        else:
            venues, organizers, categories, tags = [[known[one] for one in some] for some in event.nested]
            record |= {
                "categories": categories,
                "tags": tags,
                "venue": venues[0] if len(venues) == 1 else venues,
                "organizer": organizers,
                "post_parent": event.parent,
            }
    return cast(list[EventJson], [found[event.id] for event in events])


def _decoded(documents: Iterable[bytes], context: RenderContext) -> list[Json]:
    """Documents as objects; together, because they have the same keys."""
    decoded: list[Json] = json.loads(with_links(b"[%b]" % b",".join(documents), context))
    return decoded


def masked(event: Loaded) -> bytes:
    """The record with nothing in it that the password of the event protects, still without links."""
    return encode(decode(event.document.replace(INSERTED_JSON, _NOTHING, 1)) | _MASKED)


def listed(event: Loaded) -> bytes:
    """The record as lists show it, still without links."""
    nested = event.nested
    inserted = _inserted(nested.categories, nested.tags, nested.venues, nested.organizers, event.parent)
    return event.document.replace(INSERTED_JSON, inserted, 1)


def single(event: Loaded, *, with_own_json_ld: bool = True) -> bytes:
    """The record alone, still without links: venues and organizers have `json_ld`, the event on request."""
    nested, known = event.nested, event.json_ld_of
    venues = [with_json_ld("venue", one, known[one]) for one in nested.venues]
    organizers = [with_json_ld("organizer", one, known[one]) for one in nested.organizers]
    inserted = _inserted(nested.categories, nested.tags, venues, organizers, event.parent)
    record = event.document.replace(INSERTED_JSON, inserted, 1)
    if not with_own_json_ld:
        return record
    ld = json_ld.with_related(
        event.more,
        location=known[nested.venues[0]] if venues else None,
        organizer=known[nested.organizers[0]] if organizers else None,
    )
    return with_json_ld("event", record, ld)


def _inserted(
    categories: list[bytes], tags: list[bytes], venues: list[bytes], organizers: list[bytes], parent: int
) -> bytes:
    """What other records contribute: from the value of `categories` to that of `post_parent`."""
    # One venue is an object, none or several are a list: the reference's shape.
    venue = venues[0] if len(venues) == 1 else b"[%b]" % b",".join(venues)
    return b'[%b],"tags":[%b],"venue":%b,"organizer":[%b],"custom_fields":[],"post_parent":%d' % (
        b",".join(categories), b",".join(tags), venue, b",".join(organizers), parent,
    )  # fmt: skip


#: What is inserted for an event without them.
_NOTHING = _inserted([], [], [], [], 0)


def date_details(moment: str) -> dict[str, str]:
    """ "YYYY-MM-DD HH:MM:SS" in six texts (docs/interface.md#parts-of-records)."""
    return {
        "year": moment[0:4], "month": moment[5:7], "day": moment[8:10], "hour": moment[11:13],
        "minutes": moment[14:16], "seconds": moment[17:19],
    }  # fmt: skip
