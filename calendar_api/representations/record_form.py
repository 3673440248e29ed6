"""Venues, organizers, categories and tags as the inputs of a form, and inputs as fields of the interface."""

from calendar_api.domain import text
from calendar_api.representations import form_fields
from calendar_api.representations.form_fields import Filled, FormFields, Inputs
from calendar_api.representations.rows import Json, OrganizerRow, TermRow, VenueRow

Row = VenueRow | OrganizerRow | TermRow

_PLACE = ("address", "zip", "city", "province", "state", "country", "geo_lat", "geo_lng")
_SHARED = ("phone", "website", "image", "description", "status")
_NAMES: dict[str, tuple[str, ...]] = {
    "venue": ("venue", *_PLACE, "show_map", "show_map_link", *_SHARED),
    "organizer": ("organizer", "email", *_SHARED),
    "category": ("name", "slug", "parent", "description"),
    "tag": ("name", "slug", "description"),
}
#: The fields of each noun; the first is the name.
FIELDS = {
    noun: FormFields(names, description=("description", "description_format"))
    for noun, names in _NAMES.items()
}
_FLAGS = frozenset({"show_map", "show_map_link"})
_COORDINATES = frozenset({"geo_lat", "geo_lng"})


def inputs_of(noun: str, row: Row | None, image: str = "") -> Filled:
    """The inputs of a row with the columns of its model; of a new record for None. `image` is an address."""
    found = form_fields.of_description(text.paragraphs(row.description) if row else "")
    own = {"image": image, "parent": getattr(row, "parent_id", None)}
    for name in set(FIELDS[noun]) - {"description"}:
        value = name in _FLAGS if row is None else own[name] if name in own else getattr(row, name)
        found[name] = (
            ("1" if value else "") if name in _FLAGS else "" if row is None or value is None else str(value)
        )
    return found


def payload(inputs: Inputs, names: set[str], row: Row | None) -> Json:
    """The fields of the interface with these names."""
    fields: Json = {name: form_fields.text(inputs, name) for name in names}
    if "description" in names:
        stored = text.paragraphs(row.description) if row else ""
        fields["description"] = form_fields.description(inputs, stored)
    if names & _COORDINATES:
        fields |= {name: form_fields.text(inputs, name) or None for name in _COORDINATES}
    fields |= {name: bool(fields[name]) for name in _FLAGS & names}
    if "parent" in names:
        fields["parent"] = fields["parent"] or 0
    return fields
