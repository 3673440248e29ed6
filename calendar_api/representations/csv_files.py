"""Events, venues and organizers as CSV files that can be imported again (RFC 4180, UTF-8 with a BOM)."""

from collections.abc import Iterable
from html import unescape

from calendar_api.domain import costs, csv_columns
from calendar_api.representations import event_fields
from calendar_api.representations.event_fields import image_url, names, plain
from calendar_api.representations.records import EventJson, OrganizerJson, VenueJson
from calendar_api.representations.rows import Json

_SAME = (
    "id", "slug", "status", "url", "description", "excerpt", "timezone", "all_day", "featured", "sticky",
    "hide_from_listings", "show_map", "show_map_link", "event_status", "parent_uid",
)  # fmt: skip
_PLAIN = ("address", "city", "country", "stateprovince", "zip", "phone", "website", "email")


def events(records: Iterable[EventJson]) -> bytes:
    return csv_columns.write(csv_columns.EVENTS, map(_event, records))


def venues(records: Iterable[VenueJson]) -> bytes:
    rows = (_venue_or_organizer(record, record["venue"]) for record in records)
    return csv_columns.write(csv_columns.VENUES, rows)


def organizers(records: Iterable[OrganizerJson]) -> bytes:
    rows = (_venue_or_organizer(record, record["organizer"]) for record in records)
    return csv_columns.write(csv_columns.ORGANIZERS, rows)


def _event(record: EventJson) -> Json:
    """Return the values of the columns; a protected event has title and times only."""
    cost = plain(record, "cost")
    amounts = costs.amounts(cost, record["cost_details"]["values"])
    website, values = unescape(record["website"]), dict[str, object](record)
    return {
        **{name: values[name] for name in _SAME},
        "title": unescape(record["title"]),
        "uid": plain(record, "uid"),
        "event_status_reason": plain(record, "event_status_reason"),
        "start_day": record["start_date"][:10],
        "start_time": record["start_date"][11:],
        "end_day": record["end_date"][:10],
        "end_time": record["end_date"][11:],
        "venue": names(event_fields.venues(record), "venue"),
        "organizer": names(record["organizer"], "organizer"),
        "categories": names(record["categories"]),
        "tags": names(record["tags"]),
        "cost": ", ".join(amounts.values) if amounts else cost,
        "currency_code": amounts.code if amounts else "",
        "currency_symbol": amounts.symbol if amounts else "",
        "currency_position": amounts.position if amounts else "",
        # JSON has the page of the event for one without a website.
        "website": "" if website == record["url"] else website,
        "image": image_url(record),
    }


def _venue_or_organizer(record: VenueJson | OrganizerJson, name: str) -> Json:
    return {
        **{name: plain(record, name) for name in _PLAIN},
        "id": record["id"],
        "name": unescape(name),
        "description": record.get("description", ""),
        "address_2": "",
        "image": image_url(record),
        "geo_lat": record.get("geo_lat"),
        "geo_lng": record.get("geo_lng"),
        "slug": record.get("slug", ""),
        "status": record["status"],
    }
