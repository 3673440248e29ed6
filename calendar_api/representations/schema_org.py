"""Events as JSON-LD for search engines and pages, in terms of schema.org.

`json_ld` of the API is another form, which clients know (docs/interface.md#json-ld).
"""

from collections.abc import Iterable, Mapping
from html import unescape

from calendar_api.domain import costs, json_text, text, time_zones
from calendar_api.representations.event_fields import image_url, moment, names, plain, urn, venues
from calendar_api.representations.records import EventJson, OrganizerJson, VenueJson
from calendar_api.representations.rows import Json

_CONTEXT = {"@context": "https://schema.org"}
_STATUS = {
    "scheduled": "https://schema.org/EventScheduled",
    "canceled": "https://schema.org/EventCancelled",
    "postponed": "https://schema.org/EventPostponed",
}
_ADDRESS = {
    "streetAddress": "address",
    "addressLocality": "city",
    "addressRegion": "stateprovince",
    "postalCode": "zip",
    "addressCountry": "country",
}
#: In JSON these stand in strings only. A script element ends at `</script`, and may not contain `<!--`.
_ESCAPES = {
    "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"
}  # fmt: skip


def event(record: EventJson) -> Json:
    """Return the Event without `@context`; keys without a value are left out.

    An event without a venue has no `location` and no `eventAttendanceMode`: it is not known where it is.
    """
    places = [_place(venue) for venue in venues(record)]
    organizers = [_organization(organizer) for organizer in record["organizer"]]
    return _without_empty(
        {
            "@type": "Event",
            "@id": urn(record),
            "name": unescape(record["title"]),
            "url": record["url"],
            "startDate": moment(record, "start"),
            "endDate": moment(record, "end"),
            "eventStatus": _STATUS.get(record["event_status"]),
            "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode" if places else "",
            "location": places[0] if len(places) == 1 else places,
            "image": [url] if (url := image_url(record)) else [],
            "description": text.visible(record["excerpt"]) or text.visible(record["description"]),
            "organizer": organizers[0] if len(organizers) == 1 else organizers,
            "offers": _offer(record),
            "keywords": names(record["categories"]) + names(record["tags"]),
        }
    )


def graph(events: Iterable[EventJson]) -> bytes:
    """Return a list of events as a JSON-LD document."""
    return _encoded({**_CONTEXT, "@graph": [event(record) for record in events]}).encode()


def script(record: EventJson) -> str:
    """Return the content of a `<script type="application/ld+json">` element, which needs no escaping."""
    return _encoded({**_CONTEXT, **event(record)})


def venue_script(venue: VenueJson) -> str:
    """Return the same for the page of a venue."""
    return _encoded({**_CONTEXT, **_place(venue), **_contact(venue)})


def organizer_script(organizer: OrganizerJson) -> str:
    """Return the same for the page of an organizer."""
    contact = _contact(organizer) | _without_empty({"email": plain(organizer, "email")})
    return _encoded({**_CONTEXT, **_organization(organizer), **contact})


def _contact(record: VenueJson | OrganizerJson) -> Json:
    """Return what a venue or organizer has beside its name; `url` is its own page."""
    return _without_empty(
        {
            "url": record["url"],
            "sameAs": plain(record, "website"),
            "telephone": plain(record, "phone"),
            "image": image_url(record),
            "description": text.visible(record.get("description", "")),
        }
    )


def _place(venue: VenueJson) -> Json:
    name = unescape(venue["venue"])
    address = _without_empty({key: plain(venue, field) for key, field in _ADDRESS.items()})
    place: Json = {
        "@type": "Place",
        "name": name,
        # Search engines require an address.
        "address": {"@type": "PostalAddress", **address} if address else name,
    }
    if "geo_lat" in venue:
        place["geo"] = {
            "@type": "GeoCoordinates", "latitude": venue["geo_lat"], "longitude": venue["geo_lng"]
        }  # fmt: skip
    return place


def _organization(organizer: OrganizerJson) -> Json:
    name, url = unescape(organizer["organizer"]), plain(organizer, "website") or organizer["url"]
    return _without_empty({"@type": "Organization", "name": name, "url": url})


def _offer(record: EventJson) -> Json | None:
    """Return the lowest price; None for a cost in words."""
    amounts = costs.amounts(plain(record, "cost"), record["cost_details"]["values"])
    if amounts is None:
        return None
    return _without_empty(
        {
            "@type": "Offer",
            "price": amounts.values[0],
            "priceCurrency": amounts.code,
            "url": unescape(record["website"]),
            "availability": "" if record["event_status"] == "canceled" else "https://schema.org/InStock",
            "validFrom": time_zones.with_offset(record["date_utc"], record["date_utc"]),
        }
    )


def _without_empty(values: Mapping[str, object]) -> Json:
    return {key: value for key, value in values.items() if value}


def _encoded(value: Json) -> str:
    encoded = json_text.encode(value)
    for character, escaped in _ESCAPES.items():
        encoded = encoded.replace(character, escaped)
    return encoded
