"""Venues within a great-circle distance of a place, found by the index on their coordinates."""

import math
from typing import Any

from calendar_api.database.models import Venue
from calendar_api.store.venues import point

EARTH_RADIUS_KM = 6371.0088
_BLUR = 1e-12  # on a ball of radius 1, some micrometres on the earth: coordinates are not kept more exactly
_MARGIN = 1e-6  # degrees that the box is wider than it has to be, for what rounding does


def within(lat: float, lng: float, kilometres: float) -> Any:
    """Right across the 180th meridian and at the poles (docs/interface.md#geo-filters).

    The straight line through the ball grows with the way around it, so comparing its square is exact.
    """
    x, y, z = point(lat, lng)
    away_x, away_y, away_z = Venue.geo_x - x, Venue.geo_y - y, Venue.geo_z - z
    return away_x * away_x + away_y * away_y + away_z * away_z <= _chord(kilometres) ** 2


def box(lat: float, lng: float, kilometres: float) -> Any:
    """Latitudes and longitudes that hold every place within the distance, and few others.

    Longitudes are closest to each other at the edge next to a pole; around a pole all of them count.
    """
    reach = math.degrees(2 * math.asin(min(1, _chord(kilometres) / 2))) + _MARGIN
    clause: Any = Venue.geo_lat.between(lat - reach, lat + reach)
    edge = abs(lat) + reach
    aside = reach / math.cos(math.radians(edge)) if edge < 90 - _MARGIN else 180
    if aside >= 180:
        return clause
    west, east = lng - aside, lng + aside
    if west < -180:
        return clause & ((Venue.geo_lng <= east) | (Venue.geo_lng >= west + 360))
    if east > 180:
        return clause & ((Venue.geo_lng >= west) | (Venue.geo_lng <= east - 360))
    return clause & Venue.geo_lng.between(west, east)


def _chord(kilometres: float) -> float:
    """The straight line through a ball of radius 1 between places so far from each other."""
    return 2 * math.sin(min(kilometres / EARTH_RADIUS_KM, math.pi) / 2) + _BLUR
