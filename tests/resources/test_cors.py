"""What pages of other sites may do from a browser: read and write with credentials, without cookies."""

import pytest

from tests import factories
from tests.client import Client

METHODS = "OPTIONS, GET, POST, PUT, PATCH, DELETE"
HEADERS = (
    "Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type, Idempotency-Key, If-Match, "
    "If-None-Match, X-HTTP-Method-Override"
)
EXPOSED = "X-TEC-Total, X-TEC-TotalPages, Link, ETag, Location"
ORIGINS = (
    "https://app.example",
    "http://localhost:3000",
    "https://[::1]:8443",
    "moz-extension://0a1b2c3d-0000",
    "null",  # of files, apps and sandboxed frames
)
ODD = (
    "", "*", "Null", "app.example", "//app.example", "https://", "https://app.example/path",
    "https://user@app.example", "https://app.example, https://evil.example", "https://app.example\r\nX: y",
    "https://<script>", "https://äpp.example".encode().decode("latin-1"), "javascript:alert(1)",
    "https://" + "a" * 300,
)  # fmt: skip


def allowed(headers: dict[str, str]) -> dict[str, str]:
    found = {name.lower(): value for name, value in headers.items()}
    return {name: value for name, value in found.items() if name.startswith("access-control-")}


ALWAYS = {"access-control-allow-headers": HEADERS, "access-control-expose-headers": EXPOSED}


def test_origin_is_echoed_without_credentials_and_changes_nothing_else(client: Client) -> None:
    factories.event(client)
    plain = client.get("/events", status=200)
    assert allowed(plain.headers) == ALWAYS

    for origin in ORIGINS:
        response = client.get("/events", headers={"Origin": origin}, status=200)
        assert allowed(response.headers) == {
            **ALWAYS, "access-control-allow-origin": origin, "access-control-allow-methods": METHODS,
        }  # fmt: skip
        assert response.headers["Vary"] == "Authorization, Accept-Encoding, Origin"
        assert (response.body, response.headers["ETag"]) == (plain.body, plain.headers["ETag"])


def test_odd_origin_is_not_echoed(client: Client) -> None:
    for origin in ODD:
        environ = {"HTTP_ORIGIN": origin, "HTTP_HOST": "localhost"}
        response = client.app.get("/calendar/events/v1/events", extra_environ=environ)
        assert response.status_int == 200
        assert allowed(response.headers) == ALWAYS, origin


@pytest.mark.parametrize("path", ["/doc", "/events", "/venues/by-slug/x"])
def test_preflight_is_answered_without_credentials(client: Client, path: str) -> None:
    asked = {
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "authorization, x-evil",
    }

    response = client.send("OPTIONS", path, headers={"Origin": ORIGINS[0], **asked}, status=200)

    assert allowed(response.headers) == {
        **ALWAYS, "access-control-allow-origin": ORIGINS[0], "access-control-allow-methods": METHODS,
    }  # fmt: skip


def test_every_kind_of_answer_can_be_read(client: Client) -> None:
    origin = {"Origin": "https://app.example"}
    event = factories.event(client)
    path = f"/events/{event['id']}"

    answers = [
        client.post("/tags", {"name": "x"}, as_="admin", headers=origin, status=201),
        client.put(path, {"title": "x"}, as_="admin", headers=origin, status=200),
        client.delete(path, as_="admin", headers=origin, status=200),
        client.get("/tags", headers={**origin, "If-None-Match": "*"}, status=304),
        client.get("/tags?page=x", headers=origin, status=400),
        client.post("/tags", {"name": "x"}, headers=origin, status=401),
        client.post("/tags", {"name": "x"}, as_="subscriber", headers=origin, status=403),
        client.get("/nothing", headers=origin, status=404),
        client.put("/tags", headers=origin, status=405),
        client.get("/tags", headers={**origin, "Host": "evil.example"}, status=400),
    ]

    assert {answer.headers["Access-Control-Allow-Origin"] for answer in answers} == {"https://app.example"}
