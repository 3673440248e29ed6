"""Events, places and persons in the words of schema.org (docs/interface.md#json-ld)."""

from typing import Any

import pytest
from playhouse.test_utils import assert_query_count

from calendar_api.database.models import Event, Organizer, Venue
from calendar_api.representations import json_ld

PAGE = "https://cal.example.test/event/tango/"
PICTURE = "https://pics.example.org/a.png"


def event(**columns: Any) -> Event:
    given: dict[str, Any] = {
        "title": "Tango & more", "excerpt": "", "description": "", "timezone": "America/New_York",
        "utc_start_date": "2027-01-10 15:00:00", "utc_end_date": "2027-07-10 15:00:00",
    }  # fmt: skip
    return Event(**{**given, **columns})


def venue(**columns: Any) -> Venue:
    given: dict[str, Any] = dict.fromkeys(
        ("address", "city", "stateprovince", "zip", "country", "phone", "website", "description"), ""
    )
    return Venue(**{**given, "venue": "Hall", **columns})


def test_event_with_everything() -> None:
    place, person, offer = {"@type": "Place"}, {"@type": "Person"}, {"@type": "Offer"}

    with assert_query_count(0):
        record = json_ld.event(
            event(excerpt="<p>Short &amp; <b>bold</b></p>"), PAGE, PICTURE, place, person, offer
        )

    assert list(record.items()) == [
        ("@context", "http://schema.org"),
        ("@type", "Event"),
        ("name", "Tango &#038; more"),
        ("description", "&lt;p&gt;Short &amp; bold&lt;/p&gt;\\n"),
        ("image", PICTURE),
        ("url", PAGE),
        ("eventAttendanceMode", "https://schema.org/OfflineEventAttendanceMode"),
        ("eventStatus", "https://schema.org/EventScheduled"),
        ("startDate", "2027-01-10T10:00:00-05:00"),
        ("endDate", "2027-07-10T11:00:00-04:00"),
        ("location", place),
        ("organizer", person),
        ("offers", offer),
        ("performer", "Organization"),
    ]


def test_event_with_nothing() -> None:
    record = json_ld.event(event(), PAGE, None, None, None, None)

    assert record["description"] == ""
    assert not {"image", "location", "organizer", "offers"} & set(record)


def test_event_without_excerpt_is_described_by_its_description() -> None:
    html = "<p>Long <b>text</b> &amp;lt;b&gt;</p>"
    record = json_ld.event(event(description=html), PAGE, None, None, None, None)
    both = event(excerpt="<p>Short</p>", description="<p>Long</p>")

    assert record["description"] == "&lt;p&gt;Long text &amp;lt;b&gt;&lt;/p&gt;\\n"
    assert json_ld.event(both, PAGE, None, None, None, None)["description"] == "&lt;p&gt;Short&lt;/p&gt;\\n"


def test_descriptions_are_cut_to_55_words_and_excerpts_are_not() -> None:
    words = [f"w{number}" for number in range(56)]
    whole, cut = " ".join(words), " ".join(words[:55])

    found = [
        json_ld.event(event(description=whole), PAGE, None, None, None, None)["description"],
        json_ld.event(event(description=cut), PAGE, None, None, None, None)["description"],
        json_ld.event(event(excerpt=whole), PAGE, None, None, None, None)["description"],
        json_ld.place(venue(description=whole), None)["description"],
    ]

    shortened = f"&lt;p&gt;{cut} [&hellip;]&lt;/p&gt;\\n"
    assert found == [
        shortened, f"&lt;p&gt;{cut}&lt;/p&gt;\\n", f"&lt;p&gt;{whole}&lt;/p&gt;\\n", shortened,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("UTC", "2027-01-10T15:00:00+00:00"),
        ("Europe/Berlin", "2027-01-10T16:00:00+01:00"),
        ("UTC-4:30", "2027-01-10T10:30:00-04:30"),
        ("+02:00", "2027-01-10T17:00:00+02:00"),
        ("Asia/Kathmandu", "2027-01-10T20:45:00+05:45"),
    ],
)
def test_event_dates_have_the_offset_of_its_zone(zone: str, expected: str) -> None:
    record = json_ld.event(event(timezone=zone), PAGE, None, None, None, None)

    assert record["startDate"] == expected


@pytest.mark.parametrize(
    ("symbol", "code"),
    [
        ("$", "USD"),
        ("€", "EUR"),
        ("£", "GBP"),
        ("¥", "JPY"),
        ("CHF", "CHF"),
        ("", "USD"),
        ("kr", "USD"),
        ("Kr.", "USD"),
        ("<s$", "USD"),
    ],
)
def test_offer(symbol: str, code: str) -> None:
    assert list(json_ld.offer("10", symbol, PAGE, "2026-01-01").items()) == [
        ("@type", "Offer"),
        ("price", "10"),
        ("priceCurrency", code),
        ("url", PAGE),
        ("category", "primary"),
        ("availability", "inStock"),
        ("validFrom", "2026-01-01T00:00:00+00:00"),
    ]


def test_place_with_everything() -> None:
    full = venue(
        venue="Hall & Co", address="1 Main", city="Rome", stateprovince="Lazio", zip="00100", country="Italy",
        phone="555", website="https://hall.example.org", geo_lat=41.9, geo_lng=0.0,
    )  # fmt: skip

    with assert_query_count(0):
        record = json_ld.place(full, PICTURE)

    assert list(record.items()) == [
        ("@type", "Place"),
        ("name", "Hall &#038; Co"),
        ("description", ""),
        ("image", PICTURE),
        ("url", ""),
        (
            "address",
            {
                "@type": "PostalAddress",
                "streetAddress": "1 Main",
                "addressLocality": "Rome",
                "addressRegion": "Lazio",
                "postalCode": "00100",
                "addressCountry": "Italy",
            },
        ),
        ("geo", {"@type": "GeoCoordinates", "latitude": 41.9, "longitude": 0.0}),
        ("telephone", "555"),
        ("sameAs", "https://hall.example.org"),
    ]


def test_place_with_nothing() -> None:
    assert json_ld.place(venue(), None) == {
        "@type": "Place",
        "name": "Hall",
        "description": "",
        "url": "",
        "address": {"@type": "PostalAddress"},
        "telephone": "",
        "sameAs": "",
    }


def test_place_on_the_equator_has_coordinates() -> None:
    assert json_ld.place(venue(geo_lat=0.0, geo_lng=0.0), None)["geo"]["latitude"] == 0.0


def test_person() -> None:
    organizer = Organizer(
        organizer="Ann <3", description="Plays", phone="555", website="https://ann.example.org",
        email="ann@example.org",
    )  # fmt: skip

    with assert_query_count(0):
        record = json_ld.person(organizer, PICTURE)

    assert list(record.items()) == [
        ("@type", "Person"),
        ("name", "Ann &lt;3"),
        ("description", "&lt;p&gt;Plays&lt;/p&gt;\\n"),
        ("image", PICTURE),
        ("url", "https://ann.example.org"),
        ("telephone", "555"),
        ("email", "ann@example.org"),
        ("sameAs", "https://ann.example.org"),
    ]
    assert json_ld.person(organizer, PICTURE) == record
