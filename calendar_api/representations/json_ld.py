"""Events, venues and organizers as schema.org JSON-LD, in single reads only (docs/interface.md#json-ld)."""

from datetime import tzinfo

from calendar_api.domain import costs, dates, text
from calendar_api.domain.text import inert
from calendar_api.representations.documents import INSERTED, INSERTED_JSON
from calendar_api.representations.records import ImageJson, OwnEventJson
from calendar_api.representations.rows import EventRow, Json, OrganizerRow, VenueRow

_MOST_WORDS = 55


def event(event: EventRow, shown: OwnEventJson, zone: tzinfo, currency_symbol: str) -> Json:
    """The JSON-LD of an event of which `shown` is the record; `with_related` inserts the related records.

    `currency_symbol` is that of the site.
    """
    image = shown["image"]
    record: Json = {
        "@context": "http://schema.org",
        "@type": "Event",
        "name": shown["title"],
        "description": _summary(event.description, event.excerpt),
        **({"image": image["url"]} if image else {}),
        "url": shown["url"],
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "eventStatus": "https://schema.org/EventScheduled",
        "startDate": dates.iso(event.utc_start_date, zone),
        "endDate": dates.iso(event.utc_end_date, zone),
        "location": INSERTED,
        "organizer": INSERTED,
    }
    if shown["cost"]:
        symbol = shown["cost_details"]["currency_symbol"] or currency_symbol
        record["offers"] = {
            "@type": "Offer",
            "price": inert(costs.price(event.cost)),
            "priceCurrency": costs.currency_code(symbol) or "USD",
            "url": shown["url"],
            "category": "primary",
            "availability": "inStock",
            "validFrom": f"{event.published_utc[:10]}T00:00:00+00:00",
        }
    record["performer"] = "Organization"
    return record


def with_related(json_ld: bytes, **related: bytes | None) -> bytes:
    """Insert `location` and `organizer` (JSON-LD), or remove their keys."""
    for key, value in related.items():
        place = b',"%b":%b' % (key.encode(), INSERTED_JSON)
        json_ld = json_ld.replace(place, place.replace(INSERTED_JSON, value) if value else b"", 1)
    return json_ld


def place(venue: VenueRow, image: ImageJson | None) -> Json:
    address = {
        "streetAddress": venue.address,
        "addressLocality": venue.city,
        "addressRegion": venue.stateprovince,
        "postalCode": venue.zip,
        "addressCountry": venue.country,
    }
    record = _thing("Place", venue.venue, venue.description, image) | {
        "url": "",
        "address": {
            "@type": "PostalAddress",
            **{key: inert(value) for key, value in address.items() if value},
        },
    }
    if venue.geo_lat is not None:
        record["geo"] = {"@type": "GeoCoordinates", "latitude": venue.geo_lat, "longitude": venue.geo_lng}
    return record | {"telephone": inert(venue.phone), "sameAs": venue.website}


def person(organizer: OrganizerRow, image: ImageJson | None) -> Json:
    return _thing("Person", organizer.organizer, organizer.description, image) | {
        "url": organizer.website,
        "telephone": inert(organizer.phone),
        "email": organizer.email,
        "sameAs": organizer.website,
    }


def _thing(kind: str, name: str, description: str, image: ImageJson | None) -> Json:
    shown: Json = {"@type": kind, "name": text.escape(name), "description": _summary(description)}
    return shown | ({"image": image["url"]} if image else {})


def _summary(description: str, excerpt: str = "") -> str:
    """The excerpt, or the first words of the description, as an escaped paragraph.

    It ends with the two characters `\\n`, as in the reference.
    """
    summary, more = text.visible(excerpt), ""
    if not summary:
        words = text.visible(description).split(" ")
        summary, more = " ".join(words[:_MOST_WORDS]), " [&hellip;]" if len(words) > _MOST_WORDS else ""
    return f"&lt;p&gt;{text.escape_amp(summary)}{more}&lt;/p&gt;\\n" if summary else ""
