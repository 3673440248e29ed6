"""The schema files themselves: valid, closed, described, and quick to check."""

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from calendar_api.contract import coercion, schemas
from calendar_api.contract.formats import checker
from tests.processor_time import is_quick

FILES = ("category", "common", "error", "event", "index", "organizer", "tag", "venue")
NOUNS = ("category", "event", "organizer", "tag", "venue")
CASTS = {*coercion.BY_NAME, "venue", "organizer"}
OWN_WORDS = {"x-accepts", "x-cast", "x-declared"}
WORDS = OWN_WORDS | {
    "$defs", "$id", "$ref", "$schema", "additionalProperties", "anyOf", "const", "default", "description",
    "else", "enum", "exclusiveMinimum", "format", "if", "items", "maxItems", "maxLength", "maximum",
    "minItems", "minLength", "minimum", "not", "pattern", "properties", "required", "then", "title", "type",
}  # fmt: skip
ROLES = [(noun, role) for noun in NOUNS for role in ("fields", "query", "record")]


def parts(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a document that is a schema, with its path; names of properties are none, and what
    is declared beside a rule checks nothing."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from parts(item, f"{path}/{number}")
    elif isinstance(value, dict):
        if not path.endswith(("/properties", "/$defs")):
            yield path, value
        for name, item in value.items():
            if name != "x-declared":
                yield from parts(item, f"{path}/{name}")


EVERY_PART = [(file, path, part) for file in FILES for path, part in parts(schemas.document(file))]
PATTERNS = sorted({part["pattern"] for _, _, part in EVERY_PART if "pattern" in part})


def test_folder_holds_these_files_and_no_others() -> None:
    assert sorted(path.stem for path in schemas.folder().iterdir()) == sorted(FILES)


@pytest.mark.parametrize("file", FILES)
def test_file_is_a_valid_schema_and_names_nothing_twice(file: str) -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), names
        return dict(pairs)

    document = schemas.document(file)

    Draft202012Validator.check_schema(document)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["$id"] == f"{file}.json"
    assert document["title"]
    json.loads((schemas.folder() / f"{file}.json").read_text("utf-8"), object_pairs_hook=once)


def test_only_known_words_are_used() -> None:
    for file, path, part in EVERY_PART:
        assert re.search("/(default|const)", path) or part.keys() <= WORDS, (file, path)


def test_every_input_is_declared_except_the_key_of_a_list() -> None:
    for noun, role in [pair for pair in ROLES if pair[1] != "record"] + [("event", "read")]:
        rules = schemas.schema(noun, role)["properties"]
        silent = [name for name, rule in rules.items() if "x-declared" not in rule]
        assert silent == (["password"] if (noun, role) == ("event", "query") else [])


def test_references_stay_inside_the_folder_and_arrive() -> None:
    for file, path, part in EVERY_PART:
        match = re.fullmatch(r"(?:([a-z]+)\.json)?#/\$defs/(\w+)", part.get("$ref", "#/$defs/"))
        if "$ref" in part:
            assert match, (file, path)
            assert match[2] in schemas.document(match[1] or file)["$defs"], (file, path)


@pytest.mark.parametrize(("noun", "role"), [*ROLES, ("event", "read")])
def test_every_property_is_described_and_every_input_says_what_it_accepts(noun: str, role: str) -> None:
    properties = schemas.schema(noun, role)["properties"]
    assert properties
    assert [name for name, rule in properties.items() if not rule.get("description", "").endswith(".")] == []
    if role != "record":
        assert [name for name, rule in properties.items() if not rule.get("x-accepts")] == []


def test_every_description_of_a_record_requires_known_names() -> None:
    for file, path, part in EVERY_PART:
        if isinstance(part.get("required"), list) and "properties" in part:
            assert set(part["required"]) <= set(part["properties"]), (file, path)


def test_formats_and_casts_are_known() -> None:
    used_formats = {part["format"] for _, _, part in EVERY_PART if isinstance(part.get("format"), str)}
    used_casts = {part["x-cast"] for _, _, part in EVERY_PART if "x-cast" in part}
    assert used_formats == set(checker.checkers)
    assert used_casts == CASTS


def test_every_input_text_has_a_longest_length() -> None:
    unbounded = {"cost", "has_events", "only_with_upcoming"}
    for noun, role in [pair for pair in ROLES if pair[1] != "record"]:
        for name, rule in schemas.schema(noun, role)["properties"].items():
            is_text = "string" in rule.get("type", [])  # of a list, or the name itself
            bounded = rule.keys() & {"maxLength", "enum", "pattern"} or name in unbounded
            assert bounded or not is_text, (noun, role, name)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_pattern_is_anchored_and_quick_with_hostile_texts(pattern: str) -> None:
    compiled = re.compile(pattern)
    for piece in ("a", "0", "1", "-", ":", " ", "true", "[", "\x00", "é", "0-", "٣"):
        hostile = (piece * 50_000)[:50_000]
        for text in (hostile, hostile + "!", "!" + hostile):
            assert compiled.search(text) is None
            assert is_quick(partial(compiled.search, text)), text[:9]
    assert (pattern[0], pattern[-1]) == ("^", "$")
