"""Headers that a stranger sends change no address in any answer: passed over, or refused with 400."""

from typing import Any

import pytest
from webtest import TestRequest, TestResponse

from calendar_api.config import Config
from tests.client import ROOT, Client
from tests.resources.test_url_prefix import ALIAS, RECORDS, stage

Json = dict[str, Any]

ROUTES = ("", "/doc", "/nothing", *RECORDS)
PASSED_OVER: dict[str, dict[str, str]] = {
    "forwarded host": {"HTTP_X_FORWARDED_HOST": "evil.example"},
    "forwarded scheme": {"HTTP_X_FORWARDED_PROTO": "https"},
    "forwarded script scheme": {"HTTP_X_FORWARDED_PROTO": "javascript"},
    "forwarded prefix": {"HTTP_X_FORWARDED_PREFIX": "/evil"},
    "forwarded port": {"HTTP_X_FORWARDED_PORT": "666"},
    "forwarded script name": {"HTTP_X_FORWARDED_SCRIPT_NAME": "/evil", "HTTP_X_SCRIPT_NAME": "/evil"},
    "forwarded ssl": {
        "HTTP_X_FORWARDED_SSL": "on",
        "HTTP_FRONT_END_HTTPS": "on",
        "HTTP_X_URL_SCHEME": "https",
    },
    "standard forwarded": {"HTTP_FORWARDED": "for=10.0.0.1;host=evil.example;proto=https"},
    "original url": {"HTTP_X_ORIGINAL_URL": "/evil", "HTTP_X_ORIGINAL_HOST": "evil.example"},
    "rewritten url": {"HTTP_X_REWRITE_URL": "/evil"},
    "other host headers": {"HTTP_X_HOST": "evil.example", "HTTP_X_FORWARDED_SERVER": "evil.example"},
    "host with override": {
        "HTTP_X_HTTP_HOST_OVERRIDE": "evil.example",
        "HTTP_X_BACKEND_HOST": "evil.example",
    },
    "address of a proxy": {"HTTP_X_FORWARDED_FOR": "10.0.0.1", "HTTP_X_REAL_IP": "10.0.0.1"},
    "server name": {"SERVER_NAME": "evil.example", "SERVER_PORT": "666"},
    "referer and origin": {"HTTP_REFERER": "https://evil.example/", "HTTP_ORIGIN": "https://evil.example"},
    "everything at once": {
        "HTTP_X_FORWARDED_HOST": "localhost",
        "HTTP_X_FORWARDED_PROTO": "https",
        "HTTP_X_FORWARDED_PREFIX": "/evil",
        "HTTP_X_FORWARDED_FOR": "127.0.0.1",
        "HTTP_FORWARDED": "host=localhost;proto=https",
    },
}
REFUSED: dict[str, str] = {
    "other host": "evil.example",
    "user before": "user@localhost",
    "user and secret": "localhost:80@evil.example",
    "path": "localhost/evil",
    "query": "localhost?x=",
    "fragment": "localhost#@evil.example",
    "backslash": "localhost\\evil.example",
    "two values": "localhost, evil.example",
    "two values without a space": "localhost,localhost",
    "port of letters": "localhost:80evil",
    "port with a host": "localhost:80.evil.example",
    "negative port": "localhost:-1",
    "signed port": "localhost:+80",
    "port zero": "localhost:0",
    "port beyond all": "localhost:65536",
    "port in other digits": "localhost:٨٠",
    "two ports": "localhost:80:81",
    "empty port": "localhost:",
    "other literal": "[::2]",
    "literal with a zone": "[::1%25eth0]",
    "mapped literal": "[::ffff:127.0.0.1]",
    "literal without an end": "[::1",
    "literal without brackets": "::1",
    "whole address": "http://localhost",
    "script": "javascript:alert(1)",
    "line end": "localhost\r\nX-Evil: 1",
    "lone line feed": "localhost\n",
    "carriage return": "\rlocalhost",
    "nul": "localhost\0",
    "tab": "local\thost",
    "space": " localhost",
    "markup": "<script>",
    "quotation marks": 'localhost"',
    "dot at the end": "localhost.",
    "below an allowed name": "evil.localhost",
    "above an allowed name": "localhost.evil.example",
    "look-alike": "ⅼocalhost".encode().decode("latin-1"),
    "none": "",
}


def answered(client: Client, target: str, method: str = "GET", **environ: str) -> TestResponse:
    request = TestRequest.blank(
        target, method=method, environ={"HTTP_HOST": "localhost", "REMOTE_ADDR": "203.0.113.9"}
    )
    request.environ.update(environ)
    return client.app.do_request(request, expect_errors=True)


def without_moments(response: TestResponse) -> tuple[int, bytes, Json]:
    """What must not vary: the status, the body up to the seconds in it, and the headers with addresses."""
    headers = {name: response.headers.get(name) for name in ("Link", "Location", "Allow", "Content-Type")}
    return response.status_int, response.body, headers


@pytest.mark.parametrize("shape", PASSED_OVER)
@pytest.mark.parametrize("prefix", [ROOT, f"/en{ALIAS}"])
def test_stranger_changes_no_address(client: Client, shape: str, prefix: str) -> None:
    known = stage(client)

    for route in ("/nothing", *RECORDS):
        target = prefix + route.format_map(known)
        plain = answered(client, target)

        found = answered(client, target, **PASSED_OVER[shape])

        assert without_moments(found) == without_moments(plain), route
        assert b"evil" not in found.body


@pytest.mark.parametrize("shape", PASSED_OVER)
def test_stranger_changes_neither_index_nor_description(client: Client, shape: str) -> None:
    index = answered(client, ALIAS, **PASSED_OVER[shape])
    description = answered(client, f"{ROOT}/doc", **PASSED_OVER[shape])

    assert index.json["_links"] == {"up": [{"href": "http://localhost/wp-json/"}]}
    assert index.headers["Link"] == '<http://localhost/wp-json/>; rel="https://api.w.org/"'
    assert description.json["servers"][0]["url"] == f"http://localhost{ROOT}"
    assert b"evil" not in index.body + description.body


@pytest.mark.parametrize("shape", PASSED_OVER)
def test_stranger_does_not_change_where_a_new_record_is(client: Client, shape: str) -> None:
    request = TestRequest.blank(f"{ROOT}/tags", method="POST", POST={"name": "x"})
    request.environ |= {"HTTP_HOST": "localhost", "REMOTE_ADDR": "203.0.113.9"} | PASSED_OVER[shape]
    request.headers["Authorization"] = client.basic("admin")

    made = client.app.do_request(request, expect_errors=True)

    assert made.status_int == 201
    assert made.headers["Location"] == f"http://localhost{ROOT}/tags/{made.json['id']}"
    assert b"evil" not in made.body


@pytest.mark.parametrize("shape", REFUSED)
def test_odd_host_is_refused_on_every_route_and_never_repeated(client: Client, shape: str) -> None:
    known = stage(client)

    for route in ROUTES:
        found = answered(client, ROOT + route.format_map(known), HTTP_HOST=REFUSED[shape])

        assert (found.status_int, found.json["code"]) == (400, "rest_unknown_host"), route
        assert b"://" not in found.body
        assert b"evil" not in found.body
        assert "Link" not in found.headers
        assert found.headers["Cache-Control"] == "private, no-store"


def test_missing_host_is_refused(client: Client) -> None:
    request = TestRequest.blank(f"{ROOT}/tags")
    del request.environ["HTTP_HOST"]

    found = client.app.do_request(request, expect_errors=True)

    assert (found.status_int, found.json["code"]) == (400, "rest_unknown_host")


def test_write_under_an_odd_host_stores_nothing(client: Client) -> None:
    request = TestRequest.blank(f"{ROOT}/tags", method="POST", POST={"name": "x"})
    request.headers.update({"Authorization": client.basic("admin"), "Host": "evil.example"})

    refused = client.app.do_request(request, expect_errors=True)

    assert refused.status_int == 400
    assert client.get("/tags", {"hide_empty": 0}, status=200).json["total"] == 0


@pytest.mark.parametrize("path", [f"/http://evil.example{ROOT}/tags", f"//evil.example{ROOT}/tags"])
def test_absolute_form_on_the_request_line_names_no_host(client: Client, path: str) -> None:
    found = answered(client, f"{ROOT}/tags", PATH_INFO=path)

    assert found.json["code"] == "rest_no_route"
    assert b"evil" not in found.body


@pytest.mark.parametrize(
    ("environ", "code"),
    [
        ({"HTTP_X_FORWARDED_HOST": "evil.example"}, "rest_unknown_host"),
        ({"HTTP_X_FORWARDED_HOST": "localhost, evil.example"}, "rest_unknown_host"),
        ({"HTTP_X_FORWARDED_HOST": "localhost@evil.example"}, "rest_unknown_host"),
        ({"HTTP_X_FORWARDED_HOST": "localhost\r\nX: y"}, "rest_unknown_host"),
        ({"HTTP_X_FORWARDED_PROTO": "javascript"}, "http"),
        ({"HTTP_X_FORWARDED_PROTO": "https\r\nX: y"}, "http"),
        ({"HTTP_FORWARDED": "host=evil.example;proto=https"}, "http"),
        ({"HTTP_X_HOST": "evil.example"}, "http"),
        ({"HTTP_X_ORIGINAL_URL": "/evil"}, "http"),
    ],
)
class TestTrustedProxy:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, trusted_proxies=("203.0.113.0/24",))

    def test_what_it_passes_on_is_checked_too(
        self, client: Client, environ: dict[str, str], code: str
    ) -> None:
        found = answered(client, f"{ROOT}/tags", **environ).json

        assert found.get("code", found.get("rest_url", "")[:4]) == code
        assert "evil" not in str(found)


@pytest.mark.parametrize("shape", REFUSED)
class TestBaseUrl:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, base_url="https://calendar.example.org")

    def test_no_host_matters(self, client: Client, shape: str) -> None:
        found = answered(client, f"{ROOT}/tags", HTTP_HOST=REFUSED[shape])

        assert found.json["rest_url"] == f"https://calendar.example.org{ROOT}/tags/"
        assert found.headers["Link"] == '<https://calendar.example.org/>; rel="https://api.w.org/"'
