"""The OpenAPI document, the router and the errors in the code agree; responses that differ are found."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from webtest import TestResponse

import calendar_api
from calendar_api.contract.openapi.builder import Description
from calendar_api.domain import errors
from calendar_api.resources.routes import DESCRIBED
from tests import client as checking
from tests import factories
from tests.client import Client

Json = dict[str, Any]
PACKAGE = Path(calendar_api.__file__).parent


@pytest.fixture(scope="module")
def document() -> Json:
    return Description(dict(DESCRIBED), 10, 50).document("http://localhost", str)


def address(path: str) -> str:
    return path.format(id=1, slug="a", format="ics" if path.startswith("/events") else "csv")


def unlike_the_router(document: Json, client: Client) -> list[str]:
    """Paths whose methods are not those that OPTIONS tells, and routes without a path."""
    known = {re.sub(r":[^}]+", "", template) for template, _ in DESCRIBED} | {"/", "/doc"}
    differing = known ^ document["paths"].keys()
    for path, methods in document["paths"].items():
        served = client.send("OPTIONS", address(path), status=200).json["methods"]
        if {method.upper() for method in methods} != {*served, "HEAD", "OPTIONS"}:
            differing |= {path}
    return sorted(differing)


def unanswered(document: Json, client: Client) -> list[str]:
    """Operations that the router does not know: it says 405, or that there is nothing at the address."""
    found = []
    for path, methods in document["paths"].items():
        for method in methods:
            response = client.send(method.upper(), address(path))
            if response.status_int == 405 or response.body.startswith(b'{"code":"rest_no_route"'):
                found.append(f"{method} {path}")
    return found


def test_document_and_router_have_the_same_paths_and_methods(document: Json, client: Client) -> None:
    assert unlike_the_router(document, client) == []
    assert unanswered(document, client) == []


def test_path_that_is_missing_or_too_much_is_found(document: Json, client: Client) -> None:
    less, fewer, more = (deepcopy(document) for _ in range(3))
    del less["paths"]["/venues/{id}"]
    del fewer["paths"]["/tags"]["post"]
    more["paths"]["/tags"]["delete"] = {}
    found = [unlike_the_router(one, client) for one in (less, fewer, more)]
    assert found == [["/venues/{id}"], ["/tags"], ["/tags"]]
    assert unanswered(more, client) == ["delete /tags"]


def described_codes(document: Json) -> set[tuple[int, str]]:
    """Status and code of every error that an operation promises, each with an example of its own."""
    found = set()
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, reference in operation["responses"].items():
                answer = document["components"]["responses"][reference["$ref"].split("/")[-1]]
                if int(status) < 400 or "content" not in answer:
                    continue
                content = answer["content"]["application/json"]
                codes = content["schema"]["allOf"][1]["properties"]["code"]["enum"]
                assert codes == list(content["examples"])
                assert [code for code in codes if f"`{code}`" not in answer["description"]] == []
                found |= {(int(status), code) for code in codes}
    return found


def written_codes() -> Iterator[str]:
    """Every `code` in the package as a pattern: of error classes, and of errors that are raised."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            given: list[tuple[ast.expr | str | None, ast.expr]] = []
            if isinstance(node, ast.keyword):
                given = [(node.arg, node.value)]
            elif isinstance(node, ast.Assign):  # also of several names at once
                names, values = (getattr(side, "elts", [side]) for side in (node.targets[0], node.value))
                given = list(zip(names, values, strict=False))
            for name, value in given:
                if getattr(name, "id", getattr(name, "attr", name)) == "code":
                    yield from pattern(value)


def pattern(value: ast.expr) -> list[str]:
    if isinstance(value, ast.Constant) and value.value:
        return [re.escape(str(value.value)).replace(r"\{noun\}", "[a-z]+")]
    if isinstance(value, ast.JoinedStr):
        parts = [p.value if isinstance(p, ast.Constant) else None for p in value.values]
        return ["".join("[a-z]+" if part is None else re.escape(str(part)) for part in parts)]
    return []


def test_every_code_of_the_package_is_described_and_no_other(document: Json) -> None:
    described = {code for _, code in described_codes(document)}
    written = set(written_codes())
    assert [code for code in written if not any(re.fullmatch(code, known) for known in described)] == []
    assert [known for known in described if not any(re.fullmatch(code, known) for code in written)] == []
    assert len(written) > 20


def test_every_class_of_error_is_described_with_its_status(document: Json) -> None:
    described = described_codes(document)
    classes = [one for one in vars(errors).values() if isinstance(one, type) and "code" in vars(one)]
    coded = [one for one in classes if issubclass(one, errors.ApiError)]
    named = {(one.status, one.code.replace("{noun}", "event")) for one in coded}
    # Forbidden has 401 or 403, never the status that its class inherits.
    assert named - described == {(500, "rest_forbidden")}
    assert {(401, "rest_forbidden"), (403, "rest_forbidden")} <= described


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda answer: with_key(answer, "secret", 1), "'secret' was unexpected"),
        (lambda answer: setattr(answer, "status", "202 Accepted"), "readTag does not promise 202"),
        (lambda answer: answer.headers.pop("ETag"), r"no \['ETag'\]"),
    ],
)
def test_response_that_breaks_its_promise_is_found(
    client: Client, change: Callable[[TestResponse], object], problem: str
) -> None:
    response = client.get(f"/tags/{factories.tag(client)['id']}", status=200)
    change(response)
    with pytest.raises(AssertionError, match=problem):
        checking.check("GET", "/calendar/events/v1/tags/1", response)
    unknown = client.get("/tags/999999", status=404)
    with_key(unknown, "code", "rest-venue-not-found")
    with pytest.raises(AssertionError, match="rest-venue-not-found"):
        checking.check("GET", "/calendar/events/v1/tags/999999", unknown)


def with_key(response: TestResponse, key: str, value: object) -> None:
    response.body = json.dumps({**response.json, key: value}).encode()


def test_answer_with_chosen_keys_is_checked_without_the_others(client: Client) -> None:
    made = factories.event(client)
    response = client.get(f"/events/{made['id']}", params={"_fields": "id,start_date_details.year"})
    assert response.json == {"id": made["id"], "start_date_details": {"year": made["start_date"][:4]}}
