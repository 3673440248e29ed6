"""Venues: where events take place."""

import math
from collections.abc import Mapping
from typing import Any, cast

from calendar_api.database.models import EventVenue, Venue
from calendar_api.domain.translation import message
from calendar_api.store.compiled_queries import Value
from calendar_api.store.publishable import PublishedFields
from calendar_api.store.venue_organizer import Fields, Row, VenueOrganizerStore

_PLACES = ("country", "state", "province")


class VenueFields(PublishedFields, total=False):
    """The checked fields of a venue that are no plain texts."""

    show_map: bool
    show_map_link: bool
    geo_lat: float | None
    geo_lng: float | None


def point(lat: float, lng: float) -> tuple[float, float, float]:
    """A place as a point on a sphere of radius 1; in degrees."""
    phi, theta = math.radians(lat), math.radians(lng)
    return math.cos(phi) * math.cos(theta), math.cos(phi) * math.sin(theta), math.sin(phi)


class VenueStore(VenueOrganizerStore):
    def own_columns(self, given: Fields, record: Row | None) -> dict[str, Value]:
        fields, new = cast(VenueFields, given), record is None
        row = super().own_columns(given, record)
        if new or "show_map" in fields:
            row["show_map"] = fields.get("show_map", True)
        if new or "show_map_link" in fields:
            row["show_map_link"] = fields.get("show_map_link", True)
        if "stateprovince" not in given and (new or any(name in fields for name in _PLACES)):
            before = {} if new else {name: getattr(record, name) for name in _PLACES}
            row["stateprovince"] = _state_or_province({**before, **row})
        if new or "geo_lat" in fields or "geo_lng" in fields:
            row |= _coordinates(fields.get("geo_lat"), fields.get("geo_lng"))
        return row

    def own_problems(self, given: Fields) -> dict[str, str]:
        """Both coordinates or neither (docs/interface.md#own-fields)."""
        fields = cast(VenueFields, given)
        lat, lng = fields.get("geo_lat"), fields.get("geo_lng")
        if ("geo_lat" in fields) == ("geo_lng" in fields) and (lat is None) == (lng is None):
            return {}
        lacking = "geo_lng" if lng is None else "geo_lat"
        return {lacking: message("{name} must be sent together with the other coordinate.", name=lacking)}


def _state_or_province(row: Mapping[str, Any]) -> str:
    """The state for the United States and when no country is known, else the province.

    See docs/interface.md#venue-keys.
    """
    if row["state"] and row["country"].lower() in ("", "us", "united states"):
        return str(row["state"])
    return str(row["province"])


def _coordinates(lat: float | None, lng: float | None) -> dict[str, Value]:
    if lat is None or lng is None:
        return dict.fromkeys(("geo_lat", "geo_lng", "geo_x", "geo_y", "geo_z"))
    x, y, z = point(lat, lng)
    # Adding zero makes -0.0 positive, as databases store it.
    return {"geo_lat": float(lat) + 0.0, "geo_lng": float(lng) + 0.0, "geo_x": x, "geo_y": y, "geo_z": z}


venues = VenueStore("venue", Venue, EventVenue, not_searched=("country", "website"))
