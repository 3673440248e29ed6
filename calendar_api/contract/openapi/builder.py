"""The description of the interface as an OpenAPI 3.1 document, made from the routes and `schemas/`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from calendar_api.contract import schemas
from calendar_api.contract.openapi.errors import TERMS
from calendar_api.contract.openapi.responses import Answers, examples
from calendar_api.contract.openapi.schemas import Schemas, form_encoding
from calendar_api.contract.openapi.texts import TEXTS
from calendar_api.domain.translation import LANGUAGES, Translate

Json = dict[str, Any]

INTERFACE_VERSION = "1.0.0"

_ABOUT = ("about", "about.addresses", "about.reading", "about.lists", "about.writing", "about.errors")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_EVERYBODY: list[Json] = [{}, {"basic": []}, {"bearer": []}]
_SIGNED_IN: list[Json] = [{"basic": []}, {"bearer": []}]
_HEADER_OF = {"list": "If-None-Match", "read": "If-None-Match", "create": "Idempotency-Key"}
_HEADER_OF |= {"update": "If-Match", "delete": "If-Match"}
_TEXT: Json = {"type": "string"}
_PARAMETERS: Json = {
    "id": ("path", {"type": "integer", "minimum": 1, "maximum": 2**63 - 1}),
    "slug": ("path", {"type": "string", "minLength": 1}),
    "_fields": ("query", _TEXT),
    "_method": ("query", {"type": "string", "enum": ["PUT", "PATCH", "DELETE"]}),
    "namespace": ("query", _TEXT),
    "context": ("query", _TEXT),
    "If-None-Match": ("header", _TEXT),
    "If-Match": ("header", _TEXT),
    "Idempotency-Key": ("header", {"type": "string", "minLength": 1, "maxLength": 255}),
    "X-HTTP-Method-Override": ("header", {"type": "string", "enum": ["PUT", "PATCH", "DELETE"]}),
}


class Route(Protocol):
    """What the document needs to know of a resource."""

    noun: str
    plural: str
    methods: tuple[str, ...]


@dataclass(frozen=True)
class PathItem:
    """A path and what is there; `plural` is "" for what is no record."""

    path: str
    noun: str
    plural: str
    methods: tuple[str, ...]

    @property
    def key(self) -> str:
        """By what a record is named: "id", "slug", or "" where none is."""
        return self.path.partition("{")[2].partition("}")[0]

    def verb(self, method: str) -> str:
        """What a method means here."""
        if method == "GET":
            return "list" if self.plural and not self.key else "read"
        if method == "POST" and not self.key:
            return "create"
        return {"DELETE": "delete", "HEAD": "head", "OPTIONS": "describe"}.get(method, "update")

    def operation_id(self, method: str) -> str:
        verb = self.verb(method)
        of_list = self.plural and not self.key and verb != "create"
        name = (self.plural if of_list else self.noun).capitalize() + ("BySlug" if self.key == "slug" else "")
        return verb + name + (f"With{method.capitalize()}" if verb == "update" and method != "PATCH" else "")


class Description:
    """Makes the document, once for each language; `routes` maps templates to resources, in order."""

    def __init__(self, routes: Mapping[str, type[Route]], per_page: int) -> None:
        found = [
            PathItem(re.sub(r":\w+\}", "}", template), resource.noun, resource.plural, resource.methods)
            for template, resource in routes.items()
        ]
        self.places = [PathItem("/doc", "doc", "", ("GET",)), *found, PathItem("/", "index", "", ("GET",))]
        self.per_page = per_page
        self.content = lru_cache(maxsize=len(LANGUAGES))(self._content)

    def document(self, root: str, say: Translate) -> Json:
        """The document for callers who know the namespace as `root` and read what `say` says."""
        info = {
            "title": say(TEXTS["title"]),
            "version": INTERFACE_VERSION,
            "description": "\n\n".join(say(TEXTS[name]) for name in _ABOUT),
        }
        return {"openapi": "3.1.0", "info": info, "servers": [{"url": root}], **self.content(say)}

    def _content(self, say: Translate) -> Json:
        """All that does not depend on the address."""
        operations = Operations(say, self.per_page)
        paths = {place.path: operations.at(place) for place in self.places}
        nouns = dict.fromkeys("index" if place.noun == "doc" else place.noun for place in self.places)
        return {
            "tags": [{"name": noun, "description": say(TEXTS[f"tag.{noun}"])} for noun in nouns],
            "paths": paths,
            "components": operations.components(),
        }


class Operations:
    """Describes the operations of places, and collects the components that these refer to."""

    def __init__(self, say: Translate, per_page: int) -> None:
        self.say = say
        self.per_page = per_page
        self.schemas = Schemas(say)
        self.answers = Answers(say, self.schemas)
        self.parameters: Json = {}
        self.bodies: Json = {}

    def at(self, place: PathItem) -> Json:
        """The operations of one path by method."""
        described = {method.lower(): self._operation(place, method) for method in place.methods}
        answers = self.answers.of_head(described["get"]["responses"])
        head = {**described["get"], "operationId": place.operation_id("HEAD"), "responses": answers}
        head["summary"] = self._text("summary.head", summary=head["summary"])
        head["description"] = self._text("explain.head")
        return {**described, "head": head, "options": self._operation(place, "OPTIONS")}

    def components(self) -> Json:
        return {
            "schemas": self.schemas.copied,
            "parameters": self.parameters,
            "requestBodies": self.bodies,
            "headers": self.answers.headers(),
            "responses": self.answers.responses,
            "examples": self.answers.examples,
            "securitySchemes": {
                scheme: {"type": "http", "scheme": scheme, "description": self._text(f"security.{scheme}")}
                for scheme in ("basic", "bearer")
            },
        }

    def _operation(self, place: PathItem, method: str) -> Json:
        verb = place.verb(method)
        described: Json = {
            "operationId": place.operation_id(method),
            "tags": ["index" if place.noun == "doc" else place.noun],
            "summary": self._summary(place, method),
            "description": self._explanation(place, verb),
            "parameters": self._parameters(place, method),
        }
        if verb in ("create", "update"):
            described["requestBody"] = self._body(place.noun, verb)
        return {
            **described,
            "responses": self.answers.of(verb, place.noun, place.plural, has_key=bool(place.key)),
            "security": _EVERYBODY if verb in ("list", "read", "describe") else _SIGNED_IN,
        }

    def _text(self, name: str, **values: str) -> str:
        said = self.say(TEXTS[name])
        return said.format(**values) if values else said

    def _summary(self, place: PathItem, method: str) -> str:
        verb = place.verb(method)
        if verb == "describe":
            return self._text("summary.describe", path=place.path)
        summary = self._text(f"{place.noun}.{verb}")
        if place.key == "slug":
            summary = self._text("summary.by-slug", summary=summary)
        return f"{summary} ({method})" if verb == "update" and method != "PATCH" else summary

    def _explanation(self, place: PathItem, verb: str) -> str:
        family = "term" if place.noun in TERMS else "event" if place.noun == "event" else "linked"
        names = [f"explain.{verb}", f"explain.{verb}.{family}"]
        if not place.plural and verb == "read":
            names = [f"explain.{place.noun}"]
        elif (verb, family) == ("delete", "term"):
            names = ["explain.delete.term"]
        elif (verb, family, place.key) == ("update", "event", "slug"):
            names.append("explain.update.by-slug")
        return " ".join(self._text(name) for name in names if name in TEXTS)

    def _parameters(self, place: PathItem, method: str) -> list[Json]:
        verb = place.verb(method)
        found = [self._shared(place.key)] if place.key else []
        if place.plural and verb == "list":
            found += self._query(place.noun, "query")
        elif place.noun == "event" and (verb == "read" or (verb, place.key) == ("delete", "id")):
            found += self._query("event", "read")
        elif (place.noun, verb) == ("index", "read"):
            found += [self._shared("namespace"), self._shared("context")]
        found.append(self._shared("_fields"))
        if method == "POST":
            found += [self._shared("X-HTTP-Method-Override"), self._shared("_method")]
        if verb in _HEADER_OF:
            found.append(self._shared(_HEADER_OF[verb]))
        return found

    def _query(self, noun: str, role: str) -> list[Json]:
        rules = schemas.schema(noun, role)["properties"]
        return [
            self._referred(f"{noun}.{role}.{name}", self._of_query(name, rule))
            for name, rule in rules.items()
        ]

    def _of_query(self, name: str, rule: Any) -> Json:
        described: Json = self.schemas.query_parameter(name, rule)
        if name == "per_page":
            described["schema"]["default"] = self.per_page
        return described

    def _shared(self, name: str) -> Json:
        place, schema = _PARAMETERS[name]
        described = {"name": name, "in": place, "description": self._text(f"parameter.{name}")}
        return self._referred(name, {**described, "required": place == "path", "schema": schema})

    def _referred(self, name: str, parameter: Json) -> Json:
        self.parameters[name] = parameter
        return {"$ref": f"#/components/parameters/{name}"}

    def _body(self, noun: str, verb: str) -> Json:
        name = f"{noun}.{verb}"
        self.answers.examples[f"body.{name}"] = {
            "summary": self._text(f"body.{verb}"),
            "value": examples()[noun][verb],
        }
        shown = {"example": {"$ref": f"#/components/examples/body.{name}"}}
        content: Json = {"application/json": {"schema": self.schemas.ref(noun, verb), "examples": shown}}
        for kind in _FORMS:
            encoding = {"encoding": form_encoding(noun)} if form_encoding(noun) else {}
            content[kind] = {"schema": self.schemas.form(noun, verb), "examples": shown, **encoding}
        self.bodies[name] = {
            "description": self._text(f"body.{verb}"),
            "content": content,
            "required": verb == "create",
        }
        return {"$ref": f"#/components/requestBodies/{name}"}
