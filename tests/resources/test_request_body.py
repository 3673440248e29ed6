"""Request bodies of every kind, the broken ones above all.

See docs/interface.md#bodies, #no-server-errors, #limits.
"""

import json
import re
from io import BytesIO
from typing import Any

import pytest
from gunicorn.http.errors import InvalidChunkSize, NoMoreData
from webtest import TestRequest, TestResponse

from tests import factories
from tests.client import ROOT, Client

JSON = "application/json"
IN_CHUNKS = {"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"}
WHOLE_EVENT = '"title": "x", "start_date": "2031-01-01 10:00:00", "end_date": "2031-01-01 11:00:00"'


def sent(client: Client, raw: bytes, content_type: str = JSON, path: str = "/tags") -> TestResponse:
    return client.post(path, raw=raw, content_type=content_type, as_="admin")


def refused(response: TestResponse, status: int, code: str) -> dict[str, Any]:
    """The data of a refusal, beside its status."""
    body = response.json
    assert (response.status_int, body["code"]) == (status, code)
    return {name: value for name, value in body["data"].items() if name != "status"}


# -- JSON


@pytest.mark.parametrize("form", ["%s", "[%s]", '{"id": %s}', '[{"venue": "x", "image": %s}]'])
def test_number_with_a_fraction_of_zero_is_a_whole_number(client: Client, form: str) -> None:
    """No such record, nor a date or a place: refused in the same words, not a crash of ours."""
    fields = ("author", "date", "image", "post_parent", "categories", "venue", "organizer", "cost", "all_day")
    addressed = {"/events": fields, "/venues": ("geo_lat",), "/categories": ("parent",)}

    for path, field in ((path, field) for path, names in addressed.items() for field in names):
        statuses = set()
        for number in ("12345678.0", "12345678"):
            body = f'{{{WHOLE_EVENT}, "venue": "x", "name": "x", "{field}": {form % number}}}'
            answer = sent(client, body.encode(), path=path)
            statuses.add((answer.status_int, str(answer.json.get("data"))))
        assert len(statuses) == 1, (path, field)


def test_malformed_json_is_refused(client: Client) -> None:
    for raw in (
        b"{", b"{'name': 'x'}", b'{"name": "x",}', b'{"name": "x"} trailing', b'{"name": "a\nb"}',
        b'{"name": "\\x"}', b'{"name": "\\u12"}', b"\xef\xbb\xbf{}", b"nul", b"]",
        b'{"name": "x", "ignored": [NaN]}', b'{"name": "x", "ignored": [-Infinity]}',
        b'{"name": "x", "ignored": ' + b"9" * 5000 + b"}",
    ):  # fmt: skip
        data = refused(sent(client, raw), 400, "rest_invalid_json")
        assert data["json_error_code"] == 4
        assert data["json_error_message"].startswith("The body must be valid JSON: ")
        assert not re.search(r"sys\.|utf-8-sig", data["json_error_message"])
    for raw in (b'{"name": "caf\xe9"}', b'{"name": "\xed\xa0\x80"}'):  # not UTF-8
        assert refused(sent(client, raw), 400, "rest_invalid_json")["json_error_code"] == 5


def test_number_without_end_is_refused_under_its_field(client: Client) -> None:
    event = json.loads(f"{{{WHOLE_EVENT}}}")
    huge = ("9" * 20, "-" + "9" * 20, "9" * 4000)
    fields = dict.fromkeys(("author", "post_parent", "image", "venue", "organizer", "start_date"), huge)
    for field, numbers in (fields | {"cost": ("1e999", "-1e999", "9" * 400 + ".0")}).items():
        rest = json.dumps({name: value for name, value in event.items() if name != field})[1:]
        for number in numbers:
            answer = sent(client, f'{{"{field}": {number}, {rest}'.encode(), path="/events")
            assert list(refused(answer, 400, "rest_invalid_param")["params"]) == [field]


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_nesting_up_to_the_limit_is_read(client: Client, opening: bytes, closing: bytes) -> None:
    def nested(depth: int) -> bytes:
        return b'{"name": "x", "ignored": ' + opening * depth + b"1" + closing * depth + b"}"

    for raw in (nested(16), opening * 200_000, opening * 100_000 + closing * 100_000):
        assert refused(sent(client, raw), 400, "rest_invalid_json")["json_error_code"] == 1
    assert sent(client, nested(15)).status_int == 201
    in_a_text = {"name": "brackets", "description": '[{"' * 30 + "\\"}
    client.post("/tags", in_a_text, as_="admin", status=201)


def test_json_that_is_no_object_has_no_fields(client: Client) -> None:
    for raw in (b"[]", b'[{"name": "x"}]', b'"name"', b"7", b"null", b"", b"  \n"):
        assert refused(sent(client, raw), 400, "rest_missing_callback_param")["params"] == ["name"]


def test_half_a_surrogate_pair_is_refused_under_its_field(client: Client) -> None:
    for half in (r"\ud800", r"x\ud83d", r"\ude00\ud83d"):
        venue = f'[{{"venue": "ok", "city": "{half}"}}]'
        event = f'{{{WHOLE_EVENT}, "venue": {venue}, "tags": ["{half}"], "status": "{half}"}}'
        answer = sent(client, event.encode(), path="/events")
        assert sorted(refused(answer, 400, "rest_invalid_param")["params"]) == ["status", "tags", "venue"]
    ignored = sent(client, rb'{"name": "first", "name": "\ud83c\udfb7 sax", "\ud800": "\ud800"}')
    assert (ignored.status_int, ignored.json["name"]) == (201, "🎷 sax")


def test_every_kind_of_json_is_read(client: Client) -> None:
    for kind in ("APPLICATION/JSON", "application/json;charset=latin-1", "application/vnd.example+json"):
        response = sent(client, f'{{"name": "café {kind}"}}'.encode(), kind)
        assert (response.status_int, response.json["name"]) == (201, f"café {kind}")


# -- size and kind


def test_unknown_kind_of_body_is_refused_unless_it_is_empty(client: Client) -> None:
    for content_type in ("text/plain", "application/xml", "application/jsonp", "json", "/", "x" * 300):
        response = sent(client, b'{"name": "x"}', content_type)
        assert refused(response, 415, "rest_unsupported_media_type") == {}
    assert sent(client, b"", "text/plain").json["code"] == "rest_missing_callback_param"


@pytest.mark.settings(max_body=1024)
def test_body_at_the_limit_is_read_and_one_above_it_is_refused(client: Client) -> None:
    assert sent(client, b'{"name": "x"' + b" " * 1011 + b"}").status_int == 201
    for content_type in (JSON, "application/x-www-form-urlencoded", "text/plain"):
        assert refused(sent(client, b" " * 1025, content_type), 413, "rest_body_too_large") == {}
    for raw, environ in ((b"{}", {"CONTENT_LENGTH": "5000"}), (b" " * 1025, IN_CHUNKS)):
        refused(passed_on(client, raw, environ), 413, "rest_body_too_large")
    # Rights come before the size (docs/interface.md#order-of-checks).
    client.post("/tags", raw=b" " * 2000, content_type=JSON, status=401)


def passed_on(client: Client, raw: bytes, environ: dict[str, Any]) -> TestResponse:
    """A body as a server passes it on that has read these things from the connection."""
    request = TestRequest.blank(f"{ROOT}/tags", method="POST")
    request.headers.update({"Authorization": client.basic("admin"), "Content-Type": JSON})
    request.environ.update({"wsgi.input": BytesIO(raw), **environ})
    return client.app.do_request(request, expect_errors=True)


def test_body_in_chunks_is_read(client: Client) -> None:
    response = passed_on(client, b'{"name": "in chunks"}', IN_CHUNKS)
    assert (response.status_int, response.json["name"]) == (201, "in chunks")


class Broken(BytesIO):
    """The body of a connection on which something else comes than was announced."""

    def __init__(self, fault: Exception) -> None:
        super().__init__()
        self.fault = fault

    def read(self, size: int | None = -1) -> bytes:
        raise self.fault


@pytest.mark.parametrize(
    "fault", [InvalidChunkSize(b"x"), NoMoreData(), TimeoutError(), ConnectionResetError()]
)
def test_body_that_the_server_cannot_read_is_refused(client: Client, fault: Exception) -> None:
    response = passed_on(client, b"", {**IN_CHUNKS, "wsgi.input": Broken(fault)})
    refused(response, 400, "rest_invalid_body")
    assert response.headers["X-Request-Id"]


@pytest.mark.parametrize("terminated", [True, False])
@pytest.mark.parametrize(
    ("content_type", "raw"), [(JSON, b'{"name": "cut"}'), ("application/x-www-form-urlencoded", b"name=cut")]
)
def test_body_that_is_shorter_than_announced_is_refused(
    client: Client, content_type: str, raw: bytes, *, terminated: bool
) -> None:
    announced = {"CONTENT_LENGTH": "5000", "CONTENT_TYPE": content_type, "wsgi.input_terminated": terminated}
    response = passed_on(client, raw, announced)
    refused(response, 400, "rest_invalid_body")
    assert client.get("/tags?hide_empty=0").json["total"] == 0


# -- beside the body


def test_64_query_parameters_are_read_and_65_refused(client: Client) -> None:
    """One name many times is one parameter."""
    names = [f"p{number}=1" for number in range(65)]
    client.get("/tags?" + "&".join(names[:64]), status=200)
    client.get("/tags?" + "&".join(["hide_empty=0"] * 200), status=200)
    body = client.get("/tags?" + "&".join(names), status=400).json
    assert (body["code"], body["message"]) == ("rest_invalid_param", "Send at most 64 different parameters.")


def test_body_where_none_is_read_does_no_harm(client: Client) -> None:
    path = f"/tags/{factories.tag(client)['id']}"
    for method in ("GET", "DELETE"):
        client.send(method, path, raw=b"\xff{", content_type=JSON, as_="admin", status=200)
