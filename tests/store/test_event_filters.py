"""The filters of the event list, each at its boundary."""

import math
import operator
from collections.abc import Callable
from datetime import UTC
from functools import reduce
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calendar_api import database
from calendar_api.database.models import Event
from calendar_api.domain.auth import Caller
from calendar_api.domain.bounded_cache import BoundedCache
from calendar_api.domain.errors import InvalidParameters
from calendar_api.store import event_filters, event_query, geo, paging
from calendar_api.store.event_filters import EventQuery
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory

Made = Callable[..., int]
EARLY = "2026-01-01"  # before the clock of the callers


@pytest.fixture
def made(client: Client) -> Made:
    def event(title: str, as_: str = "admin", **fields: Any) -> int:
        day = {"start_date": "2026-07-01 10:00:00", "date": EARLY}
        return int(factories.event(client, as_, **{"title": title, **day, **fields})["id"])

    return event


def passed(clause: Callable[[EventQuery], Any], caller: Caller, **query: Any) -> list[str]:
    """The titles of the events that a filter alone lets through; all of them when it does not apply."""
    asked = EventQuery(query, caller, UTC)
    with database.read():
        event_filters.unknown(asked)
        where = clause(asked)
        events = Event.select() if where is None else Event.select().where(where)
        return [event.title for event in events.order_by(Event.utc_start_date, Event.id)]


def searched(caller: Caller, **query: Any) -> list[str]:
    with database.read():
        page = event_query.search({"page": 1, "per_page": 50, **query}, caller, UTC)
        return [Event.get_by_id(id).title for id in page.records]


def test_shown_leaves_hidden_events_out(made: Made, caller: CallerFactory) -> None:
    made("hidden", hide_from_listings=True)
    made("shown", hide_from_listings=False)

    for login in (None, "admin"):
        assert passed(event_filters.not_hidden, caller(login)) == ["shown"]


def test_statuses_change_with_the_second_of_publication(made: Made, caller: CallerFactory) -> None:
    made("event", date="2026-06-15 12:00:00")
    before, at = "2026-06-15 11:59:59", "2026-06-15 12:00:00"

    assert passed(event_filters.statuses, caller(None, before)) == []
    assert passed(event_filters.statuses, caller(None, at)) == ["event"]
    assert passed(event_filters.statuses, caller("editor", before), status=["publish"]) == []
    assert passed(event_filters.statuses, caller("editor", before), status=["future"]) == ["event"]
    assert passed(event_filters.statuses, caller("editor", at), status=["publish"]) == ["event"]
    assert passed(event_filters.statuses, caller("editor", at), status=["future"]) == []


def test_statuses_of_own_and_of_others(made: Made, caller: CallerFactory) -> None:
    made("own draft", as_="author", status="draft")
    made("other draft", as_="author2", status="draft")
    made("published", as_="author2")

    assert passed(event_filters.statuses, caller(None)) == ["published"]
    assert passed(event_filters.statuses, caller("subscriber")) == ["published"]
    assert passed(event_filters.statuses, caller("author")) == ["own draft", "published"]
    assert passed(event_filters.statuses, caller("author"), status=["draft"]) == ["own draft"]
    assert passed(event_filters.statuses, caller("editor")) == ["own draft", "other draft", "published"]


@pytest.mark.parametrize(
    ("search", "titles"),
    [
        ("jazz", ["jazz", "jazz night"]),
        ("jazz night", ["jazz night"]),
        ("jazz -night", ["jazz"]),
        ('"jazz night"', ["jazz night"]),
        ('"night jazz"', []),
        ("jazzy", []),
        ("%", []),
    ],
)
def test_words(made: Made, caller: CallerFactory, search: str, titles: list[str]) -> None:
    made("jazz")
    made("jazz night")

    def both(asked: EventQuery) -> Any:
        clauses = (event_filters.words(asked), event_filters.other_words(asked))
        return reduce(operator.and_, (clause for clause in clauses if clause is not None))

    assert passed(both, caller(None), search=search) == titles
    assert searched(caller(None), search=search) == titles
    assert searched(caller(None), search=search, starts_after="2026-01-01") == titles


@pytest.mark.parametrize("few", [0, 300])
@pytest.mark.parametrize("dates", [{}, {"starts_after": "2026-01-01"}, {"ends_before": "2027-01-01"}])
def test_what_is_counted_and_what_a_page_reads_are_the_same(
    client: Client, made: Made, caller: CallerFactory, monkeypatch: pytest.MonkeyPatch, few: int,
    dates: dict[str, str],
) -> None:  # fmt: skip
    """However few or many are found, and whichever filter they are found by first."""
    monkeypatch.setattr(paging, "FEW", few)
    monkeypatch.setattr(event_query, "_listings", BoundedCache(1_000_000))
    here, there = (factories.venue(client, geo_lat=lat, geo_lng=1, date=EARLY)["id"] for lat in (1, 1.001))
    ann, bob = factories.organizer(client, date=EARLY)["id"], factories.organizer(client, date=EARLY)["id"]
    top = factories.category(client)["id"]
    low, tag = factories.category(client, parent=top)["id"], factories.tag(client)["id"]
    links = {"venue": [here, there], "organizer": [ann, bob], "categories": [top, low], "tags": [tag]}
    made("jazz one", **links, featured=True)
    made("jazz two", **links)
    made("jazz hidden", **links, hide_from_listings=True)
    made("jazz draft", **links, status="draft")
    made("jazz locked", **links, password="sesame")
    made("jazz long ago", **links, start_date="2020-07-01 10:00:00")
    made("jazz to be", **links, date="2030-01-01")
    made("rock")

    for asked in (
        {"venue": [here, there]}, {"organizer": [bob, ann]}, {"categories": [str(top)]}, {"tags": [str(tag)]},
        {"search": "jazz"}, {"search": "ja"}, {"search": "jazz -rock"}, around(1.0, 1.0, 5.0),
        {"venue": [here, there], "organizer": [ann]}, {"search": "jazz", "tags": [str(tag)]},
        {"search": "zz", "categories": [str(top)], "geoloc": True},
    ):  # fmt: skip
        with database.read():
            pages = [
                event_query.search({"page": page, "per_page": 1, **asked, **dates}, caller(None), UTC)
                for page in (1, 2, 3)
            ]
            titles = [Event.get_by_id(id).title for page in pages for id in page.records]
        shown = ["jazz long ago"] if dates == {"ends_before": "2027-01-01"} else []
        assert titles == [*shown, "jazz one", "jazz two"], asked
        assert {page.total for page in pages} == {len(titles)}, asked
        assert searched(caller(None), **asked, **dates, featured=True) == ["jazz one"], asked


@pytest.mark.parametrize(
    "query", [{"search": "jazz"}, {"featured": False}, {"ticketed": False}, {"geoloc": False}]
)
def test_not_masked_keeps_protected_events_from_filters_on_their_content(
    made: Made, caller: CallerFactory, query: dict[str, Any]
) -> None:
    made("jazz of author", as_="author", password="sesame")

    for login in (None, "subscriber", "contributor", "author2"):
        assert passed(event_filters.not_masked, caller(login), **query) == []
    for login in ("author", "editor", "admin"):
        assert passed(event_filters.not_masked, caller(login), **query) == ["jazz of author"]


def test_not_masked_does_not_apply_to_dates(made: Made, caller: CallerFactory) -> None:
    made("jazz", password="sesame")

    assert passed(event_filters.not_masked, caller(None), start_date="2026-01-01") == ["jazz"]


def test_in_categories_and_those_below(client: Client, made: Made, caller: CallerFactory) -> None:
    top = factories.category(client)["id"]
    low = factories.category(client, parent=top)["id"]
    made("top", categories=[top])
    made("low", categories=[low])
    made("none")

    assert passed(event_filters.in_categories, caller(None), categories=[str(top)]) == ["top", "low"]
    assert passed(event_filters.in_categories, caller(None), categories=[str(low)]) == ["low"]
    assert passed(event_filters.in_categories, caller(None)) == ["top", "low", "none"]


def test_with_tags_takes_any(client: Client, made: Made, caller: CallerFactory) -> None:
    one, two = factories.tag(client)["id"], factories.tag(client)["id"]
    made("one", tags=[one])
    made("both", tags=[one, two])
    made("none")

    assert passed(event_filters.with_tags, caller(None), tags=[str(one), str(two)]) == ["one", "both"]
    assert passed(event_filters.with_tags, caller(None), tags=[str(two)]) == ["both"]
    assert passed(event_filters.with_tags, caller(None)) == ["one", "both", "none"]


@pytest.mark.parametrize(
    ("noun", "clause"), [("venue", event_filters.at_venues), ("organizer", event_filters.by_organizers)]
)
def test_at_venues_and_by_organizers_take_any(
    client: Client, made: Made, caller: CallerFactory, noun: str, clause: Callable[[EventQuery], Any]
) -> None:
    make = factories.venue if noun == "venue" else factories.organizer
    one, two = make(client)["id"], make(client)["id"]
    made("one", **{noun: [one]})
    made("both", **{noun: [two, one]})
    made("none")

    assert passed(clause, caller(None), **{noun: [one, two]}) == ["one", "both"]
    assert passed(clause, caller(None), **{noun: [two]}) == ["both"]
    assert passed(clause, caller(None)) == ["one", "both", "none"]


@pytest.mark.parametrize(
    ("name", "clause"), [("featured", event_filters.featured), ("ticketed", event_filters.ticketed)]
)
def test_featured_and_ticketed_part_the_events(
    made: Made, caller: CallerFactory, name: str, clause: Callable[[EventQuery], Any]
) -> None:
    made("with", **{name: True})
    made("without", **{name: False})

    assert passed(clause, caller(None), **{name: True}) == ["with"]
    assert passed(clause, caller(None), **{name: False}) == ["without"]
    assert passed(clause, caller(None)) == ["with", "without"]


def test_included_takes_only_the_ids(made: Made, caller: CallerFactory) -> None:
    one, _, three = made("one"), made("two"), made("three")

    assert passed(event_filters.included, caller(None), include=[three, one, 999999]) == ["one", "three"]
    assert passed(event_filters.included, caller(None), include=[2**63 - 1]) == []
    assert passed(event_filters.included, caller(None)) == ["one", "two", "three"]


def test_children_are_one_level_below(made: Made, caller: CallerFactory) -> None:
    parent = made("parent")
    child = made("child", post_parent=parent)
    made("grandchild", post_parent=child)

    assert passed(event_filters.children, caller(None), post_parent=parent) == ["child"]
    assert passed(event_filters.children, caller(None), post_parent=child) == ["grandchild"]
    assert passed(event_filters.children, caller(None)) == ["parent", "child", "grandchild"]


def test_located_counts_venues_that_the_caller_may_see(
    client: Client, made: Made, caller: CallerFactory
) -> None:
    made("shown", venue=factories.venue(client, geo_lat=0, geo_lng=0, date=EARLY)["id"])
    made("hidden", venue=factories.venue(client, geo_lat=0, geo_lng=0, date=EARLY, status="draft")["id"])
    made("plain", venue=factories.venue(client, date=EARLY)["id"])
    made("none")

    assert passed(event_filters.located, caller(None), geoloc=True) == ["shown"]
    assert passed(event_filters.located, caller(None), geoloc=False) == ["hidden", "plain", "none"]
    assert passed(event_filters.located, caller("editor"), geoloc=True) == ["shown", "hidden"]
    assert passed(event_filters.located, caller("editor"), geoloc=False) == ["plain", "none"]


def around(lat: float, lng: float, distance: float) -> dict[str, float]:
    return {"geoloc_lat": lat, "geoloc_lng": lng, "geoloc_distance": distance}


def test_near_at_the_boundary_distance(client: Client, made: Made, caller: CallerFactory) -> None:
    made("event", venue=factories.venue(client, geo_lat=0, geo_lng=1, date=EARLY)["id"])
    degree = math.radians(1) * geo.EARTH_RADIUS_KM

    assert passed(event_filters.near, caller(None), **around(0, 0, degree + 0.001)) == ["event"]
    assert passed(event_filters.near, caller(None), **around(0, 0, degree - 0.001)) == []


EARTH = {
    "lat": st.floats(-90, 90, allow_nan=False).map(lambda value: round(value, 6)),
    "lng": st.floats(-180, 180, allow_nan=False).map(lambda value: round(value, 6)),
}
PLACES = {
    "north pole": (90.0, 0.0), "south pole": (-90.0, 45.0), "line east": (10.0, 180.0),
    "line west": (-10.0, -180.0), "origin": (0.0, 0.0), "Apia": (-13.83, -171.76), "Oslo": (59.91, 10.75),
}  # fmt: skip


def great_circle(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Kilometres, by the haversine formula: reckoned in another way than by the filter."""
    (lat, lng), (lat2, lng2) = ((math.radians(a), math.radians(b)) for a, b in (one, other))
    h = math.sin((lat2 - lat) / 2) ** 2 + math.cos(lat) * math.cos(lat2) * math.sin((lng2 - lng) / 2) ** 2
    return 2 * geo.EARTH_RADIUS_KM * math.asin(math.sqrt(min(1, h)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(lat=EARTH["lat"], lng=EARTH["lng"], distance=st.floats(1, 20038))
def test_near_agrees_with_the_haversine_formula_everywhere(
    client: Client, made: Made, caller: CallerFactory, lat: float, lng: float, distance: float
) -> None:
    with database.read():
        empty = Event.select().count() == 0
    for name, (place_lat, place_lng) in PLACES.items() if empty else ():
        venue = factories.venue(client, geo_lat=place_lat, geo_lng=place_lng, date=EARLY)
        made(name, venue=venue["id"])

    found = passed(event_filters.near, caller(None), **around(lat, lng, distance))

    ways = {name: great_circle((lat, lng), place) for name, place in PLACES.items()}
    blurred = 0.5  # kilometres: both formulas are weak where two places lie opposite each other
    assert [name for name, way in ways.items() if way <= distance - blurred and name not in found] == []
    assert [name for name in found if ways[name] > distance + blurred] == []


def test_everything_is_within_half_around_the_earth(
    client: Client, made: Made, caller: CallerFactory
) -> None:
    for name, (lat, lng) in PLACES.items():
        made(name, venue=factories.venue(client, geo_lat=lat, geo_lng=lng, date=EARLY)["id"])

    for lat, lng in PLACES.values():
        opposite = around(-lat, lng - 180 if lng > 0 else lng + 180, 20038)
        assert passed(event_filters.near, caller(None), **opposite) == list(PLACES)


def test_search_ands_all_filters(made: Made, caller: CallerFactory) -> None:
    made("jazz", featured=True)
    made("jazz plain")
    made("rock", featured=True)
    made("jazz far", featured=True, start_date="2036-07-01 10:00:00")

    assert searched(caller(None), search="jazz", featured=True) == ["jazz"]


def test_search_orders_by_instant_then_id(made: Made, caller: CallerFactory) -> None:
    made("late", start_date="2026-07-01 10:00:01")
    made("tie one", start_date="2026-07-01 10:00:00")
    made("early", start_date="2026-07-01 18:00:00", timezone="Asia/Tokyo")
    made("tie two", start_date="2026-07-01 12:00:00", timezone="Europe/Berlin", date="2020-01-01")

    assert searched(caller(None)) == ["early", "tie one", "tie two", "late"]


def test_unknown_reports_everything_at_once(made: Made, caller: CallerFactory) -> None:
    query = {
        "categories": ["x"], "tags": ["x"], "venue": [999], "organizer": [999], "post_parent": 999,
        "status": ["draft"], "geoloc_lat": 1.0,
    }  # fmt: skip

    with pytest.raises(InvalidParameters) as raised:
        searched(caller(None), **query)

    assert sorted(raised.value.problems) == sorted(
        ["categories", "tags", "venue", "organizer", "post_parent", "status", "geoloc_lng"]
    )
