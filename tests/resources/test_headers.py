"""The headers of every kind of answer: security, caching, content type, request id, and pages of other sites.

See docs/interface.md#response-headers.
"""

import re
from typing import Any

import falcon
import pytest
from webtest import TestApp, TestResponse

from calendar_api.config import Config
from calendar_api.middleware.response_headers import ResponseHeaders
from tests import factories
from tests.client import Client

Json = dict[str, Any]

ORIGIN = "https://app.example"
PUBLIC = "public, max-age=0, must-revalidate"
PRIVATE = "private, no-store"
ALWAYS = {
    "Referrer-Policy": "no-referrer",
    "Vary": "Authorization, Accept-Encoding, Origin",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Access-Control-Expose-Headers": "X-TEC-Total, X-TEC-TotalPages, Link, ETag, Location",
}
#: A 304 leaves the rest to the answer that the client has (RFC 9110 §15.4.5).
NOT_CHANGED = {
    "access-control-allow-methods", "access-control-allow-origin", "access-control-expose-headers", "allow",
    "cache-control", "etag", "link", "vary", "x-request-id",
}  # fmt: skip


def verify(response: TestResponse) -> None:
    """Fail if a response lacks a header that all have, or has one that none should have."""
    names = {name.lower() for name in response.headers}
    if response.status_int == 304:
        assert names - {"x-tec-total", "x-tec-totalpages"} == NOT_CHANGED
        assert response.headers["Vary"] == ALWAYS["Vary"]
    else:
        assert {name: response.headers.get(name) for name in ALWAYS} == ALWAYS
        assert response.headers["Content-Type"] == "application/json; charset=UTF-8"
    assert re.fullmatch("[0-9a-f]{16}", response.headers["X-Request-Id"])
    assert not {"server", "x-powered-by", "set-cookie", "access-control-allow-credentials"} & names


@pytest.mark.parametrize(
    ("status", "method", "path", "more"),
    [
        (200, "GET", "/", {}), (200, "GET", "/doc", {}), (200, "HEAD", "/events", {}),
        (200, "OPTIONS", "/events", {}), (200, "GET", "/events", {"as_": "admin"}),
        (201, "POST", "/tags", {"as_": "admin", "body": {"name": "x"}}),
        (304, "GET", "/events", {"headers": {"If-None-Match": "*"}}),
        (304, "GET", "/events", {"headers": {"If-None-Match": "*", "Accept-Encoding": "gzip"}}),
        (304, "GET", "/venues", {"headers": {"If-None-Match": "*"}, "as_": "admin"}),
        (400, "GET", "/events?page=x", {}), (400, "GET", "/tags", {"headers": {"Host": "evil.example"}}),
        (400, "POST", "/tags", {"as_": "admin", "raw": b"{", "content_type": "application/json"}),
        (401, "GET", "/tags", {"headers": {"Authorization": "Basic eDp5"}}),
        (403, "POST", "/tags", {"as_": "subscriber", "body": {"name": "x"}}),
        (404, "GET", "/events?page=9", {}), (404, "GET", "/nothing", {}), (404, "HEAD", "/nothing", {}),
        (405, "POST", "/doc", {}),
        (413, "POST", "/tags", {"as_": "admin", "raw": b" " * 1_048_577, "content_type": "application/json"}),
        (415, "POST", "/tags", {"as_": "admin", "raw": b"x", "content_type": "text/plain"}),
    ],
)  # fmt: skip
def test_every_kind_of_answer_has_all(
    client: Client, status: int, method: str, path: str, more: Json
) -> None:
    headers = {"Origin": ORIGIN, **more.get("headers", {})}
    response = client.send(method, path, status=status, **more | {"headers": headers})

    verify(response)
    assert response.headers["Access-Control-Allow-Origin"] == ORIGIN
    anonymous = "as_" not in more and "Authorization" not in more.get("headers", {})
    reads = method in ("GET", "HEAD", "OPTIONS")
    kept = anonymous and reads and status < 400
    assert response.headers["Cache-Control"] == (PUBLIC if kept else PRIVATE)
    if status != 304:
        assert response.headers["Cross-Origin-Resource-Policy"] == (
            "cross-origin" if anonymous and reads else "same-origin"
        )


def test_gone_and_outdated_and_reused_have_them(client: Client) -> None:
    venue = factories.venue(client)
    path = f"/venues/{venue['id']}"
    key = {"Idempotency-Key": "k"}
    client.post("/tags", {"name": "x"}, as_="admin", headers=key)

    outdated = client.put(path, {"city": "x"}, as_="admin", headers={"If-Match": '"x"'}, status=412)
    reused = client.post("/tags", {"name": "y"}, as_="admin", headers=key, status=422)
    removed = client.delete(path, as_="admin", status=200)
    gone = client.delete(path, as_="admin", status=410)

    for response in (outdated, reused, removed, gone):
        verify(response)
        assert response.headers["Cache-Control"] == PRIVATE
    for response in (outdated, reused, gone):
        assert "ETag" not in response.headers


class Breaking:
    """Fails after all headers are set, as a commit can."""

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.set_header("Location", "/tags/1")
        resp.set_header("ETag", '"x"')
        raise falcon.HTTPServiceUnavailable


@pytest.mark.both_databases
def test_write_that_fails_at_its_end_names_no_record() -> None:
    app: falcon.App[Any, Any] = falcon.App(middleware=[ResponseHeaders(Config())])
    app.add_route("/tags", Breaking())
    response = TestApp(app).post("/tags", expect_errors=True)
    assert response.status_int == 503
    assert [response.headers.get(name) for name in ("Location", "ETag")] == [None, None]
    assert {name: response.headers.get(name) for name in ALWAYS} == ALWAYS


def test_every_answer_has_an_id_of_its_own(client: Client) -> None:
    seen = {client.get("/tags", headers={"X-Request-Id": "mine"}).headers["X-Request-Id"] for _ in range(5)}
    assert len(seen - {"mine"}) == 5


def test_password_of_an_event_makes_an_answer_private(client: Client) -> None:
    path = f"/events/{factories.event(client, password='secret')['id']}"
    opened = client.get(f"{path}?pass%77ord=secret", status=200)
    listed = client.get("/events", {"password": "secret"}, status=200)
    wrong = client.get(path, {"password": "wrong"}, status=403)
    closed = client.get(path, status=403)
    masked = client.get("/events", status=200)

    private = [answer.headers["Cache-Control"] for answer in (opened, listed, wrong, closed)]
    assert (private, masked.headers["Cache-Control"]) == ([PRIVATE] * 4, PUBLIC)
    assert opened.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert masked.headers["Cross-Origin-Resource-Policy"] == "cross-origin"


@pytest.mark.settings(cache_max_age=300)
def test_setting_of_the_age_is_for_anonymous_answers(client: Client) -> None:
    kept = "public, max-age=300, must-revalidate"
    plain = client.get("/tags", status=200)
    again = client.get("/tags", headers={"If-None-Match": plain.headers["ETag"]}, status=304)
    assert plain.headers["Cache-Control"] == again.headers["Cache-Control"] == kept
    assert client.get("/tags", as_="admin").headers["Cache-Control"] == PRIVATE


# -- pages of other sites, which read and write with credentials, without cookies

METHODS = "OPTIONS, GET, POST, PUT, PATCH, DELETE"
#: "null" is of files, apps and sandboxed frames.
ORIGINS = (
    ORIGIN, "http://localhost:3000", "https://[::1]:8443", "moz-extension://0a1b2c3d-0000", "null",
)  # fmt: skip
ALLOWED_HEADERS = (
    "Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type, Idempotency-Key, If-Match, "
    "If-None-Match, X-HTTP-Method-Override"
)
ODD = (
    "", "*", "Null", "app.example", "//app.example", "https://", "https://app.example/path",
    "https://user@app.example", "https://app.example, https://evil.example", "https://app.example\r\nX: y",
    "https://<script>", "https://äpp.example".encode().decode("latin-1"), "javascript:alert(1)",
    "https://" + "a" * 300,
)  # fmt: skip


def cross_origin(headers: dict[str, str]) -> dict[str, str]:
    found = {name.lower(): value for name, value in headers.items()}
    return {name: value for name, value in found.items() if name.startswith("access-control-")}


ANYWHERE = {
    "access-control-allow-headers": ALLOWED_HEADERS,
    "access-control-expose-headers": ALWAYS["Access-Control-Expose-Headers"],
}


def allowed(origin: str) -> dict[str, str]:
    return ANYWHERE | {"access-control-allow-origin": origin, "access-control-allow-methods": METHODS}


def test_origin_is_echoed_without_credentials_and_changes_nothing_else(client: Client) -> None:
    factories.event(client)
    plain = client.get("/events", status=200)
    assert cross_origin(plain.headers) == ANYWHERE
    for origin in ORIGINS:
        response = client.get("/events", headers={"Origin": origin}, status=200)
        assert cross_origin(response.headers) == allowed(origin)
        assert response.headers["Vary"] == ALWAYS["Vary"]
        assert (response.body, response.headers["ETag"]) == (plain.body, plain.headers["ETag"])


def test_odd_origin_is_not_echoed(client: Client) -> None:
    for origin in ODD:
        environ = {"HTTP_ORIGIN": origin, "HTTP_HOST": "localhost"}
        response = client.app.get("/calendar/events/v1/events", extra_environ=environ)
        assert response.status_int == 200
        assert cross_origin(response.headers) == ANYWHERE, origin


@pytest.mark.parametrize("path", ["/doc", "/events", "/venues/by-slug/x"])
def test_preflight_is_answered_without_credentials(client: Client, path: str) -> None:
    asked = {"Method": "PUT", "Headers": "authorization, x-evil"}
    headers = {f"Access-Control-Request-{name}": value for name, value in asked.items()}
    response = client.send("OPTIONS", path, headers={"Origin": ORIGIN, **headers}, status=200)
    assert cross_origin(response.headers) == allowed(ORIGIN)
