"""The columns of a venue: what was sent, what is worked out, what stays."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.database.models import Venue
from calendar_api.store.venues import point, venues

LATITUDES = st.floats(min_value=-90, max_value=90)
LONGITUDES = st.floats(min_value=-180, max_value=180)
EMPTY_PLACE = {"geo_lat": None, "geo_lng": None, "geo_x": None, "geo_y": None, "geo_z": None}


def venue(**columns: Any) -> Venue:
    return Venue(**{"country": "", "state": "", "province": "", "stateprovince": "", **columns})


def test_columns_of_a_new_venue_have_their_defaults() -> None:
    assert venues.own_columns({"venue": "Hall"}, None) == {
        "address": "",
        "city": "",
        "country": "",
        "province": "",
        "state": "",
        "zip": "",
        "phone": "",
        "website": "",
        "show_map": True,
        "show_map_link": True,
        "stateprovince": "",
        **dict.fromkeys(("geo_lat", "geo_lng", "geo_x", "geo_y", "geo_z")),
    }


@pytest.mark.parametrize(
    ("sent", "columns"),
    [
        ({}, {}),
        ({"venue": "New", "description": "New"}, {}),
        ({"address": " 2  Side "}, {"address": "2 Side"}),
        ({"phone": None}, {"phone": ""}),
        ({"website": None}, {"website": ""}),
        ({"show_map": False}, {"show_map": False}),
        ({"stateprovince": None}, {"stateprovince": ""}),
        ({"geo_lat": None, "geo_lng": None}, EMPTY_PLACE),
    ],
)
def test_columns_of_an_update_are_those_that_were_sent(sent: dict[str, Any], columns: dict[str, Any]) -> None:
    assert venues.own_columns(sent, venue(state="TX", stateprovince="TX")) == columns


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
def test_stateprovince_is_worked_out_from_the_stored_and_the_sent(
    before: dict[str, str], sent: dict[str, str], derived: str
) -> None:
    assert venues.own_columns(sent, venue(**before))["stateprovince"] == derived


def test_stateprovince_that_is_sent_wins() -> None:
    assert venues.own_columns({"state": "TX", "stateprovince": "Own"}, None)["stateprovince"] == "Own"


@pytest.mark.parametrize(
    ("sent", "lacking"),
    [
        ({}, []),
        ({"geo_lat": 1.0, "geo_lng": 2.0}, []),
        ({"geo_lat": 0.0, "geo_lng": 0.0}, []),
        ({"geo_lat": None, "geo_lng": None}, []),
        ({"geo_lat": 1.0}, ["geo_lng"]),
        ({"geo_lng": 1.0}, ["geo_lat"]),
        ({"geo_lat": 1.0, "geo_lng": None}, ["geo_lng"]),
        ({"geo_lat": None, "geo_lng": 1.0}, ["geo_lat"]),
    ],
)
def test_problems_of_one_coordinate_without_the_other(sent: dict[str, Any], lacking: list[str]) -> None:
    assert list(venues.own_problems(sent)) == lacking


@pytest.mark.parametrize("name", ["geo_lat", "geo_lng"])
def test_problems_of_one_coordinate_that_is_cleared_alone(name: str) -> None:
    assert len(venues.own_problems({name: None})) == 1


@given(LATITUDES, LONGITUDES)
def test_point_lies_on_the_ball_and_gives_the_place_back(lat: float, lng: float) -> None:
    x, y, z = point(lat, lng)

    assert math.isclose(x * x + y * y + z * z, 1)
    assert math.isclose(math.degrees(math.atan2(z, math.hypot(x, y))), lat, abs_tol=1e-9)
    if abs(lat) < 89:
        turned = math.degrees(math.atan2(y, x)) - lng
        assert math.isclose(math.remainder(turned, 360), 0, abs_tol=1e-9)


@given(LATITUDES)
def test_point_is_the_same_on_both_sides_of_the_180th_meridian(lat: float) -> None:
    assert math.dist(point(lat, 180), point(lat, -180)) < 1e-12


@given(LATITUDES, LONGITUDES)
def test_columns_keep_the_place_and_its_point_together(lat: float, lng: float) -> None:
    columns = venues.own_columns({"geo_lat": lat, "geo_lng": lng}, venue())

    assert columns == dict(zip(EMPTY_PLACE, (lat, lng, *point(lat, lng)), strict=True))
