"""A WebTest client that checks every answer against `/doc`, strictly: an undeclared key is a failure."""

import base64
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

import jsonschema_rs
from webtest import TestApp, TestResponse

from calendar_api.config import Config
from calendar_api.contract.openapi.builder import Description
from calendar_api.middleware import url_prefix
from calendar_api.resources.routes import DESCRIBED

ROOT = "/calendar/events/v1"
JSON = "application/json; charset=UTF-8"

Json = dict[str, Any]
#: The fixture `client_with`, which makes clients of services with other settings.
ClientWith = Callable[..., "Client"]


class Client:
    """Paths are relative to the namespace; `as_` names one of the users of the fixture `client`."""

    def __init__(self, app: Any, secrets: dict[str, str], ids: dict[str, int]) -> None:
        self.app = TestApp(app, lint=True, extra_environ={"HTTP_HOST": "localhost"})
        self.secrets = secrets
        self.ids = ids

    def get(self, path: str, params: Any = None, **more: Any) -> TestResponse:
        return self.send("GET", path, params=params, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        return self.send("POST", path, body, **more)

    def put(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        return self.send("PUT", path, body, **more)

    def patch(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        return self.send("PATCH", path, body, **more)

    def delete(self, path: str, **more: Any) -> TestResponse:
        return self.send("DELETE", path, **more)

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Any = None,
        form: Any = None,
        raw: bytes | None = None,
        content_type: str = "",
        as_: str | None = None,
        headers: dict[str, str] | None = None,
        status: int = 0,
    ) -> TestResponse:
        """`body` goes out as JSON, `form` as a form, `raw` as it is; `status` is the status to expect."""
        sent = dict(headers or {})
        if as_ is not None:
            sent["Authorization"] = self.basic(as_)
        if content_type:
            sent["Content-Type"] = content_type
        address = path if path.startswith("http") else ROOT + path
        address = address.removeprefix("http://localhost:80").removeprefix("http://localhost")
        if params:
            address += ("&" if "?" in address else "?") + urlencode(params, doseq=True)
        if body is not None:
            raw, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        elif form is not None:
            raw = urlencode(form, doseq=True).encode()
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        response = self.app.request(address, method=method, body=raw or b"", headers=sent, expect_errors=True)
        check(method, address, response, sent)
        if status:
            assert response.status_int == status, f"{response.status}: {response.text[:600]}"
        return response

    def basic(self, user: str) -> str:
        return basic(user, self.secrets[user])


def basic(login: str, secret: str) -> str:
    """The header `Authorization` for a login and its secret."""
    return "Basic " + base64.b64encode(f"{login}:{secret}".encode()).decode()


def check(method: str, address: str, response: TestResponse, sent: dict[str, str] | None = None) -> None:
    """Fail when an answer is not what the interface description promises for this address."""
    assert response.status_int < 500, response.text
    assert response.headers["X-Request-Id"]
    path, _, query = address.partition("?")
    parameters = dict(parse_qsl(query, keep_blank_values=True))
    route = routed(unquote(path), parameters)
    if response.status_int == 404 and b'"rest_no_route"' in response.body:
        route = "" if url_prefix.parse_path(unquote(path), None, Config().aliases) is None else route
    elif not route and response.status_int < 400:  # the root under an alias of this test's own
        route = "/"
    if route.split("/")[1:2] == ["docs"]:  # pages are for people: the description leaves them out
        return
    operation, answer = promised(meant(method, parameters, sent or {}), route, response)
    missing = [name for name in answer.get("headers", ()) if name not in response.headers]
    assert not missing, f"{operation} {response.status}: no {missing}"
    if "content" not in answer:
        assert response.body == b""
        return
    media_type = response.headers["Content-Type"]
    if response.status_int == 200 and media_type != JSON:
        assert media_type.partition(";")[0] in answer["content"]
        return
    assert media_type == JSON
    found = validator(
        operation, response.status_int, partial=any(name.startswith("_fields") for name in parameters)
    )
    problems = [
        f"{'.'.join(map(str, error.instance_path))}: {error.message[:300]}"
        for error in found.iter_errors(response.json)
    ]
    assert not problems, f"{operation} {response.status}: {problems}"


def meant(method: str, parameters: dict[str, str], sent: dict[str, str]) -> str:
    """The method that is carried out: POST may stand for another."""
    override = sent.get("X-HTTP-Method-Override") or parameters.get("_method", "")
    overridden = method == "POST" and override.upper() in ("PUT", "PATCH", "DELETE")
    return override.upper() if overridden else method


def routed(path: str, parameters: dict[str, str]) -> str:
    """What stands below the namespace, whatever language or alias stands before it; "" for none of ours."""
    address = url_prefix.parse_path(path, parameters.get("rest_route"), Config().aliases)
    if address is not None:
        return address.route or "/"
    segments = [segment for segment in path.lower().split("/") if segment]
    tails = ("/" + "/".join(segments[number:]) for number in range(len(segments)))
    return next((tail for tail in tails if found_path(tail)), "")


def promised(method: str, route: str, response: TestResponse) -> tuple[str, Json]:
    """The operation (its id) and what it promises for the status; "" for what no operation is."""
    path = found_path(route)
    operation = contract()["paths"].get(path, {}).get(method.lower())
    if operation is None:
        assert response.status_int in (400, 401, 404, 405), f"{method} {route}: {response.status}"
        return "", {} if method == "HEAD" else {"content": {}}
    status = str(response.status_int)
    assert status in operation["responses"], f"{operation['operationId']} does not promise {response.status}"
    return operation["operationId"], resolved(operation["responses"][status])


@cache
def contract() -> Json:
    """The interface description; a test asserts that `/doc` serves the same."""
    return Description(dict(DESCRIBED), 10, 50).document(f"http://localhost{ROOT}", str)


@cache
def patterns() -> list[tuple[str, re.Pattern[str]]]:
    """The paths of the description and what they match; those with a suffix first."""
    paths = sorted(contract()["paths"], key=lambda path: "{format}" not in path)
    return [(path, re.compile(pattern(path))) for path in paths]


def pattern(path: str) -> str:
    parameters = map(resolved, contract()["paths"][path]["get"]["parameters"])
    formats = [one["schema"]["enum"] for one in parameters if (one["in"], one["name"]) == ("path", "format")]
    found = path.replace("{id}", "[0-9]+").replace("{slug}", "[^/]+").replace(".{format}", r"\.{format}")
    return found.replace("{format}", f"(?:{'|'.join(*formats)})") if formats else found


def found_path(route: str) -> str:
    """The path of the description that a route means, "" for none."""
    if not route:
        return ""
    below = route.rstrip("/") or "/"
    return next((path for path, pattern in patterns() if pattern.fullmatch(below)), "")


@cache
def operations() -> dict[str, Json]:
    return {
        operation["operationId"]: operation
        for path in contract()["paths"].values()
        for operation in path.values()
    }


@cache
def components(*, partial: bool) -> Json:
    """The components, strict; `partial` requires no key, because `_fields` may have left it out."""
    closed: Json = rewritten(contract()["components"], strict)
    return rewritten(closed, without_required) if partial else closed


@cache
def validator(operation: str, status: int, *, partial: bool) -> jsonschema_rs.Draft202012Validator:
    """Not by the package of the service, which would take as long for this as for the rest of a test."""
    schema = {"$ref": "#/components/schemas/error.error"}
    if operation:
        answer = resolved(operations()[operation]["responses"][str(status)])
        schema = answer["content"]["application/json"]["schema"]
    return jsonschema_rs.Draft202012Validator(
        {**schema, "components": components(partial=partial and status < 400)}
    )


def resolved(part: Json) -> Json:
    """A component where there is a reference to it."""
    if "$ref" not in part:
        return part
    _, _, kind, name = part["$ref"].split("/")
    found: Json = contract()["components"][kind][name]
    return found


def rewritten(schema: Any, change: Callable[[Json], Json]) -> Any:
    """A copy of a schema in which every object is changed."""
    if isinstance(schema, list):
        return [rewritten(item, change) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return change({key: rewritten(value, change) for key, value in schema.items()})


def without_required(part: Json) -> Json:
    return {key: value for key, value in part.items() if key != "required" or not isinstance(value, list)}


def strict(part: Json) -> Json:
    """The same object without room for keys that it does not name."""
    is_object = part.get("type") == "object" and isinstance(part.get("properties"), dict)
    return {"additionalProperties": False, **part} if is_object else part


def links(response: TestResponse) -> dict[str, str]:
    """The `Link` header as relation and address, without the relations that are addresses themselves."""
    header = response.headers.get("Link", "")
    return {rel: url for url, rel in re.findall(r"<([^>]*)>; rel=\"?(\w+)\"?(?=,|$)", header)}
