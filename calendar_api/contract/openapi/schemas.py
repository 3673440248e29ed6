"""The schemas of the OpenAPI document: `schemas/` translated, without our own keywords."""

from collections.abc import Mapping
from itertools import chain
from typing import cast

from calendar_api.contract import schemas
from calendar_api.contract.openapi.data import Components, Json, Ref
from calendar_api.contract.schemas import Schema, target

Part = Mapping[str, object]

_OWN_KEYWORDS = ("x-cast", "x-accepts", "x-declared")
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
    """Adds to the components each role that is referred to, such as "event.record"."""

    def __init__(self, components: Components) -> None:
        self.translate, self.text = components.translate, components.text
        self.components = components.parts["schemas"]

    def ref(self, noun: str, role: str) -> Ref:
        name = f"{noun}.{role}"
        if name not in self.components:
            self.components[name] = {}  # a schema may refer to itself
            part = schemas.document(noun)["$defs"][role]
            # Generators expect a body to refer to an object, not to another reference.
            self.components[name] = self._inlined(part, noun) if "$ref" in part else self._object(part, noun)
        return {"$ref": f"#/components/schemas/{name}"}

    def form(self, noun: str, role: str) -> Ref:
        """The same under another name: generated clients choose the content type by the class of the body."""
        name = f"{noun}.{role}"
        self.ref(noun, role)
        self.components[f"{name}.form"] = self.components[name]
        return {"$ref": f"#/components/schemas/{name}.form"}

    def query_parameter(self, name: str, rule: Schema) -> Json:
        """A query parameter from its rule, which must not contain a `$ref`."""
        schema = self._object({key: value for key, value in rule.items() if key != "description"}, "")
        schema.pop("description", None)
        if schema["type"] == "boolean":  # the query string has no type for true: 1 means the same
            schema |= {"type": ["boolean", "integer"], "minimum": 0, "maximum": 1}
        style = {"style": "form", "explode": False} if schema["type"] == "array" else {}
        described = {"description": self._description(rule), "required": False}
        return {"name": name, "in": "query", **described, **style, "schema": schema}

    def _copy(self, part: object, noun: str) -> object:
        if isinstance(part, list):
            return [self._copy(item, noun) for item in part]
        return self._object(part, noun) if isinstance(part, dict) else part

    def _object(self, part: Part, noun: str) -> Json:
        if "$ref" not in part:
            return self._described(part, _simplified(self._members(part, noun)))
        # Generators ignore every keyword beside a reference except the description.
        if part.keys() - {"$ref", "description", *_OWN_KEYWORDS}:
            return self._inlined(part, noun)
        return self._described(part, dict(self.ref(*target(str(part["$ref"]), noun))))

    def _inlined(self, part: Part, noun: str) -> Json:
        """Replace a reference with its target; keywords beside the reference take precedence."""
        file, role = target(str(part["$ref"]), noun)
        referred = schemas.document(file)["$defs"][role]
        members = {**self._members(referred, file), **self._members(part, noun)}
        return self._described({**referred, **part}, _simplified(members))

    def _members(self, part: Part, noun: str) -> Json:
        return {
            key: self._members(cast(Part, value), noun) if key == "properties" else self._copy(value, noun)
            for key, value in part.items()
            if key not in (*_OWN_KEYWORDS, "$ref")
        }

    def _described(self, part: Part, copied: Json) -> Json:
        description = self._description(part)
        return {**copied, "description": description} if description else copied

    def _description(self, part: Part) -> str:
        """What a schema means and which values it accepts; "" for neither."""
        meaning, accepts = part.get("description"), part.get("x-accepts")
        sentences = [self.translate(meaning)] if isinstance(meaning, str) else []
        if isinstance(accepts, str):
            sentences.append(self.text("takes", accepts=self.translate(accepts)))
        return " ".join(sentences)


def form_encoding(noun: str) -> Json:
    """The encoding of form fields that take comma-separated lists."""
    return {
        name: {"style": "form", "explode": False}
        for name, rule in schemas.schema(noun, "fields")["properties"].items()
        if rule.get("x-cast") in _LISTS
    }


def _simplified(schema: Json) -> Json:
    """The same schema in keywords that client generators support.

    They require a type beside `const` and `enum`, ignore `if`, assume that an object without properties is
    empty, and apply the keywords of one of several types to the others.
    """
    if "if" in schema:
        condition, then, otherwise = (cast(Json, schema[key]) for key in ("if", "then", "else"))
        return _any_of([then if "$ref" in then else {**condition, **then}, otherwise])
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if isinstance(values, list) and values and "type" not in schema:
        return {"type": _TYPES[type(values[0])], **schema}
    if schema.get("type") == "object" and not schema.keys() & {"properties", "additionalProperties"}:
        return {**schema, "additionalProperties": True}
    types = schema.get("type")
    if not isinstance(types, list) or (len(types) == 2 and "null" in types):
        return schema
    parts = [
        {"type": name, **{key: schema[key] for key in _KEYWORDS.get(name, ()) if key in schema}}
        for name in types
    ]
    typed = {"type", *chain.from_iterable(_KEYWORDS.values())}
    rest = {key: value for key, value in schema.items() if key not in typed}
    return {**rest, **_any_of([_simplified(part) for part in parts])}


def _any_of(alternatives: list[Json]) -> Json:
    flat: list[object] = []
    for schema in alternatives:
        nested = schema.get("anyOf", [schema])
        flat += nested if isinstance(nested, list) else []
    return {"anyOf": flat}
