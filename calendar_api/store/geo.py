"""Conditions for venues within a great-circle distance, by the index on their coordinates."""

import math

from peewee import Expression

from calendar_api.database.models import Venue
from calendar_api.store.venues import point

EARTH_RADIUS_KM = 6371.0088
_BLUR = 1e-12  # on a sphere of radius 1, some micrometres on the earth: the precision of stored coordinates
_MARGIN = 1e-6  # degrees added to the box because of rounding


def within(lat: float, lng: float, kilometres: float) -> Expression:
    """Correct across the 180th meridian and at the poles (docs/interface.md#geo-filters).

    The chord grows with the great-circle distance, so its square is compared.
    """
    x, y, z = point(lat, lng)
    away_x, away_y, away_z = Venue.geo_x - x, Venue.geo_y - y, Venue.geo_z - z
    return away_x * away_x + away_y * away_y + away_z * away_z <= _chord(kilometres) ** 2


def box(lat: float, lng: float, kilometres: float) -> Expression:
    """A bounding box that contains every place within the distance.

    Longitudes are closest to each other at the edge next to a pole; around a pole all of them match.
    """
    reach = math.degrees(2 * math.asin(min(1, _chord(kilometres) / 2))) + _MARGIN
    clause: Expression = Venue.geo_lat.between(lat - reach, lat + reach)
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
    """The chord of a sphere of radius 1 between places at this distance."""
    return 2 * math.sin(min(kilometres / EARTH_RADIUS_KM, math.pi) / 2) + _BLUR
