"""The argument tables of `GET /` and OPTIONS as clients know them (docs/interface.md#argument-tables).

They are declared in `schemas/` beside the true rules, as `x-declared`.
"""

from datetime import datetime, tzinfo
from typing import Any

from calendar_api.contract import schemas
from calendar_api.domain import dates
from calendar_api.domain.translation import Translate

Json = dict[str, Any]


def table(noun: str, role: str, surroundings: "TableContext") -> Json:
    """The arguments of one role of a noun, in the order of the schema."""
    rules = schemas.schema(noun, role)
    needed = rules.get("required", ())
    return {
        name: _attributes(name, rule, name in needed, surroundings)
        for name, rule in rules["properties"].items()
        if "x-declared" in rule
    }


def key(name: str, description: str, translate: Translate) -> Json:
    """The argument of a path: `id` or `slug`."""
    kind = "integer" if name == "id" else "string"
    return {name: {"type": kind, "description": translate(description), "required": True}}


def _attributes(name: str, rule: Json, needed: bool, surroundings: "TableContext") -> Json:
    declared = dict(rule["x-declared"])
    if declared.get("default") == "{per_page}":
        declared["default"] = str(surroundings.per_page)
    elif str(declared.get("default", "")).startswith("{window"):
        declared["default"] = surroundings.window[declared["default"]]
    return {**declared, "description": surroundings.translate(rule["description"]), "required": needed}


class TableContext:
    """What a table has to know beside the schema: the language, the page size, the window of this moment."""

    def __init__(self, translate: Translate, per_page: int, zone: tzinfo, now: datetime) -> None:
        self.translate = translate
        self.per_page = per_page
        start, end = dates.default_window(now, zone)
        self.window = {"{window.start}": dates.text(start), "{window.end}": dates.text(end)}
