"""Whole answers, key by key: a full published event and a bare draft.

See docs/interface.md#event-keys, #organizer-keys.
"""

import json
from typing import Any

import pytest
import time_machine

from calendar_api.config import Config
from tests import factories
from tests.client import Client

Json = dict[str, Any]

DRAFT = {"title": "Idea", "start_date": "2031-05-05 10:00:00", "end_date": "2031-05-05 11:00:00"}


@pytest.fixture
def config(database_url: str) -> Config:
    return Config(
        database_url=database_url, base_url="https://cal.example.org/site", timezone="Europe/Berlin"
    )


@time_machine.travel("2026-07-02T08:00:00+00:00", tick=False)
def concert(client: Client) -> Json:
    parent = factories.event(client)
    music = factories.category(client, name="Music & more", description="All of it")
    jazz = factories.category(client, name="Jazz", parent=music["id"])
    return factories.event(
        client,
        author=client.ids["author"],
        date_utc="2026-01-02 03:04:05",
        title='The "Big" Night & more',
        description="First\nline\n\n<b>Second</b> paragraph",
        excerpt="A <em>night</em> out",
        slug="the-big-night",
        image="https://images.example/poster.jpg",
        timezone="America/New_York",
        start_date="2031-01-10 20:00:00",
        end_date="2031-01-11 01:30:00",
        cost="$10 - $25.50",
        website="https://night.example/?a=1&b=2",
        show_map=True,
        show_map_link=True,
        featured=True,
        ticketed=True,
        categories=[music["id"], jazz["id"]],
        tags=["live"],
        venue={
            "venue": "Hall <One>", "description": "Big", "address": "1 Main St", "city": "Austin",
            "country": "United States", "state": "TX", "zip": "73301", "phone": "+1 512",
            "website": "https://hall.example", "geo_lat": 30.25, "geo_lng": -97.75, "show_map_link": False,
            "image": "https://images.example/hall.png", "date_utc": "2026-01-01 00:00:00",
        },
        organizer=[
            {"organizer": "Ann & Co", "phone": "1", "email": "ann@example.org", "website": "https://ann.example",
             "date_utc": "2026-01-01 00:00:00"},
            {"organizer": "Bob", "date_utc": "2026-07-01 00:00:00"},
        ],
        post_parent=parent["id"],
    )  # fmt: skip


PLACE: Json = {
    "@type": "Place", "name": "Hall &lt;One&gt;", "description": "&lt;p&gt;Big&lt;/p&gt;\\n",
    "image": "https://images.example/hall.png", "url": "",
    "address": {
        "@type": "PostalAddress", "streetAddress": "1 Main St", "addressLocality": "Austin",
        "addressRegion": "TX", "postalCode": "73301", "addressCountry": "United States",
    },
    "geo": {
        "@type": "GeoCoordinates", "latitude": 30.25, "longitude": -97.75,
    },
    "telephone": "+1 512", "sameAs": "https://hall.example",
}  # fmt: skip
PERSON: Json = {
    "@type": "Person", "name": "Ann &#038; Co", "description": "", "url": "https://ann.example",
    "telephone": "1", "email": "ann@example.org", "sameAs": "https://ann.example",
}  # fmt: skip

FULL: Json = {
    "id": 4, "global_id": "cal.example.org/site?id=4",
    "global_id_lineage": ["cal.example.org/site?id=4"], "author": "3", "status": "publish",
    "date": "2026-01-02 04:04:05", "date_utc": "2026-01-02 03:04:05", "modified": "2026-07-02 10:00:00",
    "modified_utc": "2026-07-02 08:00:00", "url": "https://cal.example.org/site/event/the-big-night/",
    "rest_url": "https://cal.example.org/site/calendar/events/v1/events/4",
    "title": "The &quot;Big&quot; Night &#038; more",
    "description": "<p>First<br />\nline</p>\n<p><b>Second</b> paragraph</p>",
    "excerpt": "<p>A <em>night</em> out</p>", "slug": "the-big-night",
    "image": {
        "url": "https://images.example/poster.jpg", "id": 5, "extension": "jpg",
    },
    "all_day": False, "start_date": "2031-01-10 20:00:00",
    "start_date_details": {
        "year": "2031", "month": "01", "day": "10", "hour": "20", "minutes": "00", "seconds": "00",
    },
    "end_date": "2031-01-11 01:30:00",
    "end_date_details": {
        "year": "2031", "month": "01", "day": "11", "hour": "01", "minutes": "30", "seconds": "00",
    },
    "utc_start_date": "2031-01-11 01:00:00",
    "utc_start_date_details": {
        "year": "2031", "month": "01", "day": "11", "hour": "01", "minutes": "00", "seconds": "00",
    },
    "utc_end_date": "2031-01-11 06:30:00",
    "utc_end_date_details": {
        "year": "2031", "month": "01", "day": "11", "hour": "06", "minutes": "30", "seconds": "00",
    },
    "timezone": "America/New_York", "timezone_abbr": "EST", "cost": "$10 – $25.50",
    "cost_details": {
        "currency_symbol": "$", "currency_code": "", "currency_position": "prefix",
        "values": ["10", "25.50"],
    },
    "website": "https://night.example/?a=1&amp;b=2", "show_map": True, "show_map_link": True,
    "hide_from_listings": False, "sticky": False, "featured": True,
    "categories": [
        {
            "name": "Jazz", "slug": "jazz", "term_group": 0, "term_taxonomy_id": 3,
            "taxonomy": "tribe_events_cat", "description": "", "parent": 2, "count": 1, "filter": "raw",
            "id": 3,
            "urls": {
                "self": "https://cal.example.org/site/calendar/events/v1/categories/3",
                "collection": "https://cal.example.org/site/calendar/events/v1/categories",
                "up": "https://cal.example.org/site/calendar/events/v1/categories/2",
            },
        },
        {
            "name": "Music &amp; more", "slug": "music-more", "term_group": 0, "term_taxonomy_id": 2,
            "taxonomy": "tribe_events_cat", "description": "All of it", "parent": 0, "count": 1,
            "filter": "raw", "id": 2,
            "urls": {
                "self": "https://cal.example.org/site/calendar/events/v1/categories/2",
                "collection": "https://cal.example.org/site/calendar/events/v1/categories",
            },
        },
    ],
    "tags": [
        {
            "name": "live", "slug": "live", "term_group": 0, "term_taxonomy_id": 10,
            "taxonomy": "post_tag", "description": "", "parent": 0, "count": 1, "filter": "raw",
            "id": 10,
            "urls": {
                "self": "https://cal.example.org/site/calendar/events/v1/tags/10",
                "collection": "https://cal.example.org/site/calendar/events/v1/tags",
            },
        },
    ],
    "venue": {
        "id": 6, "author": "1", "status": "publish", "date": "2026-01-01 01:00:00",
        "date_utc": "2026-01-01 00:00:00", "modified": "2026-07-02 10:00:00",
        "modified_utc": "2026-07-02 08:00:00", "url": "https://cal.example.org/site/venue/hall-one/",
        "venue": "Hall &lt;One&gt;", "description": "<p>Big</p>", "slug": "hall-one",
        "image": {
            "url": "https://images.example/hall.png", "id": 7, "extension": "png",
        },
        "address": "1 Main St", "city": "Austin", "country": "United States", "state": "TX",
        "zip": "73301", "phone": "+1 512", "website": "https://hall.example", "stateprovince": "TX",
        "geo_lat": 30.25, "geo_lng": -97.75, "json_ld": PLACE, "show_map": True,
        "show_map_link": False, "global_id": "cal.example.org/site?id=6",
        "global_id_lineage": ["cal.example.org/site?id=6"],
    },
    "organizer": [
        {
            "id": 8, "author": "1", "status": "publish", "date": "2026-01-01 01:00:00",
            "date_utc": "2026-01-01 00:00:00", "modified": "2026-07-02 10:00:00",
            "modified_utc": "2026-07-02 08:00:00",
            "url": "https://cal.example.org/site/organizer/ann-co/", "organizer": "Ann &#038; Co",
            "slug": "ann-co", "phone": "1", "website": "https://ann.example",
            "email": "ann@example.org", "json_ld": PERSON, "global_id": "cal.example.org/site?id=8",
            "global_id_lineage": ["cal.example.org/site?id=8"],
        },
        {
            "id": 9, "author": "1", "status": "publish", "date": "2026-07-01 02:00:00",
            "date_utc": "2026-07-01 00:00:00", "modified": "2026-07-02 10:00:00",
            "modified_utc": "2026-07-02 08:00:00", "url": "https://cal.example.org/site/organizer/bob/",
            "organizer": "Bob", "slug": "bob",
            "json_ld": {
                "@type": "Person", "name": "Bob", "description": "", "url": "", "telephone": "",
                "email": "", "sameAs": "",
            },
            "global_id": "cal.example.org/site?id=9",
            "global_id_lineage": ["cal.example.org/site?id=9"],
        },
    ],
    "custom_fields": [], "post_parent": 1, "ticketed": True,
    "json_ld": {
        "@context": "http://schema.org", "@type": "Event",
        "name": "The &quot;Big&quot; Night &#038; more",
        "description": "&lt;p&gt;A night out&lt;/p&gt;\\n",
        "image": "https://images.example/poster.jpg",
        "url": "https://cal.example.org/site/event/the-big-night/",
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "eventStatus": "https://schema.org/EventScheduled", "startDate": "2031-01-10T20:00:00-05:00",
        "endDate": "2031-01-11T01:30:00-05:00", "location": PLACE, "organizer": PERSON,
        "offers": {
            "@type": "Offer", "price": "10 – 25.50", "priceCurrency": "USD",
            "url": "https://cal.example.org/site/event/the-big-night/", "category": "primary",
            "availability": "inStock", "validFrom": "2026-01-02T00:00:00+00:00",
        },
        "performer": "Organization",
    },
}  # fmt: skip

BARE: Json = {
    "id": 1, "global_id": "cal.example.org/site?id=1",
    "global_id_lineage": ["cal.example.org/site?id=1"], "author": "4", "status": "draft",
    "date": "NOW", "date_utc": "NOW", "modified": "NOW", "modified_utc": "NOW",
    "url": "https://cal.example.org/site/?post_type=tribe_events&p=1",
    "rest_url": "https://cal.example.org/site/calendar/events/v1/events/1", "title": "Idea",
    "description": "", "excerpt": "", "slug": "", "image": False, "all_day": False,
    "start_date": "2031-05-05 10:00:00",
    "start_date_details": {
        "year": "2031", "month": "05", "day": "05", "hour": "10", "minutes": "00", "seconds": "00",
    },
    "end_date": "2031-05-05 11:00:00",
    "end_date_details": {
        "year": "2031", "month": "05", "day": "05", "hour": "11", "minutes": "00", "seconds": "00",
    },
    "utc_start_date": "2031-05-05 08:00:00",
    "utc_start_date_details": {
        "year": "2031", "month": "05", "day": "05", "hour": "08", "minutes": "00", "seconds": "00",
    },
    "utc_end_date": "2031-05-05 09:00:00",
    "utc_end_date_details": {
        "year": "2031", "month": "05", "day": "05", "hour": "09", "minutes": "00", "seconds": "00",
    },
    "timezone": "Europe/Berlin", "timezone_abbr": "CEST", "cost": "",
    "cost_details": {
        "currency_symbol": "", "currency_code": "", "currency_position": "", "values": [],
    },
    "website": "https://cal.example.org/site/?post_type=tribe_events&p=1", "show_map": False,
    "show_map_link": False, "hide_from_listings": False, "sticky": False, "featured": False,
    "categories": [], "tags": [], "venue": [], "organizer": [], "custom_fields": [], "post_parent": 0,
    "ticketed": False,
    "json_ld": {
        "@context": "http://schema.org", "@type": "Event", "name": "Idea", "description": "",
        "url": "https://cal.example.org/site/?post_type=tribe_events&p=1",
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "eventStatus": "https://schema.org/EventScheduled", "startDate": "2031-05-05T10:00:00+02:00",
        "endDate": "2031-05-05T11:00:00+02:00", "performer": "Organization",
    },
}  # fmt: skip


@pytest.mark.both_databases
def test_full_event_to_the_letter(client: Client) -> None:
    event = concert(client)

    by_id = client.get(f"/events/{event['id']}", status=200)
    by_slug = client.get("/events/by-slug/the-big-night", status=200)

    assert by_id.json == FULL
    assert json.dumps(by_id.json) == json.dumps(FULL)  # the order of the keys counts
    assert by_slug.text == by_id.text


def test_answer_of_create_is_the_same_without_json_ld(client: Client) -> None:
    event = concert(client)

    expected = json.loads(json.dumps(FULL))
    for record in (expected, expected["venue"], *expected["organizer"]):
        record.pop("json_ld")
    assert event == expected
    assert json.dumps(event) == json.dumps(expected)


def test_bare_draft_to_the_letter(client: Client) -> None:
    event = client.post("/events", DRAFT, as_="contributor", status=201).json

    read = client.get(f"/events/{event['id']}", as_="contributor", status=200).json

    assert (read["date"] > read["date_utc"], read["modified_utc"]) == (True, read["date_utc"])
    frozen = read | dict.fromkeys(("date", "date_utc", "modified", "modified_utc"), "NOW")
    assert frozen == BARE
    assert json.dumps(frozen) == json.dumps(BARE)
