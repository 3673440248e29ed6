"""Events, venues and organizers as schema.org JSON-LD, in single reads only (docs/interface.md#json-ld)."""

import re

from calendar_api.domain import dates, text, time_zones
from calendar_api.representations.render_context import inert
from calendar_api.representations.rows import EventRow, Json, OrganizerRow, VenueRow

_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_CODE = re.compile("[A-Z]{3}")
_MOST_WORDS = 55


def event(
    event: EventRow,
    url: str,
    image_url: str | None,
    place: Json | None,
    person: Json | None,
    offer: Json | None,
) -> Json:
    """`place` and `person`: JSON-LD of the first venue and organizer that the caller may read."""
    zone = time_zones.named(event.timezone)
    record: Json = {
        "@context": "http://schema.org",
        "@type": "Event",
        "name": text.escape(event.title),
        "description": _paragraph(text.visible(event.excerpt)) or _summary(event.description),
        **({"image": image_url} if image_url else {}),
        "url": url,
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "eventStatus": "https://schema.org/EventScheduled",
        "startDate": dates.iso(event.utc_start_date, zone),
        "endDate": dates.iso(event.utc_end_date, zone),
    }
    if place:
        record["location"] = place
    if person:
        record["organizer"] = person
    if offer:
        record["offers"] = offer
    record["performer"] = "Organization"
    return record


def offer(price: str, symbol: str, url: str, published: str) -> Json:
    """`published` is a day, "YYYY-MM-DD"."""
    return {
        "@type": "Offer",
        "price": price,
        "priceCurrency": _CURRENCIES.get(symbol, symbol if _CODE.fullmatch(symbol) else "USD"),
        "url": url,
        "category": "primary",
        "availability": "inStock",
        "validFrom": f"{published}T00:00:00+00:00",
    }


def place(venue: VenueRow, image_url: str | None) -> Json:
    address = {
        "streetAddress": venue.address,
        "addressLocality": venue.city,
        "addressRegion": venue.stateprovince,
        "postalCode": venue.zip,
        "addressCountry": venue.country,
    }
    record: Json = {
        "@type": "Place",
        "name": text.escape(venue.venue),
        "description": _summary(venue.description),
        **({"image": image_url} if image_url else {}),
        "url": "",
        "address": {
            "@type": "PostalAddress",
            **{key: inert(value) for key, value in address.items() if value},
        },
    }
    if venue.geo_lat is not None:
        record["geo"] = {"@type": "GeoCoordinates", "latitude": venue.geo_lat, "longitude": venue.geo_lng}
    return record | {"telephone": inert(venue.phone), "sameAs": venue.website}


def person(organizer: OrganizerRow, image_url: str | None) -> Json:
    return {
        "@type": "Person",
        "name": text.escape(organizer.organizer),
        "description": _summary(organizer.description),
        **({"image": image_url} if image_url else {}),
        "url": organizer.website,
        "telephone": inert(organizer.phone),
        "email": organizer.email,
        "sameAs": organizer.website,
    }


def _summary(markup: str) -> str:
    """The first words of a description as an escaped paragraph."""
    words = text.visible(markup).split(" ")
    more = " [&hellip;]" if len(words) > _MOST_WORDS else ""
    return _paragraph(" ".join(words[:_MOST_WORDS]), more)


def _paragraph(words: str, more: str = "") -> str:
    """Plain text as an escaped paragraph; it ends with the two characters `\\n`, as in the reference."""
    return f"&lt;p&gt;{text.escape_amp(words)}{more}&lt;/p&gt;\\n" if words else ""
