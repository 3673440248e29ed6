"""Venues near a place: the box that an index finds them by leaves none of them out."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calendar_api import database
from calendar_api.database.models import Record, Venue
from calendar_api.store import geo
from calendar_api.store.venue_organizer import point
from tests import factories
from tests.client import Client
from tests.store.test_event_filters import great_circle

pytestmark = pytest.mark.both_databases
LATS = (-90.0, -89.999999, -89.9, -60.0, -0.000001, 0.0, 45.5, 89.5, 89.999999, 90.0)
LNGS = (-180.0, -179.999999, -90.0, -0.000001, 0.0, 13.4, 90.0, 179.9, 180.0)
PLACES = [(lat, lng) for lat in LATS for lng in LNGS]
STEPS = st.sampled_from([0.0, 0.0, 1e-9, -1e-9, 1e-6, -1e-6, 0.001, -0.001, 0.3, -0.3])


def found(*where: Any) -> set[int]:
    with database.read():
        return {int(id) for (id,) in Venue.select(Venue.id).where(*where).tuples()}


def furnish(client: Client) -> None:
    """A venue at each of PLACES."""
    first = factories.venue(client)["id"]
    with database.write():
        columns = {**Venue.get_by_id(first).__data__}
        for lat, lng in PLACES:
            id = int(Record.create(kind="venue").id)
            x, y, z = point(lat, lng)
            place = {"geo_lat": lat, "geo_lng": lng, "geo_x": x, "geo_y": y, "geo_z": z}
            Venue.insert({**columns, **place, "id": id, "slug": f"place-{id}"}).execute()


def test_box_holds_everything_within_the_distance(client: Client) -> None:
    """Around places at the poles and at the 180th meridian, with distances that just reach one of them."""
    furnish(client)

    @given(
        near=st.sampled_from(PLACES), aside=st.tuples(STEPS, STEPS), reached=st.sampled_from(PLACES),
        more=STEPS, any_distance=st.one_of(st.none(), st.floats(0.0001, 20038)),
    )  # fmt: skip
    @settings(deadline=None, max_examples=100)
    def compare(
        near: tuple[float, float], aside: tuple[float, float], reached: tuple[float, float], more: float,
        any_distance: float | None,
    ) -> None:  # fmt: skip
        there = (max(-90.0, min(90.0, near[0] + aside[0])), max(-180.0, min(180.0, near[1] + aside[1])))
        distance = any_distance or max(0.0, great_circle(there, reached) + more)
        circle = geo.circle(*there, distance)

        assert found(geo.in_box(circle.box), geo.within(circle.place)) == found(geo.within(circle.place))

    compare()


@pytest.mark.parametrize(
    ("lat", "lng", "inside"),
    [
        (0.0, 0.0, {(0.0, 0.0), (0.0, -0.000001), (-0.000001, 0.0), (-0.000001, -0.000001)}),
        (45.5, 13.4, {(45.5, 13.4)}),
        (0.0, 180.0, {(y, x) for y in (0.0, -0.000001) for x in (180.0, -180.0, -179.999999)}),
        (90.0, 50.0, {(y, x) for y in (89.999999, 90.0) for x in LNGS}),
    ],
)
def test_box_holds_little_else(
    client: Client, lat: float, lng: float, inside: set[tuple[float, float]]
) -> None:
    furnish(client)

    ids = found(geo.in_box(geo.circle(lat, lng, 1).box))

    with database.read():
        assert {(venue.geo_lat, venue.geo_lng) for venue in Venue.select().where(Venue.id.in_(ids))} == inside
