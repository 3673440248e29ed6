"""The argument tables of `GET /` and OPTIONS (docs/interface.md#argument-tables), from `x-declared`."""

from datetime import datetime, tzinfo

from calendar_api.contract import schemas
from calendar_api.contract.schemas import Argument, Schema
from calendar_api.domain import dates
from calendar_api.domain.translation import Translate

Table = dict[str, Argument]
_KEYS = {"id": "Id of the record.", "slug": "Slug of the record."}


class TableContext:
    """The language of the descriptions, and the defaults that `schemas/` cannot know."""

    def __init__(self, translate: Translate, per_page: int, zone: tzinfo, now: datetime) -> None:
        self.translate = translate
        start, end = dates.default_window(now, zone)
        self.defaults = {
            "{per_page}": str(per_page),
            "{window.start}": dates.text(start),
            "{window.end}": dates.text(end),
        }


def table(noun: str, role: str, context: TableContext) -> Table:
    """The arguments of one role of a noun, in the order of the schema."""
    rules = schemas.schema(noun, role)
    required = rules.get("required", ())
    return {
        name: _argument(rule, name in required, context)
        for name, rule in rules["properties"].items()
        if "x-declared" in rule
    }


def key(name: str, translate: Translate) -> Table:
    """The argument `id` or `slug` of a path."""
    kind = "integer" if name == "id" else "string"
    return {name: {"type": kind, "description": translate(_KEYS[name]), "required": True}}


def _argument(rule: Schema, required: bool, context: TableContext) -> Argument:
    argument = rule["x-declared"].copy()
    default = argument.get("default")
    if isinstance(default, str):
        argument["default"] = context.defaults.get(default, default)
    return {**argument, "description": context.translate(rule["description"]), "required": required}
