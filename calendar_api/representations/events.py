"""An event as JSON, with the keys and their order of the reference (docs/interface.md#event-keys)."""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import NamedTuple, Protocol

from calendar_api.domain import auth, costs, dates, html, text, time_zones
from calendar_api.representations import json_ld, terms, venue_organizer
from calendar_api.representations.render_context import RenderContext, inert
from calendar_api.representations.rows import (
    EventRow,
    ImageRow,
    Json,
    OrganizerRow,
    PublishedRow,
    TermRow,
    VenueRow,
)


class Nested(Protocol):
    """Related records by the id of the event, images by their own id; only what the caller may read."""

    @property
    def venues(self) -> Mapping[int, Sequence[VenueRow]]: ...

    @property
    def organizers(self) -> Mapping[int, Sequence[OrganizerRow]]: ...

    @property
    def terms(self) -> Mapping[int, Sequence[TermRow]]: ...

    @property
    def counts(self) -> Mapping[int, int]: ...

    @property
    def images(self) -> Mapping[int, ImageRow]: ...

    @property
    def parents(self) -> Container[int]: ...

    @property
    def plain_fields(self) -> Mapping[str, Sequence[str]]: ...


class Related(NamedTuple):
    """What one event shows of other records, as JSON documents."""

    image: ImageRow | None = None
    categories: Sequence[Json] = ()
    tags: Sequence[Json] = ()
    venues: Sequence[Json] = ()
    organizers: Sequence[Json] = ()
    parent: int = 0


class Source(NamedTuple):
    """Everything that the fields of one event are made of."""

    event: EventRow
    related: Related
    site: RenderContext
    status: str
    url: str


def record(event: EventRow, nested: Nested, site: RenderContext, *, single: bool) -> Json:
    """The whole record; `single` adds `json_ld` to it and to its venues and organizers."""
    related = _related(event, nested, site, single=single)
    body = _fields(event, related, site)
    if single:
        body["json_ld"] = _json_ld(event, body, related)
    return body


def masked(event: EventRow, site: RenderContext) -> Json:
    """The record with nothing in it that the password of the event protects."""
    source = _source(event, Related(), site)
    return {name: _MASKED[name] if name in _MASKED else make(source) for name, make in _FIELDS.items()}


def fields(event: EventRow, names: Container[str], nested: Nested, site: RenderContext) -> Json:
    """Only these fields of the record; `nested` may be empty without any of RELATED_FIELDS."""
    source = _source(event, _related(event, nested, site, single=False), site)
    return {name: make(source) for name, make in _FIELDS.items() if name in names}


def without_json_ld(body: Json) -> Json:
    """The record with `single=False`, made of the one with `single=True`."""
    plain = {key: value for key, value in body.items() if key != "json_ld"}
    for name in ("venue", "organizer"):
        value = plain[name]
        parts = [
            venue_organizer.without_json_ld(part)
            for part in (value if isinstance(value, list) else [value])
            if isinstance(part, dict)
        ]
        plain[name] = parts if isinstance(value, list) else parts[0]
    return plain


_FIELDS: dict[str, Callable[[Source], object]] = {
    "id": lambda of: int(of.event.id),
    "global_id": lambda of: of.site.links.global_id(int(of.event.id)),
    "global_id_lineage": lambda of: [of.site.links.global_id(int(of.event.id))],
    "author": lambda of: str(of.event.author_id),
    "status": lambda of: of.status,
    "date": lambda of: of.site.local(of.event.published_utc),
    "date_utc": lambda of: of.event.published_utc,
    "modified": lambda of: of.site.local(of.event.modified_utc),
    "modified_utc": lambda of: of.event.modified_utc,
    "url": lambda of: of.url,
    "rest_url": lambda of: of.site.links.record("events", int(of.event.id)),
    "title": lambda of: text.escape(of.event.title),
    "description": lambda of: html.paragraphs(of.event.description),
    "excerpt": lambda of: html.paragraphs(of.event.excerpt),
    "slug": lambda of: of.event.slug or "",
    "image": lambda of: venue_organizer.image_record(of.related.image) if of.related.image else False,
    "all_day": lambda of: bool(of.event.all_day),
    "start_date": lambda of: of.event.start_date,
    "start_date_details": lambda of: date_details(of.event.start_date),
    "end_date": lambda of: of.event.end_date,
    "end_date_details": lambda of: date_details(of.event.end_date),
    "utc_start_date": lambda of: of.event.utc_start_date,
    "utc_start_date_details": lambda of: date_details(of.event.utc_start_date),
    "utc_end_date": lambda of: of.event.utc_end_date,
    "utc_end_date_details": lambda of: date_details(of.event.utc_end_date),
    "timezone": lambda of: of.event.timezone,
    "timezone_abbr": lambda of: time_zones.abbreviation(
        of.event.timezone, dates.from_text(of.event.start_date)
    ),
    "cost": lambda of: inert(costs.formatted(of.event.cost, of.site.currency_symbol, of.site.free)),
    "cost_details": lambda of: _cost_details(of.event.cost),
    "website": lambda of: of.url if of.event.website is None else text.escape_amp(of.event.website),
    "show_map": lambda of: bool(of.event.show_map),
    "show_map_link": lambda of: bool(of.event.show_map_link),
    "hide_from_listings": lambda of: bool(of.event.hide_from_listings),
    "sticky": lambda of: bool(of.event.sticky),
    "featured": lambda of: bool(of.event.featured),
    "categories": lambda of: list(of.related.categories),
    "tags": lambda of: list(of.related.tags),
    # One venue is an object, none or several are a list: the reference's shape.
    "venue": lambda of: of.related.venues[0] if len(of.related.venues) == 1 else list(of.related.venues),
    "organizer": lambda of: list(of.related.organizers),
    "custom_fields": lambda of: [],
    "post_parent": lambda of: of.related.parent,
    "ticketed": lambda of: bool(of.event.ticketed),
}
#: The fields that show other records.
RELATED_FIELDS = frozenset({"image", "categories", "tags", "venue", "organizer", "post_parent"})

_MASKED: Json = {
    "description": "",
    "excerpt": "",
    "image": False,
    "cost": "",
    "cost_details": {"currency_symbol": "", "currency_code": "", "currency_position": "", "values": []},
    "website": "",
    **dict.fromkeys(("all_day", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured")),
    **{name: [] for name in ("categories", "tags", "venue", "organizer", "custom_fields")},
    **dict.fromkeys(("post_parent", "ticketed")),
}


def _source(event: EventRow, related: Related, site: RenderContext) -> Source:
    status = auth.effective_status(event, site.now)
    url = site.links.page("event", int(event.id), event.slug, status)
    return Source(event, related, site, status, url)


def _fields(event: EventRow, related: Related, site: RenderContext) -> Json:
    source = _source(event, related, site)
    return {name: make(source) for name, make in _FIELDS.items()}


def _related(event: EventRow, nested: Nested, site: RenderContext, *, single: bool) -> Related:
    id = int(event.id)
    by_taxonomy: dict[str, list[Json]] = {"tribe_events_cat": [], "post_tag": []}

    def linked(noun: str, row: PublishedRow) -> Json:
        image, names = nested.images.get(row.image_id or 0), nested.plain_fields[noun]
        render: Callable[..., Json] = venue_organizer.venue if noun == "venue" else venue_organizer.organizer
        return render(row, names, image, site, single=single)

    for term in nested.terms.get(id, ()):
        by_taxonomy[term.taxonomy].append(terms.nested(term, nested.counts.get(int(term.id), 0), site.links))
    return Related(
        image=nested.images.get(event.image_id or 0),
        categories=tuple(by_taxonomy["tribe_events_cat"]),
        tags=tuple(by_taxonomy["post_tag"]),
        venues=tuple(linked("venue", row) for row in nested.venues.get(id, ())),
        organizers=tuple(linked("organizer", row) for row in nested.organizers.get(id, ())),
        parent=event.parent_id if event.parent_id and event.parent_id in nested.parents else 0,
    )


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


def _cost_details(cost: str) -> Json:
    found = costs.details(cost)
    return {**found, "currency_symbol": inert(str(found["currency_symbol"]))}


def _first_json_ld(records: Sequence[Json]) -> Json | None:
    found = records[0]["json_ld"] if records else None
    return found if isinstance(found, dict) else None


def _json_ld(event: EventRow, body: Json, related: Related) -> Json:
    url, offer = str(body["url"]), None
    if body["cost"]:
        symbol = inert(str(costs.details(event.cost)["currency_symbol"]))
        offer = json_ld.offer(inert(costs.price(event.cost)), symbol, url, event.published_utc[:10])
    place, person = _first_json_ld(related.venues), _first_json_ld(related.organizers)
    image = related.image.url if related.image is not None else None
    return json_ld.event(event, url, image, place, person, offer)
