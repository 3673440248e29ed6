"""An event as JSON: keys, order and values (docs/interface.md#event-keys)."""

from datetime import UTC, timedelta, timezone
from typing import Any

import pytest
from playhouse.test_utils import assert_query_count

from calendar_api.contract import schemas
from calendar_api.database.models import Event, Image, Organizer, Term, Venue
from calendar_api.representations import events
from calendar_api.representations.links import Links
from calendar_api.representations.render_context import RenderContext
from calendar_api.store.related_records import RelatedRecords as Nested

ROOT = "https://cal.example.test/calendar/events/v1"
LINKS = Links("https://cal.example.test", "https://cal.example.test", ROOT)
NOW = "2026-06-15 12:00:00"
SITE = RenderContext(LINKS, UTC, "$", NOW)
KEYS = schemas.schema("event", "record")["required"]
PUBLISHED = {
    "author": 2, "status": "publish", "published_utc": "2026-01-01 10:00:00",
    "modified_utc": "2026-02-01 10:00:00", "description": "", "excerpt": "", "image": None,
}  # fmt: skip
FLAGS = ("show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed", "all_day")


def event(**columns: Any) -> Event:
    given: dict[str, Any] = {
        **PUBLISHED, "id": 7, "title": "Tango & more", "slug": "tango", "timezone": "America/New_York",
        "start_date": "2027-01-10 10:00:00", "end_date": "2027-01-10 12:30:05",
        "utc_start_date": "2027-01-10 15:00:00", "utc_end_date": "2027-01-10 17:30:05", "cost": "",
        "website": None, "password": "", "parent": None, **dict.fromkeys(FLAGS, False),
    }  # fmt: skip
    return Event(**{**given, **columns})


def venue(id: int) -> Venue:
    lines = ("address", "city", "country", "province", "state", "zip", "phone", "website", "stateprovince")
    return Venue(
        **PUBLISHED, **dict.fromkeys(lines, ""), id=id, venue=f"Hall {id}", slug=f"hall-{id}", show_map=True,
        show_map_link=False,
    )  # fmt: skip


def organizer(id: int) -> Organizer:
    return Organizer(
        **PUBLISHED, id=id, organizer=f"Ann {id}", slug=f"ann-{id}", phone="", website="", email=""
    )


def term(id: int, taxonomy: str) -> Term:
    return Term(id=id, taxonomy=taxonomy, name=f"Term {id}", slug=f"term-{id}", description="", parent=None)


def nested(**parts: Any) -> Nested:
    return Nested(**{"venues": {7: []}, "organizers": {7: []}, "terms": {7: []}, **parts})


def record(given: Event, single: bool = False, site: RenderContext = SITE, **parts: Any) -> dict[str, Any]:
    with assert_query_count(0):
        return events.record(given, nested(**parts), site, single=single)


def test_keys_stand_in_wire_order() -> None:
    assert list(record(event())) == KEYS
    assert list(record(event(), single=True)) == [*KEYS, "json_ld"]


def test_values_of_a_bare_event() -> None:
    page = "https://cal.example.test/event/tango/"
    found = record(event())

    assert {name: found[name] for name in KEYS if not name.endswith("_details")} == {
        "id": 7,
        "global_id": "cal.example.test?id=7",
        "global_id_lineage": ["cal.example.test?id=7"],
        "author": "2",
        "status": "publish",
        "date": "2026-01-01 10:00:00",
        "date_utc": "2026-01-01 10:00:00",
        "modified": "2026-02-01 10:00:00",
        "modified_utc": "2026-02-01 10:00:00",
        "url": page,
        "rest_url": f"{ROOT}/events/7",
        "title": "Tango &#038; more",
        "description": "",
        "excerpt": "",
        "slug": "tango",
        "image": False,
        "all_day": False,
        "start_date": "2027-01-10 10:00:00",
        "end_date": "2027-01-10 12:30:05",
        "utc_start_date": "2027-01-10 15:00:00",
        "utc_end_date": "2027-01-10 17:30:05",
        "timezone": "America/New_York",
        "timezone_abbr": "EST",
        "cost": "",
        "website": page,
        "show_map": False,
        "show_map_link": False,
        "hide_from_listings": False,
        "sticky": False,
        "featured": False,
        "categories": [],
        "tags": [],
        "venue": [],
        "organizer": [],
        "custom_fields": [],
        "post_parent": 0,
        "ticketed": False,
    }
    assert found["end_date_details"] == {
        "year": "2027", "month": "01", "day": "10", "hour": "12", "minutes": "30", "seconds": "05",
    }  # fmt: skip
    assert found["utc_start_date_details"]["hour"] == "15"


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("stored", [True, False, 1, 0])
def test_flags_are_booleans(name: str, stored: Any) -> None:
    found = record(event(**{name: stored}))

    assert found[name] is bool(stored)
    assert {other for other in FLAGS if found[other]} == ({name} if stored else set())


def test_publication_and_change_are_on_the_clock_of_the_site() -> None:
    site = RenderContext(LINKS, timezone(timedelta(hours=-3)), "$", NOW)

    found = record(event(published_utc="2026-01-01 01:00:00"), site=site)

    assert (found["date"], found["date_utc"]) == ("2025-12-31 22:00:00", "2026-01-01 01:00:00")
    assert (found["modified"], found["modified_utc"]) == ("2026-02-01 07:00:00", "2026-02-01 10:00:00")
    assert found["start_date"] == "2027-01-10 10:00:00"


def test_future_is_worked_out_from_the_clock() -> None:
    """See docs/interface.md#scheduled-records."""
    coming = record(event(published_utc="2026-06-15 12:00:01"))
    arrived = record(event(published_utc=NOW))

    assert (coming["status"], arrived["status"]) == ("future", "publish")
    assert coming["url"] == "https://cal.example.test/?post_type=tribe_events&p=7"


def test_draft_without_a_slug() -> None:
    found = record(event(status="draft", slug=None))

    assert (found["status"], found["slug"]) == ("draft", "")
    assert found["url"] == found["website"] == "https://cal.example.test/?post_type=tribe_events&p=7"


def test_slug_of_another_script_is_readable_and_its_page_encoded() -> None:
    found = record(event(slug="ωδείο"))

    assert found["slug"] == "ωδείο"
    assert found["url"] == "https://cal.example.test/event/%CF%89%CE%B4%CE%B5%CE%AF%CE%BF/"


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (None, "https://cal.example.test/event/tango/"),
        ("", ""),
        ("https://x.example/?a=1&b='2'", "https://x.example/?a=1&amp;b=&#039;2&#039;"),
    ],
)
def test_website(stored: str | None, expected: str) -> None:
    assert record(event(website=stored))["website"] == expected


def test_texts_are_paragraphs() -> None:
    found = record(event(description="One\n\nTwo", excerpt="<p>Short</p>"))

    assert found["description"] == "<p>One</p>\n<p>Two</p>"
    assert found["excerpt"] == "<p>Short</p>"


def test_image() -> None:
    image = Image(id=9, url="https://pics.example.org/a.png", extension="png")

    found = record(event(image=9), single=True, images={9: image})

    assert found["image"] == {"url": "https://pics.example.org/a.png", "id": 9, "extension": "png"}
    assert found["json_ld"]["image"] == "https://pics.example.org/a.png"


def test_venue_is_a_list_an_object_or_a_list() -> None:
    one, two = venue(4), venue(5)

    assert record(event())["venue"] == []
    assert record(event(), venues={7: [one]})["venue"]["id"] == 4
    assert [place["id"] for place in record(event(), venues={7: [one, two]})["venue"]] == [4, 5]


def test_organizer_is_always_a_list() -> None:
    people = [organizer(6), organizer(3)]

    assert record(event())["organizer"] == []
    assert [person["id"] for person in record(event(), organizers={7: people[:1]})["organizer"]] == [6]
    assert [person["id"] for person in record(event(), organizers={7: people})["organizer"]] == [6, 3]


def test_terms_stand_under_their_taxonomy() -> None:
    terms = [term(8, "post_tag"), term(9, "tribe_events_cat"), term(10, "post_tag")]

    found = record(event(), terms={7: terms}, counts={8: 3})

    assert [(nested["id"], nested["count"]) for nested in found["tags"]] == [(8, 3), (10, 0)]
    assert [(nested["id"], nested["count"]) for nested in found["categories"]] == [(9, 0)]


@pytest.mark.parametrize(("readable", "expected"), [(set(), 0), ({5}, 5), ({6}, 0)])
def test_parent_shows_when_it_may_be_read(readable: set[int], expected: int) -> None:
    assert record(event(parent=5), parents=readable)["post_parent"] == expected


def test_json_ld_is_there_on_single_reads_only() -> None:
    parts: dict[str, Any] = {"venues": {7: [venue(4)]}, "organizers": {7: [organizer(6), organizer(3)]}}

    single = record(event(), single=True, **parts)
    listed = record(event(), **parts)

    assert single["json_ld"]["location"] == single["venue"]["json_ld"]
    assert single["json_ld"]["organizer"] == single["organizer"][0]["json_ld"]
    assert "json_ld" in single["organizer"][1]
    assert "json_ld" not in {*listed, *listed["venue"], *listed["organizer"][0]}


def test_json_ld_of_several_venues_is_at_the_first() -> None:
    found = record(event(), single=True, venues={7: [venue(4), venue(5)]})

    assert found["json_ld"]["location"]["name"] == "Hall 4"


@pytest.mark.parametrize(
    ("cost", "price", "currency"),
    [
        ("10", "10", "USD"),
        ("€25.50", "25.50", "EUR"),
        ("€1.234,50", "1234.50", "EUR"),
        ("5\n20", "5 – 20", "USD"),
        ("0", "0", "USD"),
        ("0.00", "0", "USD"),
        ("Free", "0", "USD"),
        ("0\n10", "0 – 10", "USD"),
        ("Free\n10", "0 – 10", "USD"),
        ("Pay What You Can", "Pay What You Can", "USD"),
        ("10 per person", "10 per person", "USD"),
        ("5\nBy Donation", "5 – By Donation", "USD"),
        ("Tea & <3", "Tea & <3", "USD"),
    ],
)
def test_json_ld_offers_the_span_of_prices(cost: str, price: str, currency: str) -> None:
    offers = record(event(cost=cost), single=True)["json_ld"]["offers"]

    assert (offers["price"], offers["priceCurrency"]) == (price, currency)
    assert offers["validFrom"] == "2026-01-01T00:00:00+00:00"


@pytest.mark.parametrize("symbol", ["<!--$", "<s$", "</s$", "<?€"])
def test_currency_symbol_holds_no_tag(symbol: str) -> None:
    found = record(event(cost=f"{symbol}5\n{symbol}<p>Gift"), single=True)

    escaped = symbol.replace("<", "&lt;")
    assert found["cost_details"]["currency_symbol"] == escaped
    assert found["cost"].startswith(f"{escaped}5")
    assert found["json_ld"]["offers"]["priceCurrency"] == "USD"
    assert found["json_ld"]["offers"]["price"] == f"5 – {escaped}&lt;p>Gift"


def test_json_ld_without_a_cost_offers_nothing() -> None:
    assert "offers" not in record(event(), single=True)["json_ld"]


@pytest.mark.parametrize("symbol", ["$", "€", ""])
def test_bare_cost_is_shown_with_the_currency_of_the_site(symbol: str) -> None:
    found = record(event(cost="10"), site=RenderContext(LINKS, UTC, symbol, NOW))

    assert found["cost"] == f"{symbol}10"
    assert found["cost_details"]["values"] == ["10"]
    assert found["cost_details"]["currency_symbol"] == ""


def test_fields_are_those_of_the_record() -> None:
    given, parts = event(excerpt="Short", parent=5), {"venues": {7: [venue(4)]}, "parents": {5}}
    whole = record(given, **parts)

    for names in (["title"], ["excerpt", "venue"], ["post_parent", "unknown"]):
        some = events.fields(given, names, nested(**parts), SITE)

        assert some == {name: whole[name] for name in names if name in whole}
    assert events.fields(given, ["title", "cost"], Nested(), SITE) == {"title": whole["title"], "cost": ""}
