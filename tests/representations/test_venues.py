"""A venue as JSON."""

from datetime import UTC
from typing import Any

import pytest

from calendar_api.database.models import Image, Venue
from calendar_api.representations import venue_organizer
from calendar_api.representations.links import Links
from calendar_api.representations.render_context import RenderContext

SITE = RenderContext(
    Links(
        "https://cal.example.test", "https://cal.example.test", "https://cal.example.test/calendar/events/v1"
    ),
    UTC,
    "$",
    "2026-06-15 12:00:00",
)
LINES = {
    "address": "1 Main & Side",
    "city": "Rome",
    "country": "Italy",
    "province": "Lazio",
    "state": "RM",
    "zip": "00100",
    "phone": "555",
    "website": "https://hall.example.org/?a=1&b=2",
    "stateprovince": "Lazio",
}
HEAD = ["id", "author", "status", "date", "date_utc", "modified", "modified_utc", "url", "venue"]
TAIL = ["show_map", "show_map_link", "global_id", "global_id_lineage"]


def venue(**columns: object) -> Venue:
    given: dict[str, object] = {
        "id": 4,
        "author": 2,
        "status": "publish",
        "published_utc": "2026-01-01 10:00:00",
        "modified_utc": "2026-01-01 10:00:00",
        "venue": "Hall",
        "description": "",
        "excerpt": "",
        "slug": "hall",
        **dict.fromkeys(LINES, ""),
        "show_map": True,
        "show_map_link": True,
    }
    return Venue(**{**given, **columns})


def rendered(row: Any, image: Any, *, single: bool) -> dict[str, Any]:
    return venue_organizer.venue(row, Venue.PLAIN_FIELDS, image, SITE, single=single)


def test_record_of_a_full_venue_has_every_key_in_wire_order() -> None:
    full = venue(**LINES, description="Text", excerpt="Short", geo_lat=41.9, geo_lng=12.5)
    image = Image(id=9, url="https://pics.example.org/a.png", extension="png")

    record = rendered(full, image, single=True)

    assert list(record) == [
        *HEAD, "description", "excerpt", "slug", "image", *LINES, "geo_lat", "geo_lng", "json_ld", *TAIL,
    ]  # fmt: skip
    assert {name: record[name] for name in LINES} == LINES
    assert record["image"] == {"url": "https://pics.example.org/a.png", "id": 9, "extension": "png"}
    assert (record["geo_lat"], record["geo_lng"]) == (41.9, 12.5)


def test_record_of_a_bare_venue_keeps_the_map_flags() -> None:
    record = rendered(venue(show_map=False, show_map_link=False), None, single=False)

    assert list(record) == [*HEAD, "slug", *TAIL]
    assert (record["show_map"], record["show_map_link"]) == (False, False)


@pytest.mark.parametrize("name", LINES)
def test_record_drops_a_line_that_is_zero(name: str) -> None:
    record = rendered(venue(**{**LINES, name: "0"}), None, single=False)

    assert list(record) == [*HEAD, "slug", *(line for line in LINES if line != name), *TAIL]


def test_record_keeps_a_place_on_the_equator_and_the_prime_meridian() -> None:
    record = rendered(venue(geo_lat=0.0, geo_lng=0.0), None, single=False)

    assert (record["geo_lat"], record["geo_lng"]) == (0.0, 0.0)


def test_json_ld_of_a_full_venue() -> None:
    full = venue(**LINES, description="<p>Big <b>hall</b></p>", geo_lat=41.9, geo_lng=12.5)
    image = Image(id=9, url="https://pics.example.org/a.png", extension="png")

    record = rendered(full, image, single=True)

    assert record["json_ld"] == {
        "@type": "Place",
        "name": "Hall",
        "description": "&lt;p&gt;Big hall&lt;/p&gt;\\n",
        "image": "https://pics.example.org/a.png",
        "url": "",
        "address": {
            "@type": "PostalAddress",
            "streetAddress": "1 Main & Side",
            "addressLocality": "Rome",
            "addressRegion": "Lazio",
            "postalCode": "00100",
            "addressCountry": "Italy",
        },
        "geo": {"@type": "GeoCoordinates", "latitude": 41.9, "longitude": 12.5},
        "telephone": "555",
        "sameAs": "https://hall.example.org/?a=1&b=2",
    }


def test_json_ld_of_a_bare_venue() -> None:
    record = rendered(venue(), None, single=True)

    assert record["json_ld"] == {
        "@type": "Place",
        "name": "Hall",
        "description": "",
        "url": "",
        "address": {"@type": "PostalAddress"},
        "telephone": "",
        "sameAs": "",
    }
