"""Parts of `schemas/` as the interface description shows them: translated, without our own keywords."""

from itertools import chain
from typing import Any

from calendar_api.contract import schemas
from calendar_api.contract.openapi.texts import TEXTS
from calendar_api.domain.translation import Translate

Json = Any

_OURS = ("x-cast", "x-accepts", "x-declared")
_LISTS = ("list", "venue", "organizer")
_TYPES = {bool: "boolean", int: "integer", str: "string"}
_OF_NUMBERS = ("minimum", "exclusiveMinimum", "maximum")
_KEYWORDS = {
    "string": ("minLength", "maxLength", "pattern", "format", "not", "enum"),
    "integer": _OF_NUMBERS,
    "number": _OF_NUMBERS,
    "array": ("items", "minItems", "maxItems"),
    "object": ("properties", "required", "additionalProperties"),
}


class Schemas:
    """Collects in `copied` whatever is referred to, as "event.record", with what that refers to in turn."""

    def __init__(self, say: Translate) -> None:
        self.say = say
        self.copied: Json = {}

    def ref(self, noun: str, role: str) -> Json:
        name = f"{noun}.{role}"
        if name not in self.copied:
            self.copied[name] = {}  # a schema may refer to itself
            part = schemas.document(noun)["$defs"][role]
            # Generators want an object where a body refers to one, not another reference.
            self.copied[name] = self._inlined(part, noun) if "$ref" in part else self._copy(part, noun)
        return {"$ref": f"#/components/schemas/{name}"}

    def form(self, noun: str, role: str) -> Json:
        """The same for forms, by another name: generated clients choose the type of a body by its class."""
        name = f"{noun}.{role}"
        self.ref(noun, role)
        self.copied[f"{name}.form"] = self.copied[name]
        return {"$ref": f"#/components/schemas/{name}.form"}

    def _copy(self, part: Any, noun: str) -> Any:
        if isinstance(part, list):
            return [self._copy(item, noun) for item in part]
        if not isinstance(part, dict):
            return part
        if "$ref" not in part:
            return self._described(part, _divided(self._members(part, noun)))
        # Generators ignore what stands beside a reference, unless it is a description.
        if part.keys() - {"$ref", "description", *_OURS}:
            return self._inlined(part, noun)
        return self._described(part, self.ref(*_target(part, noun)))

    def _inlined(self, part: Json, noun: str) -> Json:
        """A reference replaced by what it refers to; the keywords beside it take precedence."""
        file, role = _target(part, noun)
        target = schemas.document(file)["$defs"][role]
        members = {**self._members(target, file), **self._members(part, noun)}
        return self._described({**target, **part}, _divided(members))

    def _members(self, part: Json, noun: str) -> Json:
        members = {key: value for key, value in part.items() if key not in (*_OURS, "$ref")}
        return {
            key: self._members(value, noun) if key == "properties" else self._copy(value, noun)
            for key, value in members.items()
        }

    def _described(self, part: Json, copied: Json) -> Json:
        told = self.description(part)
        return {**copied, "description": told} if told else copied

    def description(self, part: Json) -> str:
        """What a schema means and what it takes; "" for one that says neither."""
        meaning, accepts = part.get("description"), part.get("x-accepts")
        told = [self.say(meaning)] if isinstance(meaning, str) else []
        if isinstance(accepts, str):
            told.append(self.say(TEXTS["takes"]).format(accepts=self.say(accepts)))
        return " ".join(told)

    def query_parameter(self, name: str, rule: Json) -> Json:
        """A parameter of a query string from its rule, which must have every `$ref` written out."""
        schema = self._copy(
            {key: value for key, value in rule.items() if key not in ("description", *_OURS)}, ""
        )
        if schema["type"] == "boolean":  # in an address, 1 and 0 are not told from true and false
            schema |= {"type": ["boolean", "integer"], "minimum": 0, "maximum": 1}
        listed = {"style": "form", "explode": False} if schema["type"] == "array" else {}
        described = {"description": self.description(rule), "required": False}
        return {"name": name, "in": "query", **described, **listed, "schema": schema}


def _target(part: Json, noun: str) -> tuple[str, str]:
    """File and role that a reference of the file `noun` means."""
    file, _, role = part["$ref"].partition("#/$defs/")
    return file.removesuffix(".json") or noun, role


def _divided(schema: Json) -> Json:
    """The same schema in the words that generators of clients understand.

    They want a type beside `const` and `enum`, ignore `if`, take an object without properties for an empty
    one, and apply the keywords of one of several types to the others.
    """
    if "if" in schema:
        then, otherwise = schema["then"], schema["else"]
        return _any_of([then if "$ref" in then else {**schema["if"], **then}, otherwise])
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if values and "type" not in schema:
        return {"type": _TYPES[type(values[0])], **schema}
    if schema.get("type") == "object" and not schema.keys() & {"properties", "additionalProperties"}:
        return {**schema, "additionalProperties": True}
    types = schema.get("type", "")
    if isinstance(types, str) or (len(types) == 2 and "null" in types):
        return schema
    parts = [
        {"type": name, **{key: schema[key] for key in _KEYWORDS.get(name, ()) if key in schema}}
        for name in types
    ]
    divided = {"type", *chain.from_iterable(_KEYWORDS.values())}
    rest = {key: value for key, value in schema.items() if key not in divided}
    return {**rest, **_any_of([_divided(part) for part in parts])}


def _any_of(schemas: list[Json]) -> Json:
    return {"anyOf": [part for schema in schemas for part in schema.get("anyOf", [schema])]}


def form_encoding(noun: str) -> Json:
    """Which fields of a form are lists with commas between."""
    properties = schemas.schema(noun, "fields")["properties"]
    return {
        name: {"style": "form", "explode": False}
        for name, rule in properties.items()
        if rule.get("x-cast") in _LISTS
    }
