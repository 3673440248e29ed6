"""Events, places and persons in the words of schema.org (contract §1.8); on single reads only."""

from typing import Any

from calendar_api import dates, text, zones
from calendar_api.representations.lines import inert

Json = dict[str, Any]

_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}


def event(
    event: Any, url: str, image_url: str | None, place: Json | None, person: Json | None, offer: Json | None
) -> Json:
    """`place` and `person` are the first venue and organizer that the caller may read."""
    zone = zones.named(event.timezone)
    record: Json = {
        "@context": "http://schema.org",
        "@type": "Event",
        "name": text.escape(event.title),
        "description": _description(event.excerpt),
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
    """`published` is the day of publication as YYYY-MM-DD."""
    return {
        "@type": "Offer",
        "price": price,
        "priceCurrency": _CURRENCIES.get(symbol, symbol if len(symbol) == 3 else "USD"),
        "url": url,
        "category": "primary",
        "availability": "inStock",
        "validFrom": f"{published}T00:00:00+00:00",
    }


def place(venue: Any, image_url: str | None) -> Json:
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
        "description": _description(venue.description),
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


def person(organizer: Any, image_url: str | None) -> Json:
    return {
        "@type": "Person",
        "name": text.escape(organizer.organizer),
        "description": _description(organizer.description),
        **({"image": image_url} if image_url else {}),
        "url": organizer.website,
        "telephone": inert(organizer.phone),
        "email": organizer.email,
        "sameAs": organizer.website,
    }


def _description(html: str) -> str:
    """Escaped paragraphs without further markup; the end is what the reference sends."""
    visible = text.visible(html)
    return text.escape_amp(f"<p>{visible}</p>") + "\\n" if visible else ""
