"""Venues, organizers, categories and tags as the inputs of a form, and inputs as fields of the interface."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from calendar_api.domain import html
from calendar_api.representations import description_text

Json = dict[str, Any]
#: What the inputs of a form hold, by their names; a box that is not ticked is "".
Inputs = Mapping[str, str]

_PLACE = ("address", "zip", "city", "province", "state", "country", "geo_lat", "geo_lng")
_SHARED = ("phone", "website", "image", "description", "status")
#: The inputs of each noun; the first is the name.
FIELDS: dict[str, tuple[str, ...]] = {
    "venue": ("venue", *_PLACE, "show_map", "show_map_link", *_SHARED),
    "organizer": ("organizer", "email", *_SHARED),
    "category": ("name", "slug", "parent", "description"),
    "tag": ("name", "slug", "description"),
}
_FLAGS = frozenset({"show_map", "show_map_link"})
_COORDINATES = frozenset({"geo_lat", "geo_lng"})
#: Columns of rows with another name.
_COLUMNS = {"image": "url", "parent": "parent_id"}


def inputs_of(noun: str, row: Any) -> dict[str, str]:
    """The inputs of a row with the columns of its model and of its image; of a new record for None."""
    names = FIELDS[noun]
    if row is None:
        return {name: "1" if name in _FLAGS else "" for name in names} | {"format": "text"}
    found = {}
    for name in names:
        value = getattr(row, _COLUMNS.get(name, name))
        found[name] = ("1" if value else "") if name in _FLAGS else "" if value is None else str(value)
    shown = html.paragraphs(row.description)
    text = description_text.as_text(shown)
    return found | {
        "description": shown if text is None else text,
        "format": "html" if text is None else "text",
    }


def digest(inputs: Inputs) -> str:
    """What a form held when it was made, for a hidden input."""
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:32]


def payload(noun: str, sent: Inputs, before: Inputs, stored: str = "") -> Json:
    """The fields of the interface that differ from the inputs `before`; `stored` is the HTML description."""
    changed = {name: sent[name] for name in FIELDS[noun] if sent[name] != before[name]}
    fields: Json = dict(changed)
    if "description" in changed and sent.get("format") != "html":
        fields["description"] = description_text.as_html(sent["description"], html.paragraphs(stored))
    if changed.keys() & _COORDINATES:
        fields |= {name: sent[name] or None for name in _COORDINATES}
    fields |= {name: bool(changed[name]) for name in _FLAGS & changed.keys()}
    if "parent" in changed:
        fields["parent"] = sent["parent"] or 0
    return fields
