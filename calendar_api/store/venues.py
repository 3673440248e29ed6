"""Venues: where events take place."""

import math
from typing import Any

from calendar_api.database.models import EventVenue, Venue
from calendar_api.domain.translation import message
from calendar_api.store.venue_organizer import Fields, VenueOrganizerStore, line

_LINES = ("address", "city", "country", "province", "state", "zip", "phone")
_PLACES = ("country", "state", "province")
_SEARCHED = ("venue", "address", "city", "province", "state", "stateprovince", "zip", "phone")


def point(lat: float, lng: float) -> tuple[float, float, float]:
    """A place as a point on a ball of radius 1."""
    phi, theta = math.radians(lat), math.radians(lng)
    return math.cos(phi) * math.cos(theta), math.cos(phi) * math.sin(theta), math.sin(phi)


def _columns(fields: Fields, venue: Any) -> Fields:
    """The columns that were sent; all of them, with their defaults, for a new venue."""
    new = venue is None
    row: Fields = {name: line(fields.get(name)) for name in _LINES if new or name in fields}
    if new or "website" in fields:
        row["website"] = fields.get("website") or ""
    for name in ("show_map", "show_map_link"):
        if new or name in fields:
            row[name] = fields.get(name, True)
    if "stateprovince" in fields:
        row["stateprovince"] = line(fields["stateprovince"])
    elif new or any(name in fields for name in _PLACES):
        row["stateprovince"] = _state_or_province({**_places(venue), **row})
    if new or "geo_lat" in fields or "geo_lng" in fields:
        row |= _coordinates(fields.get("geo_lat"), fields.get("geo_lng"))
    return row


def _places(venue: Any) -> Fields:
    return {name: "" if venue is None else getattr(venue, name) for name in _PLACES}


def _state_or_province(row: Fields) -> str:
    """The state for the United States and when no country is known, else the province.

    See docs/interface.md#venue-keys.
    """
    if row["state"] and row["country"].lower() in ("", "us", "united states"):
        return str(row["state"])
    return str(row["province"])


def _coordinates(lat: float | None, lng: float | None) -> Fields:
    if lat is None or lng is None:
        return {"geo_lat": None, "geo_lng": None, "geo_x": None, "geo_y": None, "geo_z": None}
    x, y, z = point(lat, lng)
    return {"geo_lat": float(lat), "geo_lng": float(lng), "geo_x": x, "geo_y": y, "geo_z": z}


def _problems(fields: Fields, venue: Any) -> dict[str, str]:
    """Both coordinates or neither (docs/interface.md#own-fields)."""
    if ("geo_lat" in fields) == ("geo_lng" in fields) and (fields.get("geo_lat") is None) == (
        fields.get("geo_lng") is None
    ):
        return {}
    lacking = "geo_lng" if fields.get("geo_lng") is None else "geo_lat"
    return {lacking: message("{name} must be sent together with the other coordinate.", name=lacking)}


venues = VenueOrganizerStore("venue", Venue, EventVenue, _SEARCHED, _columns, _problems)
