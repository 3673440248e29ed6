"""The OpenAPI 3.1 document that describes the interface, from the routes and `schemas/`."""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Protocol, cast

from calendar_api import __version__
from calendar_api.contract.openapi.data import COMPONENTS, EXAMPLES, TERMS, TEXTS, Components, Json, Ref, Verb
from calendar_api.contract.openapi.responses import Responses
from calendar_api.contract.openapi.schemas import Schemas, form_encoding
from calendar_api.contract.schemas import Schema, schema
from calendar_api.domain.translation import LANGUAGES, Translate

_ABOUT = ("about", "about.addresses", "about.reading", "about.lists", "about.writing", "about.errors")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_VERBS: dict[str, Verb] = {"DELETE": "delete", "HEAD": "head", "OPTIONS": "describe"}
_OPTIONAL_SIGN_IN: list[dict[str, list[str]]] = [{}, {"basic": []}, {"bearer": []}]
_SIGN_IN: list[dict[str, list[str]]] = [{"basic": []}, {"bearer": []}]
_HEADERS: dict[Verb, str] = {
    "list": "If-None-Match",
    "read": "If-None-Match",
    "create": "Idempotency-Key",
    "update": "If-Match",
    "delete": "If-Match",
}


class Route(Protocol):
    """What the document needs to know of a resource."""

    noun: str
    plural: str
    methods: tuple[str, ...]
    formats: tuple[str, ...]


@dataclass(frozen=True)
class PathItem:
    """A path and its resource; `plural` is "" if there are no records, `formats` is () for JSON alone."""

    path: str
    noun: str
    plural: str = ""
    methods: tuple[str, ...] = ("GET",)
    formats: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The variable of the path: "id", "slug", or "" for none."""
        return next((name for name in ("id", "slug") if f"{{{name}}}" in self.path), "")

    @property
    def is_feed(self) -> bool:
        return "{format}" in self.path

    def verb(self, method: str) -> Verb:
        if method == "GET":
            return "list" if self.plural and not self.key else "read"
        if method == "POST" and not self.key:
            return "create"
        return _VERBS.get(method, "update")

    def operation_id(self, method: str) -> str:
        verb = self.verb(method)
        is_list = self.plural and not self.key and verb != "create"
        name = (self.plural if is_list else self.noun).capitalize()
        name += ("Feed" if self.is_feed else "") + ("BySlug" if self.key == "slug" else "")
        return verb + name + (f"With{method.capitalize()}" if verb == "update" and method != "PATCH" else "")


class Description:
    """Builds the document once for each language; `routes` maps path templates to resources, in order."""

    def __init__(self, routes: Mapping[str, type[Route]], per_page: int, per_page_max: int) -> None:
        found = [
            PathItem(re.sub(r":[^}]+\}", "}", path), one.noun, one.plural, one.methods, one.formats)
            for path, one in routes.items()
        ]
        self.items = [PathItem("/doc", "doc"), *found, PathItem("/", "index")]
        self.paging: Json = {"default": per_page, "maximum": per_page_max}
        self.content = lru_cache(maxsize=len(LANGUAGES))(self._content)

    def document(self, root: str, translate: Translate) -> Json:
        """The document in the language of `translate`; `root` is the URL of the namespace for this client."""
        info = {
            "title": translate(TEXTS["title"]),
            "version": __version__,
            "description": "\n\n".join(translate(TEXTS[name]) for name in _ABOUT),
        }
        return {"openapi": "3.1.0", "info": info, "servers": [{"url": root}], **self.content(translate)}

    def _content(self, translate: Translate) -> Json:
        """Everything that does not depend on the URL."""
        components = Components(translate)
        operations = Operations(components, self.paging)
        paths = {item.path: operations.at(item) for item in self.items}
        nouns = dict.fromkeys("index" if item.noun == "doc" else item.noun for item in self.items)
        tags = [{"name": noun, "description": components.text(f"tag.{noun}")} for noun in nouns]
        return {"tags": tags, "paths": paths, "components": components.parts}


class Operations:
    """Describes the operations of paths, and adds what they refer to to the components."""

    def __init__(self, components: Components, paging: Json) -> None:
        self.components, self.paging, self.text = components, paging, components.text
        self.parameter = partial(components.add, "parameters")
        self.schemas = Schemas(components)
        self.responses = Responses(components, self.schemas)

    def at(self, item: PathItem) -> Json:
        """The operations of one path by method."""
        described = {method.lower(): self._operation(item, method) for method in item.methods}
        get = described["get"]
        described["head"] = {
            **get,
            "operationId": item.operation_id("HEAD"),
            "summary": self.text("summary.head", summary=str(get["summary"])),
            "description": self.text("explain.head"),
            "responses": self.responses.of_head(cast(dict[str, Ref], get["responses"])),
        }
        return {**described, "options": self._operation(item, "OPTIONS")}

    def _operation(self, item: PathItem, method: str) -> Json:
        verb = item.verb(method)
        operation: Json = {
            "operationId": item.operation_id(method),
            "tags": ["index" if item.noun == "doc" else item.noun],
            "summary": self._summary(item, method),
            "description": self._explanation(item, verb),
            "parameters": self._parameters(item, method),
        }
        if verb in ("create", "update"):
            operation["requestBody"] = self._body(item.noun, verb)
        formats = (item.formats if verb in ("list", "read") else ()) or ("json",)
        keyed = bool(item.key)
        operation["responses"] = self.responses.of(verb, item.noun, item.plural, keyed=keyed, formats=formats)
        operation["security"] = _OPTIONAL_SIGN_IN if verb in ("list", "read", "describe") else _SIGN_IN
        return operation

    def _summary(self, item: PathItem, method: str) -> str:
        verb = item.verb(method)
        if verb == "describe":
            return self.text("summary.describe", path=item.path)
        summary = self.text(f"{item.noun}.{verb}")
        if item.is_feed:
            summary = self.text("summary.feed", summary=summary)
        if item.key == "slug":
            summary = self.text("summary.by-slug", summary=summary)
        return f"{summary} ({method})" if verb == "update" and method != "PATCH" else summary

    def _explanation(self, item: PathItem, verb: Verb) -> str:
        family = "term" if item.noun in TERMS else "event" if item.noun == "event" else "linked"
        names = [f"explain.{verb}", f"explain.{verb}.{family}"]
        if not item.plural and verb == "read":
            names = [f"explain.{item.noun}"]
        elif item.is_feed and verb != "describe":
            names = [f"explain.feed.{verb}", f"explain.feed.{verb}.{family}"]
        elif (verb, family) == ("delete", "term"):
            names = ["explain.delete.term"]
        elif (verb, family, item.key) == ("update", "event", "slug"):
            names.append("explain.update.by-slug")
        return " ".join(self.text(name) for name in names if name in TEXTS)

    def _parameters(self, item: PathItem, method: str) -> list[Ref]:
        verb = item.verb(method)
        found = [self._shared(item.key)] if item.key else []
        if item.is_feed:
            found.append(self._format(item))
        if item.plural and verb == "list":
            found += self._query(item.noun, "query", without={"format"} if item.is_feed else ())
        elif item.noun == "event" and (verb == "read" or (verb, item.key) == ("delete", "id")):
            found += self._query("event", "read")
        elif (item.noun, verb) == ("index", "read"):
            found += [self._shared("namespace"), self._shared("context")]
        if not item.is_feed:
            found.append(self._shared("_fields"))
        if method == "POST":
            found += [self._shared("X-HTTP-Method-Override"), self._shared("_method")]
        if verb in _HEADERS:
            found.append(self._shared(_HEADERS[verb]))
        return found

    def _format(self, item: PathItem) -> Ref:
        enum = {"type": "string", "enum": list(item.formats)}
        shared = self.components.translated(COMPONENTS["parameters"]["format"])
        name = f"{item.noun}.{'read' if item.key else 'list'}.format"
        return self.parameter(name, {"name": "format", **shared, "schema": enum})

    def _query(self, noun: str, role: str, without: Container[str] = ()) -> list[Ref]:
        rules = {name: rule for name, rule in schema(noun, role)["properties"].items() if name not in without}
        if "per_page" in rules:
            rules["per_page"] = cast(Schema, {**rules["per_page"], **self.paging})
        return [
            self.parameter(f"{noun}.{role}.{name}", self.schemas.query_parameter(name, rule))
            for name, rule in rules.items()
        ]

    def _shared(self, name: str) -> Ref:
        """A parameter of `components.json`."""
        described = self.components.translated(COMPONENTS["parameters"][name])
        return self.parameter(name, {"name": name, **described})

    def _body(self, noun: str, verb: Verb) -> Ref:
        name, description = f"{noun}.{verb}", self.text(f"body.{verb}")
        example = self.components.example(f"body.{name}", description, EXAMPLES[noun][verb])
        examples = {"example": example}
        form = {"schema": self.schemas.form(noun, verb), "examples": examples}
        if encoding := form_encoding(noun):
            form["encoding"] = encoding
        content = {"application/json": {"schema": self.schemas.ref(noun, verb), "examples": examples}}
        content |= dict.fromkeys(_FORMS, form)
        body: Json = {"description": description, "content": content, "required": verb == "create"}
        return self.components.add("requestBodies", name, body)
