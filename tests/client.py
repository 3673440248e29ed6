"""A WebTest client that checks every answer against the schemas, strictly: an undeclared key is a failure."""

import base64
import json
import re
from copy import deepcopy
from functools import cache
from typing import Any
from urllib.parse import urlencode

from jsonschema import Draft202012Validator
from webtest import TestApp, TestResponse

from calendar_api import validation

ROOT = "/calendar/events/v1"
NOUNS = {
    "events": "event",
    "venues": "venue",
    "organizers": "organizer",
    "categories": "category",
    "tags": "tag",
}


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
        check(method, address, response)
        if status:
            assert response.status_int == status, f"{response.status}: {response.text[:600]}"
        return response

    def basic(self, user: str) -> str:
        return "Basic " + base64.b64encode(f"{user}:{self.secrets[user]}".encode()).decode()


def check(method: str, address: str, response: TestResponse) -> None:
    """Fail when an answer is not what the schemas promise for this address."""
    assert response.status_int < 500, response.text
    assert response.headers["X-Request-Id"]
    if method == "HEAD":
        assert response.body == b""
        return
    assert response.headers["Content-Type"] == "application/json; charset=UTF-8"
    found = expected(method, address.split("?")[0], response.status_int)
    problems = [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message[:300]}"
        for error in validator(*found).iter_errors(response.json)
    ]
    assert not problems, problems


def expected(method: str, path: str, status: int) -> tuple[str, str]:
    """The schema file and the role in it that an answer has to keep to."""
    if status >= 400:
        return "error", "error"
    below = path.lower().removeprefix(ROOT).strip("/")
    if method == "OPTIONS":
        return "index", "route"
    if not below:
        return "index", "record"
    noun = NOUNS[below.split("/")[0]]
    single = "/" in below or method == "POST"
    return noun, "record" if single else "archive"


@cache
def validator(noun: str, role: str) -> Draft202012Validator:
    if noun in ("error", "index"):  # these two refer to themselves
        whole = validation.document(noun)
        return Draft202012Validator({"$ref": f"#/$defs/{role}", "$defs": strict(whole["$defs"])})
    return Draft202012Validator(strict(deepcopy(validation.schema(noun, role))))


def strict(schema: Any) -> Any:
    """The same schema without room for keys that it does not name."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value) for key, value in schema.items()}
    is_object = schema.get("type") == "object" and isinstance(schema.get("properties"), dict)
    return (
        {**closed, "additionalProperties": False}
        if is_object and "additionalProperties" not in schema
        else closed
    )


def links(response: TestResponse) -> dict[str, str]:
    """The `Link` header as relation and address."""
    return {
        rel: url for url, rel in re.findall(r"<([^>]*)>; rel=\"?(\w+)\"?", response.headers.get("Link", ""))
    }
