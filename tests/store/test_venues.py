"""Derived columns of a venue: `stateprovince`, and the point on the sphere."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.database.models import Venue
from calendar_api.store.venue_organizer import point, venues

LATITUDES = st.floats(min_value=-90, max_value=90)
LONGITUDES = st.floats(min_value=-180, max_value=180)


def venue(**columns: Any) -> Venue:
    return Venue(**{"country": "", "state": "", "province": "", "stateprovince": "", **columns})


@pytest.mark.parametrize(
    ("before", "sent", "derived"),
    [
        ({}, {"state": "TX"}, "TX"),
        ({"state": "TX"}, {"country": "Italy"}, ""),
        ({"state": "TX", "province": "Lazio"}, {"country": "Italy"}, "Lazio"),
        ({"state": "TX", "country": "Italy", "province": "Lazio"}, {"country": "uNITED sTATES"}, "TX"),
        ({"country": "us"}, {"state": "TX"}, "TX"),
        ({"country": "US", "province": "Lazio"}, {"state": ""}, "Lazio"),
        ({"country": "USA"}, {"state": "TX"}, ""),
    ],
)
def test_stateprovince_is_derived_from_stored_and_sent_fields(
    before: dict[str, str], sent: dict[str, str], derived: str
) -> None:
    assert venues.own_columns(sent, venue(**before))["stateprovince"] == derived


@given(LATITUDES, LONGITUDES)
def test_point_is_on_the_unit_sphere_at_its_coordinates(lat: float, lng: float) -> None:
    x, y, z = point(lat, lng)

    assert math.dist(point(lat, 180), point(lat, -180)) < 1e-12
    assert math.isclose(x * x + y * y + z * z, 1)
    assert math.isclose(math.degrees(math.atan2(z, math.hypot(x, y))), lat, abs_tol=1e-9)
    if abs(lat) < 89:
        turned = math.degrees(math.atan2(y, x)) - lng
        assert math.isclose(math.remainder(turned, 360), 0, abs_tol=1e-9)
