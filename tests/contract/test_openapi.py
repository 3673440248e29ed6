"""The OpenAPI document: valid, complete, and the same in every language except for its sentences."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from calendar_api import __version__
from calendar_api.contract import schemas
from calendar_api.contract.formats import checker
from calendar_api.contract.openapi import data
from calendar_api.contract.openapi.builder import Description
from calendar_api.domain import errors
from calendar_api.resources.routes import DESCRIBED
from tests.client import Client

Json = dict[str, Any]
ROOT = "http://localhost:80/calendar/events/v1"


@pytest.fixture(scope="module")
def document() -> Json:
    return Description(dict(DESCRIBED), 10, 50).document(ROOT, str)


def nodes(part: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Every object of a document with the way to it; examples are not looked into."""
    if isinstance(part, list):
        for number, item in enumerate(part):
            yield from nodes(item, *path, str(number))
    elif isinstance(part, dict):
        yield path, part
        for key, value in part.items():
            if key not in ("value", "examples"):
                yield from nodes(value, *path, key)


def resolved(document: Json, part: Json) -> Json:
    """What a reference points to; raises KeyError for one that points nowhere."""
    if "$ref" not in part:
        return part
    target: Any = document
    for step in part["$ref"].removeprefix("#/").split("/"):
        target = target[step]
    return resolved(document, target)


def operations(document: Json) -> list[Json]:
    return [operation for path in document["paths"].values() for operation in path.values()]


def without_sentences(part: Any) -> Any:
    if isinstance(part, list):
        return [without_sentences(item) for item in part]
    if not isinstance(part, dict):
        return part
    return {
        key: without_sentences(value)
        for key, value in part.items()
        if not (key in ("description", "summary", "title") and isinstance(value, str))
    }


def test_document_is_valid_openapi(document: Json) -> None:
    validate(document)
    own_keywords = {key for _, part in nodes(document) for key in part if key.startswith("x-")}
    assert own_keywords == set()
    assert document["openapi"] == "3.1.0"
    assert document["info"]["version"] == __version__
    assert list(document) == ["openapi", "info", "servers", "tags", "paths", "components"]


def test_document_that_is_served_is_the_one_that_is_checked(client: Client, document: Json) -> None:
    served = client.get("/doc", status=200).json
    assert served == document
    assert list(served["paths"]) == list(document["paths"])


def test_every_reference_points_to_something(document: Json) -> None:
    parts = [part for _, part in nodes(document)]
    references = [part for part in parts if isinstance(part.get("$ref"), str)]
    examples = [part["examples"] for part in parts if isinstance(part.get("examples"), dict)]
    shown = [one for some in examples for one in some.values() if "$ref" in one]
    assert all(isinstance(resolved(document, part), dict) for part in [*references, *shown])
    assert len(references) > 1000


def test_every_component_is_referred_to(document: Json) -> None:
    text, kinds = json.dumps(document), document["components"].keys() - {"securitySchemes"}
    named = [f'"#/components/{kind}/{name}"' for kind in kinds for name in document["components"][kind]]
    assert [one for one in named if one not in text] == []


def test_every_operation_is_described_with_its_parameters(document: Json) -> None:
    found = operations(document)
    groups = {tag["name"] for tag in document["tags"] if tag["description"]}

    assert len({operation["operationId"] for operation in found}) == len(found) == 97
    assert {tag for operation in found for tag in operation["tags"]} == groups
    for path, methods in document["paths"].items():
        for operation in methods.values():
            parameters = [resolved(document, part) for part in operation["parameters"]]
            named = [p["name"] for p in parameters if p["in"] == "path" and p["required"]]
            assert operation["summary"]
            assert operation["description"]
            assert [p["name"] for p in parameters if not (p["description"] and p["schema"])] == []
            assert len({(p["in"], p["name"]) for p in parameters}) == len(parameters)
            assert named == [name for name in ("id", "slug", "format") if f"{{{name}}}" in path]


def test_every_property_has_a_description(document: Json) -> None:
    lacking = [
        ".".join((*path, name))
        for path, part in nodes(document["components"]["schemas"])
        if isinstance(part.get("properties"), dict) and "type" in part
        for name, rule in part["properties"].items()
        if not ("description" in rule or "description" in resolved(document, rule))
    ]
    assert lacking == []


def named_schemas(document: Json) -> Iterator[tuple[str, Json]]:
    """Every schema of the document with the way to it; a property may have the name of a keyword."""
    for path, part in nodes(document):
        inside = {"schema", "schemas", "properties", "items", "additionalProperties", "not", "anyOf", "allOf"}
        if path[-1:] != ("properties",) and path[-1:] != ("schemas",) and inside.intersection(path[-2:]):
            yield ".".join(path), part


def test_every_value_that_is_named_has_its_type(document: Json) -> None:
    types, checked = {"boolean": bool, "integer": int, "string": str}, 0
    for path, part in named_schemas(document):
        for value in [*part.get("enum", ()), *([part["const"]] if "const" in part else ())]:
            assert type(value) is types.get(part.get("type")), path
            checked += 1
    assert checked > 50


def test_schemas_have_what_generators_need_and_nothing_that_they_misunderstand(document: Json) -> None:
    """Several types share the keywords of each other, and what stands beside a reference is not read."""
    for path, part in named_schemas(document):
        types = part["type"] if isinstance(part.get("type"), list) else [part.get("type")]
        assert "array" not in types or "items" in part, path
        assert "object" not in types or part.keys() & {"properties", "additionalProperties"}, path
        assert not part.keys() & {"if", "then", "else", "nullable"}, path
        assert "$ref" not in part or not part.keys() - {"$ref", "description"}, path
        assert "components.schemas" not in path or len(types) <= 2, path
        assert len(types) == 1 or {"null", "boolean"} & {*types}, path
    assert [name for name, part in document["components"]["schemas"].items() if "$ref" in part] == []


def test_no_body_has_a_default(document: Json) -> None:
    """A generated model sends the defaults, so that an update of one field would reset others."""
    bodies = ("create", "update", "create.form", "update.form")
    found = [
        "default" in part
        for path, part in nodes(document["components"]["schemas"])
        if "".join(path[:1]).partition(".")[2] in bodies
    ]
    assert (any(found), len(found) > 200) == (False, True)


def test_json_and_forms_have_schemas_of_their_own(document: Json) -> None:
    """A generated client chooses the type of the body by the class of what it is given."""
    assert sum("requestBody" in operation for operation in operations(document)) == 5 + 8 * 3
    for name, body in document["components"]["requestBodies"].items():
        found = {kind: one["schema"]["$ref"].rpartition("/")[2] for kind, one in body["content"].items()}
        schemas = document["components"]["schemas"]
        assert list(found) == ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"]
        assert list(found.values()) == [name, *[f"{name}.form"] * 2]
        assert schemas[name] == schemas[f"{name}.form"]


VALUES = (
    None, True, False, 0, 1, 7, -1, 2**63, 1.5, 91, "", "0", "1", "yes", "publish", "x" * 256, "x" * 70000,
    [], [1], ["a"], [None], [[]], ["a"] * 51, {}, {"id": 1}, {"id": 0}, [{"id": 1}], [{"id": 0}], [{}],
    [{"venue": "Hall"}], [{"venue": ""}], [{"organizer": "Ann"}], [{"city": "Rome"}], [0], [True],
)  # fmt: skip


@pytest.mark.parametrize("noun", ["event", "venue", "organizer", "category", "tag"])
@pytest.mark.parametrize("role", ["create", "update"])
def test_document_takes_what_the_service_takes(document: Json, noun: str, role: str) -> None:
    rules = schemas.schema(noun, role)
    shown = document["components"]["schemas"][f"{noun}.{role}"]
    assert shown.get("required") == rules.get("required")
    assert list(shown["properties"]) == list(rules["properties"])
    for name, rule in rules["properties"].items():
        validator = Draft202012Validator({**shown["properties"][name], "components": document["components"]})
        for value in VALUES:
            assert validator.is_valid(value) == Draft202012Validator(rule).is_valid(value), (name, value)


def test_feed_of_a_protected_event_is_masked_and_not_forbidden(document: Json) -> None:
    for key in ("{id}", "by-slug/{slug}"):
        answers = [document["paths"][f"/events/{key}{end}"]["get"]["responses"] for end in ("", ".{format}")]
        assert ["403" in some for some in answers] == [True, False]


def test_lists_in_the_query_have_commas_and_flags_take_numbers_too(document: Json) -> None:
    parameters = document["components"]["parameters"].values()
    lists = [p for p in parameters if p["schema"]["type"] == "array"]
    flags = [p for p in parameters if p["schema"]["type"] == ["boolean", "integer"]]
    names = {"categories", "tags", "venue", "organizer", "status", "include", "exclude"}
    assert {(p["style"], p["explode"]) for p in lists} == {("form", False)}
    assert {p["name"] for p in lists} == names
    assert {p["name"] for p in flags} == {"featured", "geoloc", "ticketed", "hide_empty"}
    assert [p["name"] for p in parameters if p["schema"]["type"] == "boolean"] == []


def test_every_example_keeps_to_its_schema(document: Json) -> None:
    checked = 0
    for path, part in nodes(document):
        if path[-2:-1] != ("content",):
            continue
        rules = {**part["schema"], "components": document["components"]}
        validator = Draft202012Validator(rules, format_checker=checker)
        assert part["examples"], path
        for name, example in part["examples"].items():
            problems = list(validator.iter_errors(resolved(document, example)["value"]))
            assert problems == [], (path, name)
            checked += 1

    assert checked > 100


def test_another_language_changes_sentences_only_and_all_of_them_are_used(
    document: Json,
) -> None:
    said = set()

    def translate(text: str) -> str:
        said.add(text)
        return f"»{text}«"

    other = Description(dict(DESCRIBED), 10, 50).document(ROOT, translate)

    assert without_sentences(other) == without_sentences(document)
    plain = [
        path
        for path, part in nodes(other)
        for key in ("description", "summary", "title")
        if isinstance(part.get(key), str) and "»" not in part[key]
    ]
    assert plain == []
    assert [name for name, text in data.TEXTS.items() if text not in said] == []
    parts = [*data.ERRORS, *(part for kind in data.COMPONENTS.values() for part in kind.values())]
    assert [part for part in parts if part["description"] not in said] == []


def test_example_of_an_error_is_its_body(document: Json) -> None:
    for error in (
        errors.NotAuthenticated(), errors.TooManyAttempts(300), errors.NotFound("venue"),
        errors.StorageFull(), errors.PageNotFound("event"), errors.Forbidden("", anonymous=True),
        errors.EventPasswordRequired(), errors.AlreadyInTrash("event"), errors.PreconditionFailed(),
        errors.TermExists("name", 2),
    ):  # fmt: skip
        example = document["components"]["examples"][f"{error.status}.{error.code}"]
        assert example["value"] == error.body()
