"""Headers of an untrusted peer change no address in any response: they are ignored, or refused with 400."""

from typing import Any

from webtest import TestRequest, TestResponse

from tests.client import ROOT, Client
from tests.resources.test_url_prefix import ALIAS, RECORDS, create_records, send

Json = dict[str, Any]

PASSED_OVER: dict[str, dict[str, str]] = {
    "forwarded host": {"HTTP_X_FORWARDED_HOST": "evil.example"},
    "forwarded scheme": {"HTTP_X_FORWARDED_PROTO": "https", "HTTP_X_URL_SCHEME": "https"},
    "forwarded prefix": {"HTTP_X_FORWARDED_PREFIX": "/evil", "HTTP_X_FORWARDED_PORT": "666"},
    "forwarded script name": {"HTTP_X_FORWARDED_SCRIPT_NAME": "/evil", "HTTP_X_SCRIPT_NAME": "/evil"},
    "standard forwarded": {"HTTP_FORWARDED": "for=10.0.0.1;host=evil.example;proto=https"},
    "original url": {"HTTP_X_ORIGINAL_URL": "/evil", "HTTP_X_REWRITE_URL": "/evil"},
    "other host headers": {"HTTP_X_HOST": "evil.example", "HTTP_X_FORWARDED_SERVER": "evil.example"},
    "address of a proxy": {"HTTP_X_FORWARDED_FOR": "10.0.0.1", "HTTP_X_REAL_IP": "10.0.0.1"},
    "server name": {"SERVER_NAME": "evil.example", "SERVER_PORT": "666"},
    "referer and origin": {"HTTP_REFERER": "https://evil.example/", "HTTP_ORIGIN": "https://evil.example"},
}


#: The address of every request here.
PEER = {"REMOTE_ADDR": "203.0.113.9"}


def without_moments(response: TestResponse) -> tuple[int, bytes, Json]:
    """What must not vary: the status, the body up to the seconds in it, and the headers with addresses."""
    headers = {name: response.headers.get(name) for name in ("Link", "Location", "Allow", "Content-Type")}
    return response.status_int, response.body, headers


def test_untrusted_headers_change_no_address(client: Client) -> None:
    known = create_records(client)
    for route in ("/nothing", *RECORDS):
        target = f"/en{ALIAS}{route.format_map(known)}"
        plain = without_moments(send(client, target, **PEER))
        for shape, environ in PASSED_OVER.items():
            found = send(client, target, **PEER | environ)
            assert without_moments(found) == plain, (route, shape)
            assert b"evil" not in found.body
    for environ in PASSED_OVER.values():
        index, description = (send(client, path, **PEER | environ) for path in (ALIAS, f"{ROOT}/doc"))
        assert index.json["_links"] == {"up": [{"href": "http://localhost/wp-json/"}]}
        assert description.json["servers"][0]["url"] == f"http://localhost{ROOT}"


def created(client: Client, name: str, **environ: str) -> TestResponse:
    """The response to a request that creates a tag."""
    request = TestRequest.blank(f"{ROOT}/tags", method="POST", POST={"name": name})
    request.environ |= {"HTTP_HOST": "localhost", **PEER, **environ}
    request.headers["Authorization"] = client.basic("admin")
    return client.app.do_request(request, expect_errors=True)


def test_untrusted_headers_do_not_change_where_a_new_record_is(client: Client) -> None:
    for number, environ in enumerate(PASSED_OVER.values()):
        made = created(client, f"x{number}", **environ)
        assert made.headers["Location"] == f"http://localhost{ROOT}/tags/{made.json['id']}"
        assert b"evil" not in made.body


def test_write_under_an_odd_host_stores_nothing(client: Client) -> None:
    refused = created(client, "x", HTTP_HOST="evil.example")
    assert (refused.status_int, refused.json["code"]) == (400, "rest_unknown_host")
    assert b"evil" not in refused.body
    assert "Link" not in refused.headers
    assert client.get("/tags", {"hide_empty": 0}, status=200).json["total"] == 0


def test_odd_host_is_refused_and_never_repeated(client: Client) -> None:
    for host in (
        "evil.example", "localhost.evil.example", "evil.localhost", "localhost@evil.example",
        "localhost/evil", "localhost:80:80", "localhost:port", "localhost:123456", "localhost evil.example",
        "localhost,evil.example", "localhost\t", "localhost.", "[::1", "::1", "[::1]evil", "", "x" * 300,
        "löcalhost", "localhost?x=", "localhost#@evil.example", "localhost\\evil.example", "localhost:-1",
        "localhost:80@evil.example", "localhost:80.evil.example", "localhost:+80", "localhost:0",
        "localhost:65536", "localhost:٨٠", "localhost:", "[::2]", "[::1%25eth0]", "[::ffff:127.0.0.1]",
        "http://localhost", "localhost\r\nX-Evil: 1", "\rlocalhost", "localhost\0", " localhost",
        'localhost"', "<script>", "ⅼocalhost".encode().decode("latin-1"),
    ):  # fmt: skip
        found = send(client, f"{ROOT}/tags", HTTP_HOST=host)
        assert (found.status_int, found.json["code"]) == (400, "rest_unknown_host"), host
        assert b"evil" not in found.body
        assert "Link" not in found.headers
        assert found.headers["Cache-Control"] == "private, no-store"
