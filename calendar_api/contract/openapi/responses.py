"""Responses of the OpenAPI document: for each status its schema, headers and examples."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from calendar_api.contract import schemas
from calendar_api.contract.openapi.data import (
    ERRORS,
    EXAMPLES,
    FEEDS,
    TERMS,
    Components,
    ErrorEntry,
    Json,
    Ref,
    Verb,
)
from calendar_api.contract.openapi.schemas import Schemas
from calendar_api.domain.errors import ApiError, InvalidParameters
from calendar_api.domain.feed_formats import MEDIA_TYPES

_SUCCESS_HEADERS: dict[Verb, tuple[str, ...]] = {
    "list": ("ETag", "X-TEC-Total", "X-TEC-TotalPages"),
    "create": ("ETag", "Location"),
    "read": ("ETag",),
    "update": ("ETag",),
}
_ERROR_HEADERS = {401: ("WWW-Authenticate",), 405: ("Allow",), 429: ("Retry-After",), 503: ("Retry-After",)}
_ROLE_WITHOUT_RECORDS = {"doc": "document", "index": "record"}
_OBJECT: Json = {"type": "object", "additionalProperties": True}
_TEXT: Json = {"type": "string"}
_JSON_LD: Json = {
    **_OBJECT,
    "properties": {"@context": {"type": "string"}, "@graph": {"type": "array", "items": _OBJECT}},
}
_ROOT = "https://calendar.example.org/calendar/events/v1"


@dataclass(frozen=True)
class Error:
    """An error that an operation can answer with."""

    status: int
    code: str
    example: str  # its name
    description: str
    body: Json


def errors(verb: Verb, noun: str, *, keyed: bool) -> list[Error]:
    """All errors of an operation, by status and code; `keyed` says whether its path names a record."""
    found = [
        _error(entry, noun)
        for entry in ERRORS
        if verb in entry.get("verbs", [verb])
        and noun in entry.get("nouns", [noun])
        and (keyed or "keyed" not in entry)
    ]
    return sorted(found, key=lambda error: (error.status, error.code))


def _error(entry: ErrorEntry, noun: str) -> Error:
    status, code = entry["status"], entry["code"].replace("{noun}", noun)
    example = f"{status}.{code}"
    error: ApiError
    if code == "rest_missing_callback_param":
        error = InvalidParameters({}, missing=tuple(schemas.schema(noun, "create")["required"]))
        example += f".{noun}"
    elif "params" in entry:
        error = InvalidParameters(entry["params"])
        error.code = code
        example += f".{next(iter(entry['params']))}" if code == InvalidParameters.code else ""
    else:
        error = ApiError(entry["message"], code=code, status=status, data=entry.get("data"))
    return Error(status, code, example, entry["description"], error.body())


class Responses:
    """Adds to the components the responses of operations, and their examples."""

    def __init__(self, components: Components, schemas: Schemas) -> None:
        self.components, self.schemas = components, schemas
        self.add = partial(components.add, "responses")

    def of(
        self, verb: Verb, noun: str, plural: str, *, keyed: bool, formats: tuple[str, ...]
    ) -> dict[str, Ref]:
        """The responses of an operation by status; `formats` are those of a success, such as "json"."""
        status = 201 if verb == "create" else 200
        name = f"{noun}.{verb}.{status}" if "json" in formats else f"{noun}.{verb}.feed.200"
        found = {status: self.add(name, self._success(status, verb, noun, plural, formats))}
        if verb in ("list", "read"):
            found[304] = self.add("304", self._response(304, ("ETag", "X-Request-Id")))
        failures = errors(verb, noun, keyed=keyed)
        if "json" not in formats:  # feeds mask protected events
            failures = [error for error in failures if error.status != 403]
        for error_status, group in groupby(failures, key=lambda error: error.status):
            same = list(group)
            # Responses that are the same for all operations share a name.
            name = str(error_status) if error_status == 503 else f"{noun}.{verb}.{error_status}"
            name = same[0].example if len(same) == 1 else name
            found[error_status] = self.add(name, self._failure(same))
        return {str(status): reference for status, reference in found.items()}

    def of_head(self, responses: Mapping[str, Ref]) -> dict[str, Ref]:
        """The same responses without content."""
        bare = {}
        for status, reference in responses.items():
            name = reference["$ref"].rpartition("/")[2]
            response = self.components.parts["responses"][name].copy()
            has_content = response.pop("content", None) is not None
            bare[status] = self.add(f"head.{name}", response) if has_content else reference
        return bare

    def _success(self, status: int, verb: Verb, noun: str, plural: str, formats: tuple[str, ...]) -> Json:
        content: dict[str, Json] = {}
        schema: Mapping[str, object]
        value: object
        for format in formats:
            if format == "json":
                name, schema, value = self._json(verb, noun, plural)
            else:
                name, value = f"{noun}.{format}", FEEDS[noun][format]
                schema = _JSON_LD if format == "jsonld" else _TEXT
            example = self.components.example(name, self.components.text("answer.200"), value)
            media_type = MEDIA_TYPES.get(format, "application/json").partition(";")[0]
            content[media_type] = {"schema": schema, "examples": {"example": example}}
        file = () if "json" in formats else ("Content-Disposition",)
        headers = ("Allow", *_SUCCESS_HEADERS.get(verb, ()), *file, "Link", "X-Request-Id")
        return {**self._response(status, headers), "content": content}

    def _json(self, verb: Verb, noun: str, plural: str) -> tuple[str, Mapping[str, object], Json]:
        """Name, schema and example of the body of a success."""
        if verb == "describe" or noun in _ROLE_WITHOUT_RECORDS:
            role = "route" if verb == "describe" else _ROLE_WITHOUT_RECORDS[noun]
            return f"index.{role}", self.schemas.ref("index", role), EXAMPLES["index"][role]
        record = EXAMPLES[noun]["record"]
        short = {key: value for key, value in record.items() if key not in ("json_ld", "_links")}
        if verb == "list":
            found = {plural: [short], "rest_url": f"{_ROOT}/{plural}/", "total": 1, "total_pages": 1}
            order = schemas.schema(noun, "archive")["properties"]
            shown = {key: found[key] for key in order if key in found}
            return f"{noun}.list", self.schemas.ref(noun, "archive"), shown
        schema = self.schemas.ref(noun, "record")
        if verb == "delete":
            return f"{noun}.deleted", schema, short if noun in TERMS else {**short, "status": "trash"}
        if verb == "read":
            return f"{noun}.read", schema, record
        return f"{noun}.stored", schema, {key: value for key, value in record.items() if key != "json_ld"}

    def _failure(self, errors: list[Error]) -> Json:
        status = errors[0].status
        descriptions, examples = [self.components.text(f"answer.{status}")], {}
        for error in errors:
            description = self.components.translate(error.description)
            examples[error.code] = self.components.example(error.example, description, error.body)
            descriptions.append(f"`{error.code}`: {description}")
        codes = {"properties": {"code": {"type": "string", "enum": [error.code for error in errors]}}}
        schema: Json = {"allOf": [self.schemas.ref("error", "error"), codes]}
        return {
            **self._response(status, (*_ERROR_HEADERS.get(status, ()), "X-Request-Id")),
            "description": "\n\n".join(descriptions),
            "content": {"application/json": {"schema": schema, "examples": examples}},
        }

    def _response(self, status: int, headers: Iterable[str]) -> Json:
        return {
            "description": self.components.text(f"answer.{status}"),
            "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers},
        }
