"""An organizer on the way out (docs/interface.md#organizer-keys)."""

from typing import Any

from calendar_api.representations import json_ld, venue_organizer
from calendar_api.representations.render_context import RenderContext
from calendar_api.representations.values import inert

Json = dict[str, Any]


def record(organizer: Any, image: Any, site: RenderContext, *, single: bool) -> Json:
    """`single` adds `json_ld`."""
    body = venue_organizer.head("organizer", organizer, image, site)
    lines = {name: inert(getattr(organizer, name) or "") for name in ("phone", "website", "email")}
    body |= venue_organizer.without_empty(lines)
    if single:
        body["json_ld"] = json_ld.person(organizer, image.url if image is not None else None)
    return body | venue_organizer.tail(organizer, site)
