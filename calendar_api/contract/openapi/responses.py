"""Responses of the OpenAPI document: for each status its schema, headers and examples."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from calendar_api.contract import schemas
from calendar_api.contract.openapi.data import (
    ERRORS,
    EXAMPLES,
    FEEDS,
    TERMS,
    TEXTS,
    ErrorEntry,
    Json,
    Ref,
    Verb,
)
from calendar_api.contract.openapi.schemas import Schemas
from calendar_api.domain.errors import ApiError, InvalidParameters
from calendar_api.domain.feed_formats import MEDIA_TYPES
from calendar_api.domain.translation import Translate

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
    """Collects the components `responses` and `examples` that operations refer to."""

    def __init__(self, translate: Translate, schemas: Schemas) -> None:
        self.translate = translate
        self.schemas = schemas
        self.responses: dict[str, Json] = {}
        self.examples: Json = {}

    def of(
        self, verb: Verb, noun: str, plural: str, *, keyed: bool, formats: tuple[str, ...]
    ) -> dict[str, Ref]:
        """The responses of an operation by status; `formats` are those of a success, such as "json"."""
        status = 201 if verb == "create" else 200
        name = f"{noun}.{verb}.{status}" if "json" in formats else f"{noun}.{verb}.feed.200"
        found = {str(status): self._register(name, self._success(status, verb, noun, plural, formats))}
        if verb in ("list", "read"):
            found["304"] = self._register("304", self._response(304, ("ETag", "X-Request-Id")))
        for error_status, group in groupby(errors(verb, noun, keyed=keyed), key=lambda error: error.status):
            same_status = list(group)
            name = _response_name(verb, noun, same_status)
            found[str(error_status)] = self._register(name, self._failure(same_status))
        return found

    def of_head(self, responses: Mapping[str, Ref]) -> dict[str, Ref]:
        """The same responses without content."""
        bare = {}
        for status, reference in responses.items():
            name = reference["$ref"].rpartition("/")[2]
            response = {key: value for key, value in self.responses[name].items() if key != "content"}
            has_content = "content" in self.responses[name]
            bare[status] = self._register(f"head.{name}", response) if has_content else reference
        return bare

    def _success(self, status: int, verb: Verb, noun: str, plural: str, formats: tuple[str, ...]) -> Json:
        content: dict[str, Json] = {}
        for format in formats:
            name, schema, example = (
                self._content(verb, noun, plural)
                if format == "json"
                else (f"{noun}.{format}", _JSON_LD if format == "jsonld" else _TEXT, FEEDS[noun][format])
            )
            self.examples[name] = {"summary": self._text("answer.200"), "value": example}
            content |= _content(MEDIA_TYPES.get(format, "application/json"), schema, {"example": name})
        file = () if "json" in formats else ("Content-Disposition",)
        headers = ("Allow", *_SUCCESS_HEADERS.get(verb, ()), *file, "Link", "X-Request-Id")
        return {**self._response(status, headers), "content": content}

    def _content(self, verb: Verb, noun: str, plural: str) -> tuple[str, Ref, Json]:
        """Name, schema and example of the body of a success."""
        examples = EXAMPLES
        if verb == "describe" or noun in _ROLE_WITHOUT_RECORDS:
            role = "route" if verb == "describe" else _ROLE_WITHOUT_RECORDS[noun]
            return f"index.{role}", self.schemas.ref("index", role), examples["index"][role]
        record = examples[noun]["record"]
        short = {key: value for key, value in record.items() if key not in ("json_ld", "_links")}
        if verb == "list":
            return f"{noun}.list", self.schemas.ref(noun, "archive"), _archive(noun, plural, short)
        schema = self.schemas.ref(noun, "record")
        if verb == "delete":
            return f"{noun}.deleted", schema, short if noun in TERMS else {**short, "status": "trash"}
        if verb == "read":
            return f"{noun}.read", schema, record
        return f"{noun}.stored", schema, {key: value for key, value in record.items() if key != "json_ld"}

    def _failure(self, errors: list[Error]) -> Json:
        status = errors[0].status
        descriptions = [self._text(f"answer.{status}")]
        for error in errors:
            description = self.translate(error.description)
            self.examples[error.example] = {"summary": description, "value": error.body}
            descriptions.append(f"`{error.code}`: {description}")
        codes = {"properties": {"code": {"type": "string", "enum": [error.code for error in errors]}}}
        schema: Json = {"allOf": [self.schemas.ref("error", "error"), codes]}
        return {
            **self._response(status, (*_ERROR_HEADERS.get(status, ()), "X-Request-Id")),
            "description": "\n\n".join(descriptions),
            "content": _content("application/json", schema, {one.code: one.example for one in errors}),
        }

    def _response(self, status: int, headers: Iterable[str]) -> Json:
        return {
            "description": self._text(f"answer.{status}"),
            "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers},
        }

    def _text(self, name: str) -> str:
        return self.translate(TEXTS[name])

    def _register(self, name: str, response: Json) -> Ref:
        self.responses[name] = response
        return {"$ref": f"#/components/responses/{name}"}


def _response_name(verb: Verb, noun: str, errors: list[Error]) -> str:
    """Responses that are the same for all operations share a name."""
    status = errors[0].status
    if len(errors) == 1:
        return errors[0].example
    return str(status) if status == 503 else f"{noun}.{verb}.{status}"


def _content(media_type: str, schema: Mapping[str, object], examples: Mapping[str, str]) -> dict[str, Json]:
    references = {label: {"$ref": f"#/components/examples/{name}"} for label, name in examples.items()}
    return {media_type.partition(";")[0]: {"schema": schema, "examples": references}}


def _archive(noun: str, plural: str, record: Json) -> Json:
    """A list with this one record, in the order of the schema."""
    found = {plural: [record], "rest_url": f"{_ROOT}/{plural}/", "total": 1, "total_pages": 1}
    return {key: found[key] for key in schemas.schema(noun, "archive")["properties"] if key in found}
