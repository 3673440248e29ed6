"""Parts of `schemas/` as the interface description shows them: translated, without our own keywords."""

from typing import Any

from calendar_api import validation
from calendar_api.messages import Translate
from calendar_api.openapi_texts import TEXTS

Json = dict[str, Any]

_OURS = ("x-cast", "x-accepts", "x-declared")
_LISTS = ("list", "venue", "organizer")


class Schemas:
    """Collects in `copied` whatever is referred to, as "event.record", with what that refers to in turn."""

    def __init__(self, say: Translate) -> None:
        self.say = say
        self.copied: Json = {}

    def ref(self, noun: str, role: str) -> Json:
        name = f"{noun}.{role}"
        if name not in self.copied:
            self.copied[name] = {}  # a schema may refer to itself
            self.copied[name] = self._copy(validation.document(noun)["$defs"][role], noun)
        return {"$ref": f"#/components/schemas/{name}"}

    def _copy(self, part: Any, noun: str) -> Any:
        if isinstance(part, list):
            return [self._copy(item, noun) for item in part]
        if not isinstance(part, dict):
            return part
        copied = {key: self._copy(value, noun) for key, value in part.items() if key not in (*_OURS, "$ref")}
        if "$ref" in part:
            file, _, role = part["$ref"].partition("#/$defs/")
            copied = {**self.ref(file.removesuffix(".json") or noun, role), **copied}
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
        schema = {key: value for key, value in rule.items() if key not in (*_OURS, "description")}
        if "items" in schema:
            schema["items"] = {key: value for key, value in schema["items"].items() if key not in _OURS}
        if schema["type"] == "boolean":  # in an address, 1 and 0 are not told from true and false
            schema |= {"type": ["boolean", "integer"], "minimum": 0, "maximum": 1}
        listed = {"style": "form", "explode": False} if schema["type"] == "array" else {}
        described = {"description": self.description(rule), "required": False}
        return {"name": name, "in": "query", **described, **listed, "schema": schema}


def form_encoding(noun: str) -> Json:
    """Which fields of a form are lists with commas between."""
    properties = validation.schema(noun, "fields")["properties"]
    return {
        name: {"style": "form", "explode": False}
        for name, rule in properties.items()
        if rule.get("x-cast") in _LISTS
    }
