"""Conditions for venues within a great-circle distance, by the index on their coordinates."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from peewee import Expression

from calendar_api.database.models import Venue
from calendar_api.store.compiled_queries import Param
from calendar_api.store.venue_organizer import point

EARTH_RADIUS_KM = 6371.0088
_BLUR = 1e-12  # on a sphere of radius 1, some micrometres on the earth: the precision of stored coordinates
_MARGIN = 1e-6  # degrees added to the box because of rounding


class Circle(NamedTuple):
    """A distance around a place as values of a statement: `place` for `within`, `box` for `in_box`."""

    place: list[float]
    box: list[float]


def circle(lat: float, lng: float, kilometres: float) -> Circle:
    # The chord of a sphere of radius 1 between places at this distance.
    chord = 2 * math.sin(min(kilometres / EARTH_RADIUS_KM, math.pi) / 2) + _BLUR
    reach = math.degrees(2 * math.asin(min(1, chord / 2))) + _MARGIN
    # Longitudes are closest to each other at the edge next to a pole; around a pole all of them match.
    edge = abs(lat) + reach
    aside = reach / math.cos(math.radians(edge)) if edge < 90 - _MARGIN else 180
    latitudes = [lat - reach, lat + reach]
    if aside >= 180:
        longitudes = [-180.0, 180.0, -180.0, 180.0]
    else:
        west, east = lng - aside, lng + aside
        # Two ranges, because the box may extend across the 180th meridian.
        longitudes = [west, east, west + 360, 180.0] if west < -180 else [west, east, -180.0, east - 360]
    return Circle([*point(lat, lng), chord**2], [*latitudes, *longitudes])


def within(place: Sequence[Param]) -> Expression:
    """Correct across the 180th meridian and at the poles (docs/interface.md#geo-filters).

    The chord grows with the great-circle distance, so its square is compared.
    """
    x, y, z, square = place
    away_x, away_y, away_z = Venue.geo_x - x, Venue.geo_y - y, Venue.geo_z - z
    return away_x * away_x + away_y * away_y + away_z * away_z <= square


def in_box(box: Sequence[Param]) -> Expression:
    """A bounding box that contains every place within the distance."""
    south, north, west, east, other_west, other_east = box
    longitudes = Venue.geo_lng.between(west, east) | Venue.geo_lng.between(other_west, other_east)
    return Venue.geo_lat.between(south, north) & longitudes
