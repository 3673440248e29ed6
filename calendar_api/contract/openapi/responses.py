"""Answers of the interface description: for each status its schema, headers and examples."""

import json
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from calendar_api.contract import schemas
from calendar_api.contract.openapi import errors as openapi_errors
from calendar_api.contract.openapi.errors import TERMS, Known
from calendar_api.contract.openapi.schemas import Schemas
from calendar_api.contract.openapi.texts import TEXTS
from calendar_api.domain.translation import Translate

Json = dict[str, Any]

HEADERS: Json = {
    "Allow": {"type": "string", "examples": ["GET, POST"]},
    "ETag": {"type": "string", "examples": ['"3a7bd3e2360a3d29eea436fcfb7e44c7"']},
    "Link": {"type": "string", "examples": ['<https://calendar.example.org/>; rel="https://api.w.org/"']},
    "Location": {
        "type": "string",
        "examples": ["https://calendar.example.org/calendar/events/v1/events/6"],
    },
    "Retry-After": {"type": "integer", "minimum": 0, "examples": [1]},
    "WWW-Authenticate": {"type": "string", "examples": ['Bearer realm="calendar"']},
    "X-Request-Id": {"type": "string", "examples": ["5f2d8a1c9b3e4f70"]},
    "X-TEC-Total": {"type": "integer", "minimum": 0, "examples": [1]},
    "X-TEC-TotalPages": {"type": "integer", "minimum": 0, "examples": [1]},
}
_LIST_HEADERS = ("X-TEC-Total", "X-TEC-TotalPages")
_OF_SUCCESS = {
    "list": ("ETag", *_LIST_HEADERS),
    "create": ("ETag", "Location"),
    "read": ("ETag",),
    "update": ("ETag",),
    "delete": (),
    "describe": (),
}
_OF_ERROR = {401: ("WWW-Authenticate",), 405: ("Allow",), 429: ("Retry-After",), 503: ("Retry-After",)}
_WITHOUT_NOUN = {"doc": "document", "index": "record"}


@cache
def examples() -> Json:
    """Records, requests and descriptions by noun and role."""
    path = Path(__file__).with_name("examples.json")
    known: Json = json.loads(path.read_text("utf-8"))
    return known


class Answers:
    """Collects in `responses` and `examples` what operations refer to."""

    def __init__(self, say: Translate, schemas: Schemas) -> None:
        self.say = say
        self.schemas = schemas
        self.responses: Json = {}
        self.examples: Json = {}

    def headers(self) -> Json:
        return {
            name: {"description": self.say(TEXTS[f"header.{name}"]), "required": True, "schema": schema}
            for name, schema in HEADERS.items()
        }

    def of(self, verb: str, noun: str, plural: str, *, has_key: bool) -> Json:
        """The answers of an operation by status."""
        status = 201 if verb == "create" else 200
        found = {str(status): self._registered(f"{noun}.{verb}.{status}", self._success(verb, noun, plural))}
        if verb in ("list", "read"):
            found["304"] = self._registered("304", self._answer(304, ("ETag", "X-Request-Id")))
        required = tuple(schemas.schema(noun, "create")["required"]) if verb == "create" else ()
        known = openapi_errors.of(verb, noun, has_key=has_key, required=required)
        for error_status, group in groupby(known, key=lambda error: error.example.status):
            errors = list(group)
            found[str(error_status)] = self._registered(_name(verb, noun, errors), self._failure(errors))
        return found

    def of_head(self, answers: Json) -> Json:
        """The same answers without their bodies."""
        bare = {}
        for status, answer in answers.items():
            name = answer["$ref"].rpartition("/")[2]
            whole = self.responses[name]
            without = {key: value for key, value in whole.items() if key != "content"}
            bare[status] = answer if without == whole else self._registered(f"head.{name}", without)
        return bare

    def _success(self, verb: str, noun: str, plural: str) -> Json:
        name, schema, example = self._shown(verb, noun, plural)
        self.examples[name] = {"summary": self.say(TEXTS["answer.200"]), "value": example}
        answer = self._answer(
            201 if verb == "create" else 200, ("Allow", *_OF_SUCCESS[verb], "Link", "X-Request-Id")
        )
        return {**answer, "content": _json(schema, {"example": name})}

    def _shown(self, verb: str, noun: str, plural: str) -> tuple[str, Json, Json]:
        """Name, schema and example of what a success carries."""
        if verb == "describe":
            return "index.route", self.schemas.ref("index", "route"), examples()["index"]["route"]
        if noun in _WITHOUT_NOUN:
            role = _WITHOUT_NOUN[noun]
            return f"index.{role}", self.schemas.ref("index", role), examples()["index"][role]
        record = examples()[noun]["record"]
        if verb == "list":
            listed = _without(record, "json_ld", "_links")
            return f"{noun}.list", self.schemas.ref(noun, "archive"), _archive(noun, plural, listed)
        schema = self.schemas.ref(noun, "record")
        if verb == "delete":
            trashed = {} if noun in TERMS else {"status": "trash"}
            return f"{noun}.deleted", schema, {**_without(record, "json_ld", "_links"), **trashed}
        if verb == "read":
            return f"{noun}.read", schema, record
        return f"{noun}.stored", schema, _without(record, "json_ld")

    def _failure(self, errors: list[Known]) -> Json:
        status = errors[0].example.status
        for error in errors:
            self.examples[error.name] = {
                "summary": self.say(TEXTS[error.meaning]),
                "value": _body(error),
            }
        codes = {"properties": {"code": {"type": "string", "enum": [error.example.code for error in errors]}}}
        schema = {"allOf": [self.schemas.ref("error", "error"), codes]}
        told = [f"`{error.example.code}`: {self.say(TEXTS[error.meaning])}" for error in errors]
        answer = self._answer(status, (*_OF_ERROR.get(status, ()), "X-Request-Id"))
        answer["description"] = "\n\n".join((answer["description"], *told))
        return {**answer, "content": _json(schema, {error.example.code: error.name for error in errors})}

    def _answer(self, status: int, headers: Iterable[str]) -> Json:
        return {
            "description": self.say(TEXTS[f"answer.{status}"]),
            "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers},
        }

    def _registered(self, name: str, answer: Json) -> Json:
        self.responses[name] = answer
        return {"$ref": f"#/components/responses/{name}"}


def _name(verb: str, noun: str, errors: list[Known]) -> str:
    """Answers that are alike everywhere share a name."""
    status = errors[0].example.status
    if len(errors) == 1:
        return errors[0].name
    if status == 503:
        return str(status)
    return f"{noun}.{verb}.{status}"


def _json(schema: Json, named: dict[str, str]) -> Json:
    shown = {label: {"$ref": f"#/components/examples/{name}"} for label, name in named.items()}
    return {"application/json": {"schema": schema, "examples": shown}}


def _body(error: Known) -> Json:
    body: Json = error.example.body()
    return body


def _without(record: Json, *names: str) -> Json:
    return {key: value for key, value in record.items() if key not in names}


def _archive(noun: str, plural: str, record: Json) -> Json:
    """A list with this one record, in the order of the schema."""
    known = {
        plural: [record],
        "rest_url": f"https://calendar.example.org/calendar/events/v1/{plural}/",
        "total": 1,
        "total_pages": 1,
    }
    return {key: known[key] for key in schemas.schema(noun, "archive")["properties"] if key in known}
