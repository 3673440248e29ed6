"""What filters of the event list find when they are combined; distances; the order."""

import math
from collections.abc import Callable
from datetime import UTC
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calendar_api import database
from calendar_api.database.models import Event
from calendar_api.domain.auth import Caller
from calendar_api.store import event_query, geo
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


def searched(caller: Caller, **query: Any) -> list[str]:
    with database.read():
        page = event_query.search({"page": 1, "per_page": 50, **query}, caller, UTC)
        return [Event.get_by_id(row.id).title for row in page.records]


@pytest.mark.both_databases
def test_what_is_counted_and_what_a_page_reads_are_the_same(
    client: Client, made: Made, caller: CallerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For any number of results, and whichever filter comes first."""
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

    every = (
        {"venue": [here, there]}, {"organizer": [bob, ann]}, {"categories": [str(top)]}, {"tags": [str(tag)]},
        {"search": "jazz"}, {"search": "ja"}, {"search": "jazz -rock"}, around(1.0, 1.0, 5.0),
        {"venue": [here, there], "organizer": [ann]}, {"search": "jazz", "tags": [str(tag)]},
        {"search": "zz", "categories": [str(top)], "geoloc": True},
    )  # fmt: skip
    spans: tuple[dict[str, str], ...] = ({}, {"starts_after": "2026-01-01"}, {"ends_before": "2027-01-01"})
    for few, dates, asked in product((0, 300), spans, every):
        monkeypatch.setattr(event_query, "FEW", few)
        with database.read():
            pages = [
                event_query.search({"page": page, "per_page": 1, **asked, **dates}, caller(None), UTC)
                for page in (1, 2, 3)
            ]
            titles = [Event.get_by_id(row.id).title for page in pages for row in page.records]
        shown = ["jazz long ago"] if dates == {"ends_before": "2027-01-01"} else []
        assert titles == [*shown, "jazz one", "jazz two"], asked
        assert {page.total for page in pages} == {len(titles)}, asked
        assert searched(caller(None), **asked, **dates, featured=True) == ["jazz one"], asked


def around(lat: float, lng: float, distance: float) -> dict[str, float]:
    return {"geoloc_lat": lat, "geoloc_lng": lng, "geoloc_distance": distance}


EARTH = {
    "lat": st.floats(-90, 90, allow_nan=False).map(lambda value: round(value, 6)),
    "lng": st.floats(-180, 180, allow_nan=False).map(lambda value: round(value, 6)),
}
PLACES = {
    "north pole": (90.0, 0.0), "south pole": (-90.0, 45.0), "line east": (10.0, 180.0),
    "line west": (-10.0, -180.0), "origin": (0.0, 0.0), "Apia": (-13.83, -171.76), "Oslo": (59.91, 10.75),
}  # fmt: skip


def great_circle(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Kilometres by the haversine formula, which the filter does not use."""
    (lat, lng), (lat2, lng2) = ((math.radians(a), math.radians(b)) for a, b in (one, other))
    h = math.sin((lat2 - lat) / 2) ** 2 + math.cos(lat) * math.cos(lat2) * math.sin((lng2 - lng) / 2) ** 2
    return 2 * geo.EARTH_RADIUS_KM * math.asin(math.sqrt(min(1, h)))


@pytest.mark.both_databases
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lat=EARTH["lat"], lng=EARTH["lng"], distance=st.floats(1, 20038))
def test_near_agrees_with_the_haversine_formula_everywhere(
    client: Client, made: Made, caller: CallerFactory, lat: float, lng: float, distance: float
) -> None:
    with database.read():
        empty = Event.select().count() == 0
    for name, (place_lat, place_lng) in PLACES.items() if empty else ():
        venue = factories.venue(client, geo_lat=place_lat, geo_lng=place_lng, date=EARLY)
        made(name, venue=venue["id"])

    found = searched(caller(None), **around(lat, lng, distance))

    ways = {name: great_circle((lat, lng), place) for name, place in PLACES.items()}
    blurred = 0.5  # kilometres: both formulas are inexact for two places opposite each other
    assert [name for name, way in ways.items() if way <= distance - blurred and name not in found] == []
    assert [name for name in found if ways[name] > distance + blurred] == []
