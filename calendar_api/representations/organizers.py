"""An organizer on the way out (docs/interface.md#organizer-keys)."""

from typing import Any

from calendar_api.representations import json_ld, linked
from calendar_api.representations.lines import inert
from calendar_api.representations.site import Site

Json = dict[str, Any]


def record(organizer: Any, image: Any, site: Site, *, single: bool) -> Json:
    """`single` adds `json_ld`."""
    body = linked.head("organizer", organizer, image, site)
    lines = {name: inert(getattr(organizer, name) or "") for name in ("phone", "website", "email")}
    body |= linked.without_empty(lines)
    if single:
        body["json_ld"] = json_ld.person(organizer, image.url if image is not None else None)
    return body | linked.tail(organizer, site)
