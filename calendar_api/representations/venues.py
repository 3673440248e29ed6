"""A venue on the way out (docs/interface.md#venue-keys)."""

from typing import Any

from calendar_api.representations import json_ld, linked
from calendar_api.representations.lines import inert
from calendar_api.representations.site import Site

Json = dict[str, Any]

_LINES = ("address", "city", "country", "province", "state", "zip", "phone", "website", "stateprovince")


def record(venue: Any, image: Any, site: Site, *, single: bool) -> Json:
    """`single` adds `json_ld`."""
    body = linked.head("venue", venue, image, site)
    body |= linked.without_empty({name: inert(getattr(venue, name) or "") for name in _LINES})
    if venue.geo_lat is not None:
        body |= {"geo_lat": venue.geo_lat, "geo_lng": venue.geo_lng}
    if single:
        body["json_ld"] = json_ld.place(venue, image.url if image is not None else None)
    body |= {"show_map": bool(venue.show_map), "show_map_link": bool(venue.show_map_link)}
    return body | linked.tail(venue, site)
