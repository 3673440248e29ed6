"""Load `schemas/`: one file per noun, whose `$defs` are its roles (`create`, `query`, `record` ...)."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import TypedDict, cast

_PLAIN_TEXT = "common.json#/$defs/line"


#: An argument of a route as `GET /` describes it.
Argument = dict[str, object]
Schema = TypedDict(
    "Schema",
    {
        "$ref": str,
        "type": str | list[str],
        "description": str,
        "default": object,
        "const": object,
        "enum": list[object],
        "format": str,
        "maxLength": int,
        "minimum": float,
        "maximum": float,
        "maxItems": int,
        "items": "Schema",
        "properties": dict[str, "Schema"],
        "required": list[str],
        "x-accepts": str,
        "x-cast": str,
        "x-declared": Argument,
    },
    total=False,
)
"""The keywords that our code reads; jsonschema reads the others as well."""

Document = TypedDict("Document", {"$defs": dict[str, Schema]})


def folder() -> Path:
    """The folder of the schema files: inside the installed package, or at the top of a checkout."""
    package = Path(__file__).parents[1]
    return next(path for path in (package / "schemas", package.parent / "schemas") if path.is_dir())


@cache
def document(noun: str) -> Document:
    """Load `schemas/<noun>.json`. `record` gets the plain text fields that only `fields` names."""
    loaded: Document = json.loads((folder() / f"{noun}.json").read_text("utf-8"))
    roles = loaded["$defs"]
    if "fields" in roles and "record" in roles:
        roles["record"]["properties"] = _with_plain_texts(roles["record"]["properties"], roles["fields"])
    return loaded


@cache
def schema(noun: str, role: str) -> Schema:
    """One role of a noun with every `$ref` replaced by its target."""
    return cast(Schema, _resolved(document(noun)["$defs"][role], noun))


@cache
def read_parameters() -> frozenset[str]:
    """Names of all query parameters that a GET of any route reads."""
    names = {"_fields", "_method", "namespace", "rest_route"}
    for path in folder().glob("*.json"):
        roles = document(path.stem).get("$defs", {})
        for role in ("query", "read"):
            names |= roles.get(role, {}).get("properties", {}).keys()
    return frozenset(names)


def target(reference: str, noun: str) -> tuple[str, str]:
    """File and role that a `$ref` in the file `noun` points to."""
    file, _, role = reference.partition("#/$defs/")
    return file.removesuffix(".json") or noun, role


def _with_plain_texts(record: dict[str, Schema], fields: Schema) -> dict[str, Schema]:
    """Add the plain text fields after `image`."""
    shown: dict[str, Schema] = {}
    for name, rule in record.items():
        shown[name] = rule
        if name == "image":
            for field, sent in fields["properties"].items():
                if field not in record and sent.get("$ref") == _PLAIN_TEXT:
                    shown[field] = {"type": "string", "description": sent["description"]}
    return shown


def _resolved(part: object, noun: str) -> object:
    if isinstance(part, list):
        return [_resolved(item, noun) for item in part]
    if not isinstance(part, dict):
        return part
    own = {key: _resolved(value, noun) for key, value in part.items() if key != "$ref"}
    return {**deepcopy(schema(*target(part["$ref"], noun))), **own} if "$ref" in part else own
