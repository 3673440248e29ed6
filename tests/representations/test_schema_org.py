"""Events as JSON-LD: what search engines require, and that no text leaves its script element."""

import json
import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from calendar_api.domain.text import escape
from calendar_api.representations import schema_org
from tests.representations.feed_events import (
    SITE,
    Json,
    all_day,
    event,
    image,
    masked,
    organizer,
    term,
    venue,
)  # fmt: skip

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
TEXT = {"type": "string", "minLength": 1}
URL = {"type": "string", "pattern": "^https?://"}
TIME = "[0-9]{2}:[0-9]{2}"
MOMENT = {"type": "string", "pattern": rf"^{DAY}(T{TIME}:[0-9]{{2}}[+-]{TIME})?$"}
POSTAL = {
    "properties": {"@type": {"const": "PostalAddress"}}, "additionalProperties": TEXT, "minProperties": 2,
}  # fmt: skip
PLACE = {
    "properties": {"@type": {"const": "Place"}, "name": TEXT, "address": {"anyOf": [TEXT, POSTAL]}},
    "required": ["@type", "address"],
}
OFFER = {
    "price": {"pattern": r"^[0-9]+(\.[0-9]+)?$"}, "priceCurrency": {"pattern": "^[A-Z]{3}$"},
    "availability": {"const": "https://schema.org/InStock"}, "validFrom": MOMENT, "url": URL,
}  # fmt: skip
#: https://developers.google.com/search/docs/appearance/structured-data/event: required properties, and the
#: forms of recommended ones.
SEARCH_ENGINE = Draft202012Validator(
    {
        "type": "object",
        "properties": {
            "@type": {"const": "Event"}, "name": TEXT, "startDate": MOMENT, "endDate": MOMENT,
            "location": {"anyOf": [PLACE, {"type": "array", "items": PLACE, "minItems": 2}]},
            "description": TEXT,
            "eventStatus": {"pattern": "^https://schema.org/Event(Scheduled|Cancelled|Postponed)$"},
            "image": {"type": "array", "items": URL, "minItems": 1},
            "organizer": {"properties": {"name": TEXT, "url": URL}, "required": ["name"]},
            "offers": {"properties": OFFER, "required": ["price"]},
        },
        "required": ["@type", "name", "startDate", "location"],
    }
)  # fmt: skip


def full(**fields: Any) -> Json:
    return event(
        **{
            "title": "Tango &#038; &lt;more&gt;", "excerpt": "",
            "description": "<p>Long &amp; <b>bold</b></p><p>2</p>",
            "venue": venue(
                address="Market 1", city="Ulm", stateprovince="BW", zip="89073", country="Germany",
                geo_lat=48.4, geo_lng=0.0,
            ),
            "organizer": [organizer(organizer="Ann &amp; Bob", website="https://ann.example/?a&copy=1")],
            "image": image(), "categories": [term("Rock & roll")], "tags": [term("free")],
            "cost": "€10 – €20", "cost_details": {"values": ["10", "20"]}, "website": "https://x/?a=1&amp;b",
            **fields,
        }
    )  # fmt: skip


def test_event_with_everything() -> None:
    found = schema_org.event(full())

    SEARCH_ENGINE.validate(found)
    assert found == {
        "@type": "Event", "@id": f"urn:uuid:{event()['uid']}", "name": "Tango & <more>",
        "url": f"{SITE}/event/open-day/", "startDate": "2026-11-22T10:00:00+01:00",
        "endDate": "2026-11-22T16:00:00+01:00", "eventStatus": "https://schema.org/EventScheduled",
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "location": {
            "@type": "Place", "name": "Town hall",
            "address": {
                "@type": "PostalAddress", "streetAddress": "Market 1", "addressLocality": "Ulm",
                "addressRegion": "BW", "postalCode": "89073", "addressCountry": "Germany",
            },
            "geo": {"@type": "GeoCoordinates", "latitude": 48.4, "longitude": 0.0},
        },
        "image": [image()["url"]], "description": "Long & bold 2",
        "organizer": {"@type": "Organization", "name": "Ann & Bob", "url": "https://ann.example/?a&copy=1"},
        "offers": {
            "@type": "Offer", "price": "10", "priceCurrency": "EUR", "url": "https://x/?a=1&b",
            "availability": "https://schema.org/InStock", "validFrom": "2026-11-01T08:30:00+00:00",
        },
        "keywords": ["Rock & roll", "free"],
    }  # fmt: skip


def test_place_is_a_name_or_a_list_or_nothing() -> None:
    named, without = (schema_org.event(event(**fields)) for fields in ({"venue": venue()}, {}))
    several: Any = schema_org.event(
        event(venue=[venue(), venue(venue="Park")], organizer=[organizer(), organizer(organizer="Bob")])
    )

    SEARCH_ENGINE.validate(named)
    assert named["location"] == {"@type": "Place", "name": "Town hall", "address": "Town hall"}
    assert not {"location", "eventAttendanceMode"} & set(without)
    assert [place["name"] for place in several["location"]] == ["Town hall", "Park"]
    assert [who["name"] for who in several["organizer"]] == ["Ann", "Bob"]
    assert several["organizer"][0]["url"] == organizer()["url"]


def test_event_that_does_not_take_place() -> None:
    for status, word, available in (("canceled", "Cancelled", False), ("postponed", "Postponed", True)):
        found: Any = schema_org.event(full(event_status=status))
        assert found["eventStatus"] == f"https://schema.org/Event{word}"
        assert ("availability" in found["offers"]) is available


def test_all_day_event_has_days_and_no_empty_texts() -> None:
    found = schema_org.event(all_day())
    assert (found["startDate"], found["endDate"]) == ("2026-11-22", "2026-11-23")
    for record in (full(), event(), masked(), full(website="", venue=venue(city=""))):
        assert not re.search('(""|null)[,\\]}]', schema_org.script(record))


def test_offer_needs_a_number() -> None:
    for cost, values, offer in (
        ("", [], None), ("Donation", ["donation"], None), ("10 per person", ["10"], None),
        ("Kostenlos", ["0"], {"price": "0"}), ("12 kr", ["12"], {"price": "12"}),
        ("&lt;s$12", ["12"], {"price": "12"}),
        ("CHF 12.50", ["12.50"], {"price": "12.50", "priceCurrency": "CHF"}),
    ):  # fmt: skip
        found: Any = schema_org.event(event(cost=cost, cost_details={"values": values})).get("offers")
        assert (found and {key: found[key] for key in ("price", "priceCurrency") if key in found}) == offer


def test_protected_event_has_title_and_times_only() -> None:
    assert schema_org.event(masked()) == {
        "@type": "Event", "@id": f"urn:uuid:{event()['uid']}", "name": "Secret party", "url": event()["url"],
        "startDate": "2026-11-22T10:00:00+01:00", "endDate": "2026-11-22T16:00:00+01:00",
        "eventStatus": "https://schema.org/EventScheduled",
    }  # fmt: skip


def test_graph_holds_what_the_script_of_each_page_holds() -> None:
    records, context = [full(), event(), masked()], {"@context": "https://schema.org"}
    found = json.loads(schema_org.graph(records))
    scripts = [json.loads(schema_org.script(record)) for record in records]
    assert [context | item for item in found.pop("@graph")] == scripts
    assert found == context
    assert json.loads(schema_org.graph([])) == {**context, "@graph": []}


class Scripts(HTMLParser):
    """Collects elements, and the content of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.content = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)

    def handle_data(self, data: str) -> None:
        self.content += data


@given(TEXTS)
@example("</script><script>alert(1)</script>")
@example("<!--<script>")
@example("<img src=x onerror=alert(1)> &amp; \u2028\u2029 \\u003c \"'\n\0")
@example("x" * 10_000)
def test_texts_come_back_and_stay_in_their_script(text: str) -> None:
    record = full(
        title=escape(text), venue=venue(venue=escape(text), address=text.replace("<", "&lt;")),
        tags=[term(text)], image=image(text), organizer=[organizer(organizer=escape(text))],
    )  # fmt: skip
    script = schema_org.script(record)

    assert not re.search("[<>&\u2028\u2029]", script)
    page = Scripts(f"<script type='application/ld+json'>{script}</script>")
    assert page.elements == ["script"]
    found = json.loads(page.content)
    assert (found["name"], found["image"], found["keywords"]) == (text, [text], ["Rock & roll", text])
    assert (found["location"]["name"], found["organizer"]["name"]) == (text, text)
