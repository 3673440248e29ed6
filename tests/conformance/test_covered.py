"""What the recorded scenarios must touch: every route, method, parameter, field and error."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from calendar_api.contract import schemas
from calendar_api.contract.openapi import responses
from calendar_api.resources.routes import ROUTES
from tests.client import ROOT
from tests.conformance.test_golden import GOLDEN, read

Json = dict[str, Any]

NOUNS = {
    "events": "event", "venues": "venue", "organizers": "organizer", "categories": "category", "tags": "tag",
}  # fmt: skip
# Codes of a state that one request cannot bring about; other tests make these states.
OUT_OF_REACH = {
    "internal_server_error": "a mistake of ours",
    "not_initialised": "a database that is missing",
    "rest_bad_request": "a broken frame, which the server in front answers",
    "rest_database_unavailable": "a database that is busy or gone",
    "rest_schema_outdated": "a database of an older release",
    "rest_schema_unknown": "a database of a newer release",
    "rest_storage_full": "a full disk",
    "rest_too_many_attempts": "ten failures before (tests/middleware/test_rate_limit.py)",
}


@cache
def exchanges() -> tuple[Json, ...]:
    return tuple(line for file in sorted(GOLDEN.glob("*.jsonl")) for line in read(file) if "request" in line)


def method_and_path(exchange: Json) -> tuple[str, str]:
    """As sent, relative to the namespace."""
    method, address = exchange["request"].split(" ", 1)
    return method, urlsplit(address).path.removeprefix(ROOT)


def successes() -> Iterator[Json]:
    return (exchange for exchange in exchanges() if exchange["status"] < 400)


def test_there_are_at_least_450_exchanges() -> None:
    assert len(exchanges()) >= 450


@pytest.mark.parametrize(("template", "resource"), ROUTES)
def test_every_method_of_a_route_is_answered_with_success(template: str, resource: Any) -> None:
    pattern = re.compile(
        template.replace("{id:record_id}", r"(?:\d+|\{\w+\})").replace("{slug}", r"[^/]+"), re.IGNORECASE
    )

    found = {
        method for method, path in map(method_and_path, successes()) if pattern.fullmatch(path.rstrip("/"))
    }

    assert {*resource.methods, "HEAD", "OPTIONS"} - found == set()


@pytest.mark.parametrize(("plural", "noun"), NOUNS.items())
def test_every_parameter_of_a_list_is_sent_with_success_and_without(plural: str, noun: str) -> None:
    def names(status: range) -> set[str]:
        return {
            name.partition("[")[0]
            for exchange in exchanges()
            if method_and_path(exchange) == ("GET", f"/{plural}") and exchange["status"] in status
            for name, _ in parse_qsl(urlsplit(exchange["request"]).query, keep_blank_values=True)
        }

    declared = set(schemas.schema(noun, "query")["properties"])

    assert declared - names(range(200, 300)) == set()
    assert {"page"} - names(range(400, 500)) == set()


@pytest.mark.parametrize(("plural", "noun"), NOUNS.items())
def test_every_field_is_stored(plural: str, noun: str) -> None:
    stored: set[str] = set()
    for exchange in successes():
        method, path = method_and_path(exchange)
        if method in ("POST", "PUT", "PATCH") and path.startswith(f"/{plural}"):
            stored |= set(exchange.get("body") or exchange.get("form") or {})

    fields = schemas.document(noun)["$defs"]["fields"]["properties"]
    plain = {name for name, rule in fields.items() if rule.get("$ref") == "common.json#/$defs/line"}
    added = plain - reference_fields()  # tests/system/test_adding_a_field.py
    for role in ("create", "update"):
        assert set(schemas.schema(noun, role)["properties"]) - added - stored == set()


def reference_fields() -> set[str]:
    written = (Path(__file__).parents[1] / "data" / "argument_tables.json").read_text("utf-8")
    return {name for table in json.loads(written)["tables"].values() for name in table}


def test_every_parameter_of_a_read_is_sent() -> None:
    sent = {
        name
        for exchange in successes()
        if re.fullmatch(r"/events/\{\w+\}", method_and_path(exchange)[1])
        for name, _ in parse_qsl(urlsplit(exchange["request"]).query)
    }

    assert set(schemas.schema("event", "read")["properties"]) - sent == set()


def test_every_role_and_nobody_asks() -> None:
    callers = {exchange.get("as") for exchange in exchanges()}

    assert callers >= {None, "admin", "editor", "author", "contributor", "subscriber"}


def test_every_error_that_a_request_can_meet_is_met() -> None:
    known = {
        error.code
        for noun in (*NOUNS.values(), "index", "doc")
        for verb in ("list", "create", "read", "update", "delete", "describe")
        for keyed in (True, False)
        if (noun in NOUNS.values()) or verb in ("read", "describe")
        for error in responses.errors(verb, noun, keyed=keyed)
    }

    met = {exchange["answer"]["code"] for exchange in exchanges() if has_error(exchange)}

    assert known - met == set(OUT_OF_REACH)
    assert met - known == set()


def has_error(exchange: Json) -> bool:
    return exchange["status"] >= 400 and exchange["answer"] is not None


def test_no_answer_shows_a_password() -> None:
    assert [
        exchange["request"] for exchange in exchanges() if "password" in keys(without_index(exchange))
    ] == []


def without_index(exchange: Json) -> Any:
    """Descriptions and errors name the parameter `password`, which is no secret."""
    answer = exchange["answer"]
    is_description = isinstance(answer, dict) and ("endpoints" in answer or "routes" in answer)
    return None if is_description or exchange["status"] >= 400 else answer


def keys(document: Any) -> set[str]:
    if isinstance(document, dict):
        return set(document) | {key for value in document.values() for key in keys(value)}
    if isinstance(document, list):
        return {key for value in document for key in keys(value)}
    return set()
