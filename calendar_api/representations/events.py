"""An event on the way out, 41 keys in wire order and two of our own (docs/interface.md#event-keys)."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from calendar_api.domain import auth, costs, dates, html, text, time_zones
from calendar_api.domain.json_text import Rendered
from calendar_api.representations import json_ld, organizers, terms, values, venue_organizer, venues
from calendar_api.representations.render_context import RenderContext
from calendar_api.representations.values import inert

Json = dict[str, Any]
Around = tuple[Any, ...]


class Nested(Protocol):
    """What hangs on the events of an answer, by event id; only what the caller may read."""

    venues: dict[int, list[Any]]
    organizers: dict[int, list[Any]]
    terms: dict[int, list[Any]]
    counts: dict[int, int]
    images: dict[int, Any]
    parents: set[int]


class TextCache(Protocol):
    """Makes JSON text of parts and of whole events; it may know already what it makes of a content.

    That is the values of a row, and what else `make` looks at: what is `around` it.
    """

    def part(self, row: Any, around: Around, make: Callable[[], Json]) -> Any: ...

    def parts(self, several: Around) -> Any: ...

    def whole(self, row: Any, around: Around, make: Callable[[], Json]) -> Rendered: ...


class Held(NamedTuple):
    """What an event shows of other records, as documents or as texts."""

    image: Any
    categories: Around
    tags: Around
    venues: Around
    organizers: Around
    parent: int


class _Documents:
    """Parts as they are, to be looked into."""

    def part(self, row: Any, around: Around, make: Callable[[], Json]) -> Json:
        return make()

    def parts(self, several: Around) -> list[Any]:
        return list(several)


_DOCUMENTS = _Documents()


def record(event: Any, nested: Nested, site: RenderContext, *, single: bool) -> Json:
    """The whole record; `single` adds `json_ld` to it and to its venues and organizers."""
    held = _held(event, nested, site, _DOCUMENTS, single=single)
    body = _body(event, held, site, _DOCUMENTS)
    if single:
        body["json_ld"] = _json_ld(event, body, held.image)
    return body


def listed(event: Any, nested: Nested, site: RenderContext, texts: TextCache) -> Rendered:
    """The record as lists show it, as text; the event and all that is nested are tuples of what they hold."""
    held = _held(event, nested, site, texts, single=False)
    return texts.whole(event, (held, site.seen(event)), lambda: _body(event, held, site, texts))


def _body(event: Any, held: Held, site: RenderContext, made: Any) -> Json:
    id, links = int(event.id), site.links
    status = auth.effective_status(event, site.now)
    page = links.page("event", id, event.slug, status)
    global_id = links.global_id(id)
    return {
        "id": id,
        "global_id": global_id,
        "global_id_lineage": [global_id],
        "author": str(event.author_id),
        "status": status,
        "date": site.local(event.published_utc),
        "date_utc": event.published_utc,
        "modified": site.local(event.modified_utc),
        "modified_utc": event.modified_utc,
        "url": page,
        "rest_url": links.record("events", id),
        "title": text.escape(event.title),
        "description": html.paragraphs(event.description),
        "excerpt": html.paragraphs(event.excerpt),
        "slug": event.slug or "",
        "image": values.image(held.image) if held.image is not None else False,
        "all_day": bool(event.all_day),
        **_times(event),
        "cost": inert(costs.formatted(event.cost, site.currency_symbol, site.free)),
        "cost_details": _cost_details(event),
        "website": page if event.website is None else text.escape_amp(event.website),
        "show_map": bool(event.show_map),
        "show_map_link": bool(event.show_map_link),
        "hide_from_listings": bool(event.hide_from_listings),
        "sticky": bool(event.sticky),
        "featured": bool(event.featured),
        "categories": made.parts(held.categories),
        "tags": made.parts(held.tags),
        # One venue is an object, none or several are a list: the reference's shape.
        "venue": held.venues[0] if len(held.venues) == 1 else made.parts(held.venues),
        "organizer": made.parts(held.organizers),
        "custom_fields": [],
        "post_parent": held.parent,
        "ticketed": bool(event.ticketed),
    }


def _cost_details(event: Any) -> Json:
    found = costs.details(event.cost)
    return {**found, "currency_symbol": inert(str(found["currency_symbol"]))}


def without_json_ld(body: Json) -> Json:
    """What `record` makes without `single` of the same event, from what it has made with it."""
    plain = {key: value for key, value in body.items() if key != "json_ld"}
    venue = plain["venue"]
    plain["venue"] = (
        [venue_organizer.plain(place) for place in venue]
        if isinstance(venue, list)
        else venue_organizer.plain(venue)
    )
    plain["organizer"] = [venue_organizer.plain(person) for person in plain["organizer"]]
    return plain


def _times(event: Any) -> Json:
    start, end = event.start_date, event.end_date
    utc_start, utc_end = event.utc_start_date, event.utc_end_date
    return {
        "start_date": start,
        "start_date_details": values.instant(start),
        "end_date": end,
        "end_date_details": values.instant(end),
        "utc_start_date": utc_start,
        "utc_start_date_details": values.instant(utc_start),
        "utc_end_date": utc_end,
        "utc_end_date_details": values.instant(utc_end),
        "timezone": event.timezone,
        "timezone_abbr": time_zones.abbreviation(event.timezone, dates.from_text(start)),
    }


def _held(event: Any, nested: Nested, site: RenderContext, made: Any, *, single: bool) -> Held:
    id = int(event.id)
    by_taxonomy: dict[str, list[Any]] = {"tribe_events_cat": [], "post_tag": []}
    for term in nested.terms[id]:
        by_taxonomy[term.taxonomy].append(_term(term, nested, site, made))
    places = [_linked(venues, one, nested, site, made, single=single) for one in nested.venues[id]]
    persons = [_linked(organizers, one, nested, site, made, single=single) for one in nested.organizers[id]]
    return Held(
        image=nested.images.get(event.image_id or 0),
        categories=tuple(by_taxonomy["tribe_events_cat"]),
        tags=tuple(by_taxonomy["post_tag"]),
        venues=tuple(places),
        organizers=tuple(persons),
        parent=event.parent_id if event.parent_id in nested.parents else 0,
    )


def _term(term: Any, nested: Nested, site: RenderContext, made: Any) -> Any:
    count = nested.counts.get(int(term.id), 0)
    return made.part(term, (count, site.place), lambda: terms.nested(term, count, site.links))


def _linked(noun: Any, one: Any, nested: Nested, site: RenderContext, made: Any, *, single: bool) -> Any:
    """`noun` is how it is shown, as a venue or as an organizer."""
    image = nested.images.get(one.image_id or 0)
    return made.part(one, (image, site.seen(one)), lambda: noun.record(one, image, site, single=single))


def _json_ld(event: Any, body: Json, image: Any) -> Json:
    place = body["venue"][:1] if isinstance(body["venue"], list) else [body["venue"]]
    offer = None
    if body["cost"]:
        price, symbol = inert(costs.price(event.cost)), body["cost_details"]["currency_symbol"]
        offer = json_ld.offer(price, symbol, body["url"], event.published_utc[:10])
    return json_ld.event(
        event,
        body["url"],
        image.url if image is not None else None,
        place[0]["json_ld"] if place else None,
        body["organizer"][0]["json_ld"] if body["organizer"] else None,
        offer,
    )


_MASKED_VALUES: Json = {
    "description": "",
    "excerpt": "",
    "image": False,
    "all_day": None,
    "cost": "",
    "cost_details": {"currency_symbol": "", "currency_code": "", "currency_position": "", "values": []},
    "website": "",
    "show_map": None,
    "show_map_link": None,
    "hide_from_listings": None,
    "sticky": None,
    "featured": None,
    "categories": [],
    "tags": [],
    "venue": [],
    "organizer": [],
    "custom_fields": [],
    "post_parent": None,
    "ticketed": None,
}


def mask_event(record: Json) -> Json:
    """The same keys in the same order, with nothing that the password protects."""
    return {key: _MASKED_VALUES.get(key, value) for key, value in record.items()}
