"""A venue on the way out (docs/interface.md#venue-keys)."""

from typing import Any

from calendar_api.representations import json_ld, venue_organizer
from calendar_api.representations.render_context import RenderContext
from calendar_api.representations.values import inert

Json = dict[str, Any]

_LINES = ("address", "city", "country", "province", "state", "zip", "phone", "website", "stateprovince")


def record(venue: Any, image: Any, site: RenderContext, *, single: bool) -> Json:
    """`single` adds `json_ld`."""
    body = venue_organizer.head("venue", venue, image, site)
    body |= venue_organizer.without_empty({name: inert(getattr(venue, name) or "") for name in _LINES})
    if venue.geo_lat is not None:
        body |= {"geo_lat": venue.geo_lat, "geo_lng": venue.geo_lng}
    if single:
        body["json_ld"] = json_ld.place(venue, image.url if image is not None else None)
    body |= {"show_map": bool(venue.show_map), "show_map_link": bool(venue.show_map_link)}
    return body | venue_organizer.tail(venue, site)
