"""The rows of each table for a record of the data set, as the interface would have stored them.

One small function for a table. A test writes records back over the interface and looks that no row changes.
"""

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from bench.data import dataset
from bench.data.dataset import Happening, Person, Place, Size
from calendar_api.database.models import (
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Image,
    Organizer,
    Record,
    SearchText,
    Table,
    Term,
    Venue,
)
from calendar_api.domain import costs, dates, text
from calendar_api.store.terms import Terms, categories, tags
from calendar_api.store.venues import point

Row = dict[str, Any]
Rows = Iterator[tuple[type[Table], Row]]

AUTHOR = 1  # the administrator, created before the data
_BORN = dates.text(dataset.FIRST)
_VENUE_ADDRESS = {
    "address": "12 Example Street", "city": "Springfield", "country": "United States", "province": "",
    "state": "OR", "stateprovince": "OR", "zip": "97477", "phone": "+1 555 0100",
    "website": "https://venue.example.org",
}  # fmt: skip
_ORGANIZER_ADDRESS = {
    "phone": "+1 555 0101", "website": "https://organizer.example.org", "email": "info@organizer.example.org",
}  # fmt: skip


class Ids:
    """The ids: all kinds share one sequence, terms and images first, events last."""

    def __init__(self, size: Size) -> None:
        self.categories = 1
        self.tags = self.categories + dataset.CATEGORIES
        self.images = self.tags + dataset.TAGS
        self.venues = self.images + dataset.IMAGES
        self.organizers = self.venues + size.venues
        self.events = self.organizers + size.organizers


def of_terms(ids: Ids) -> Rows:
    for terms, first, number in (
        (categories, ids.categories, dataset.CATEGORIES),
        (tags, ids.tags, dataset.TAGS),
    ):
        for place, name in enumerate(dataset.names(terms.noun, number)):
            yield Record, {"id": first + place, "kind": terms.noun}
            yield Term, term(first + place, terms, name)


def term(id: int, terms: Terms, name: str) -> Row:
    return {
        "id": id, "taxonomy": terms.taxonomy, "name": name, "name_folded": text.folded(name),
        "name_key": terms._key(name, None), "slug": text.slug(name), "description": "", "parent_id": None,
        "version": 1,
    }  # fmt: skip


def of_images(ids: Ids) -> Rows:
    for number in range(dataset.IMAGES):
        url = f"https://images.example.org/{number}.jpg"
        yield Record, {"id": ids.images + number, "kind": "image"}
        yield (
            Image,
            {
                "id": ids.images + number, "url": url, "extension": "jpg",
                "url_digest": hashlib.sha256(url.encode()).hexdigest(),
            },
        )  # fmt: skip


def of_place(place: Place, ids: Ids) -> Rows:
    id = ids.venues + place.number
    x, y, z = point(place.lat, place.lng)
    yield Record, {"id": id, "kind": "venue"}
    yield (
        Venue,
        {
            **published(id, place.name, f"<p>{place.description}</p>"), **_VENUE_ADDRESS,
            "venue": place.name, "name_casefold": text.casefold(place.name)[:191],
            "show_map": True, "show_map_link": True,
            "geo_lat": place.lat, "geo_lng": place.lng, "geo_x": x, "geo_y": y, "geo_z": z,
        },
    )  # fmt: skip
    searched = {name: value for name, value in _VENUE_ADDRESS.items() if name not in ("country", "website")}
    yield from search_texts(id, {"venue": place.name, **searched, "description": place.description})


def of_person(person: Person, ids: Ids) -> Rows:
    id = ids.organizers + person.number
    yield Record, {"id": id, "kind": "organizer"}
    yield (
        Organizer,
        {
            **published(id, person.name, f"<p>{person.description}</p>"), **_ORGANIZER_ADDRESS,
            "organizer": person.name, "name_casefold": text.casefold(person.name)[:191],
        },
    )  # fmt: skip
    texts = {"organizer": person.name, **_ORGANIZER_ADDRESS, "description": person.description}
    yield from search_texts(id, texts)


def published(id: int, name: str, description: str) -> Row:
    """Columns of a new event, venue or organizer; venues and organizers are as old as the calendar."""
    return {
        "id": id, "author_id": AUTHOR, "status": "publish", "published_utc": _BORN, "modified_utc": _BORN,
        "trashed_utc": None, "slug": text.slug(name), "slug_before_trash": None, "description": description,
        "excerpt": "", "image_id": None, "version": 1,
    }  # fmt: skip


def search_texts(id: int, texts: dict[str, str]) -> Rows:
    for field, value in texts.items():
        folded = text.folded(value)
        if folded:
            yield SearchText, {"record_id": id, "field": field, "folded": folded}


def of_event(event: Happening, ids: Ids) -> Rows:
    id = ids.events + event.number
    for model, rows in EVENT_TABLES.items():
        for row in rows(event, id, ids):
            yield model, row


def _record(event: Happening, id: int, ids: Ids) -> list[Row]:
    return [{"id": id, "kind": "event"}]


def _event(event: Happening, id: int, ids: Ids) -> list[Row]:
    return [
        {
            **published(id, event_slug(event), f"<p>{event.description}</p>"), **_age(event),
            "excerpt": f"<p>{event.excerpt}</p>", "image_id": ids.images + event.image,
            "title": event.title, "all_day": event.all_day, "timezone": event.zone,
            "start_date": dates.text(event.start), "end_date": dates.text(event.end),
            "utc_start_date": dates.text(event.start.astimezone(UTC)),
            "utc_end_date": dates.text(event.end.astimezone(UTC)),
            "cost": _cost(event.cost), "website": f"https://event.example.org/{event.number}",
            "show_map": True, "show_map_link": True, "hide_from_listings": event.hidden, "sticky": False,
            "featured": event.featured, "ticketed": event.ticketed, "password": "", "parent_id": None,
        }
    ]  # fmt: skip


def event_slug(event: Happening) -> str:
    return f"event-{event.number}"


def _age(event: Happening) -> Row:
    """The slug of a trashed record stays reserved for its restoration."""
    born = dates.text(event.published)
    row: Row = {"status": event.status, "published_utc": born, "modified_utc": born}
    if event.status != "trash":
        return row
    deleted, slug = _later(event.published), event_slug(event)
    return {
        **row, "modified_utc": deleted, "trashed_utc": deleted, "version": 2, "slug": f"{slug}__trashed",
        "slug_before_trash": slug,
    }  # fmt: skip


def _later(moment: datetime) -> str:
    return dates.text(moment + timedelta(days=1))


_cost: Callable[[str], str] = cache(costs.parse)


def _search_text(event: Happening, id: int, ids: Ids) -> list[Row]:
    visible = (event.title, event.description, event.excerpt)
    return [{"record_id": id, "field": "all", "folded": "\n".join(map(text.folded, visible))}]


def _venue(event: Happening, id: int, ids: Ids) -> list[Row]:
    return [{"event_id": id, "venue_id": ids.venues + event.venue, "position": 0, **_start(event)}]


def _organizers(event: Happening, id: int, ids: Ids) -> list[Row]:
    return [
        {"event_id": id, "organizer_id": ids.organizers + number, "position": position, **_start(event)}
        for position, number in enumerate(event.organizers)
    ]


def _terms(event: Happening, id: int, ids: Ids) -> list[Row]:
    linked = [ids.categories + number for number in event.categories]
    linked += [ids.tags + number for number in event.tags]
    counted = dates.text(event.published) if event.status == "publish" else None
    own = {"event_id": id, "counted_from_utc": counted, **_start(event)}
    return [{**own, "term_id": term_id} for term_id in linked]


def _start(event: Happening) -> Row:
    """Columns that each link repeats from its event."""
    return {"utc_start_date": dates.text(event.start.astimezone(UTC))}


#: Tables with rows of events, and the functions that build them.
EVENT_TABLES: dict[type[Table], Callable[[Happening, int, Ids], list[Row]]] = {
    Record: _record,
    Event: _event,
    SearchText: _search_text,
    EventVenue: _venue,
    EventOrganizer: _organizers,
    EventTerm: _terms,
}
