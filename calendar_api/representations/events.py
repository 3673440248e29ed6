"""An event on the way out, 41 keys in wire order and two of our own (contract §1.2)."""

from typing import Any, Protocol

from calendar_api import auth, costs, dates, text, zones
from calendar_api.representations import details, json_ld, linked, organizers, terms, venues
from calendar_api.representations.lines import inert
from calendar_api.representations.site import Site

Json = dict[str, Any]


class Nested(Protocol):
    """What hangs on the events of an answer, by event id; only what the caller may read."""

    venues: dict[int, list[Any]]
    organizers: dict[int, list[Any]]
    terms: dict[int, list[Any]]
    counts: dict[int, int]
    images: dict[int, Any]
    parents: set[int]


def record(event: Any, nested: Nested, site: Site, *, single: bool) -> Json:
    """The whole record; `single` adds `json_ld` to it and to its venues and organizers."""
    id, links = int(event.id), site.links
    status = auth.effective_status(event, site.now)
    page = links.page("event", id, event.slug, status)
    image = nested.images.get(event.image_id or 0)
    global_id = links.global_id(id)
    body: Json = {
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
        "description": text.paragraphs(event.description),
        "excerpt": text.paragraphs(event.excerpt),
        "slug": event.slug or "",
        "image": details.image(image) if image is not None else False,
        "all_day": bool(event.all_day),
        **_times(event),
        "cost": inert(costs.formatted(event.cost, site.currency_symbol, site.free)),
        "cost_details": costs.details(event.cost),
        "website": page if event.website is None else text.escape_amp(event.website),
        "show_map": bool(event.show_map),
        "show_map_link": bool(event.show_map_link),
        "hide_from_listings": bool(event.hide_from_listings),
        "sticky": bool(event.sticky),
        "featured": bool(event.featured),
        **_nested(event, nested, site, single=single),
        "custom_fields": [],
        "post_parent": event.parent_id if event.parent_id in nested.parents else 0,
        "ticketed": bool(event.ticketed),
    }
    if single:
        body["json_ld"] = _json_ld(event, body, nested, page)
    return body


def without_json_ld(body: Json) -> Json:
    """What `record` makes without `single` of the same event, from what it has made with it."""
    plain = {key: value for key, value in body.items() if key != "json_ld"}
    venue = plain["venue"]
    plain["venue"] = (
        [linked.plain(place) for place in venue] if isinstance(venue, list) else linked.plain(venue)
    )
    plain["organizer"] = [linked.plain(person) for person in plain["organizer"]]
    return plain


def _times(event: Any) -> Json:
    body: Json = {}
    for name in ("start_date", "end_date", "utc_start_date", "utc_end_date"):
        moment = getattr(event, name)
        body |= {name: moment, f"{name}_details": details.instant(moment)}
    start = dates.from_text(event.start_date)
    return body | {"timezone": event.timezone, "timezone_abbr": zones.abbreviation(event.timezone, start)}


def _nested(event: Any, nested: Nested, site: Site, *, single: bool) -> Json:
    id = int(event.id)
    by_taxonomy: dict[str, list[Json]] = {"tribe_events_cat": [], "post_tag": []}
    for term in nested.terms[id]:
        by_taxonomy[term.taxonomy].append(terms.nested(term, nested.counts.get(int(term.id), 0), site.links))
    places = [
        venues.record(venue, nested.images.get(venue.image_id or 0), site, single=single)
        for venue in nested.venues[id]
    ]
    persons = [
        organizers.record(organizer, nested.images.get(organizer.image_id or 0), site, single=single)
        for organizer in nested.organizers[id]
    ]
    return {
        "categories": by_taxonomy["tribe_events_cat"],
        "tags": by_taxonomy["post_tag"],
        # One venue is an object, none or several are a list: the reference's shape.
        "venue": places[0] if len(places) == 1 else places,
        "organizer": persons,
    }


def _json_ld(event: Any, body: Json, nested: Nested, page: str) -> Json:
    place = body["venue"][:1] if isinstance(body["venue"], list) else [body["venue"]]
    offer = None
    if body["cost"]:
        values, symbol = body["cost_details"]["values"], body["cost_details"]["currency_symbol"]
        price = " – ".join(dict.fromkeys((values[0], values[-1]))) if values else ""
        offer = json_ld.offer(price, symbol, page, event.published_utc[:10])
    image = nested.images.get(event.image_id or 0)
    return json_ld.event(
        event,
        page,
        image.url if image is not None else None,
        place[0]["json_ld"] if place else None,
        body["organizer"][0]["json_ld"] if body["organizer"] else None,
        offer,
    )
