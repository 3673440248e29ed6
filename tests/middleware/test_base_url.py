"""Which host, scheme and sub-path the service accepts (docs/interface.md#base-url)."""

from itertools import product

import pytest
from webtest import TestApp, TestRequest

from calendar_api.config import Config
from tests.client import ROOT
from tests.conftest import application

HOSTS = {"CALENDAR_ALLOWED_HOSTS": "Calendar.example.org, 192.0.2.7"}
SITE = "https://calendar.example.org"
BASE = {"CALENDAR_BASE_URL": f"{SITE}:8443/sub/", "CALENDAR_TRUSTED_PROXIES": "127.0.0.1"}
PROXIES = {
    "CALENDAR_ALLOWED_HOSTS": "calendar.example.org,inside",
    "CALENDAR_TRUSTED_PROXIES": "10.1.0.0/16, 2001:db8::1",
}
STRANGERS = {"CALENDAR_ALLOWED_HOSTS": "inside, 192.0.2.7"}  # no proxy is trusted
REFUSED = "rest_unknown_host"


def base(url: str, settings: dict[str, str], **environ: str) -> str:
    """Scheme, host and sub-path of the addresses in a list of tags, or the code of an error."""
    app = TestApp(application(Config.load({"CALENDAR_DATABASE_URL": url, **settings})))
    answer = app.do_request(TestRequest.blank(f"{ROOT}/tags", environ=environ), expect_errors=True)
    assert "evil" not in answer.text
    if answer.status_int == 400:
        return str(answer.json["code"])
    assert answer.status_int == 200, answer.text
    address: str = answer.json["rest_url"]
    assert address.endswith(f"{ROOT}/tags/")
    return address.removesuffix(f"{ROOT}/tags/")


def test_host_is_one_of_the_settings(database_url: str) -> None:
    for host in ("localhost", "127.0.0.1", "[::1]", "LOCALHOST", "localhost:8080", "[::1]:99"):
        assert base(database_url, {}, HTTP_HOST=host) == f"http://{host.lower()}"
    for host, expected in (
        ("calendar.EXAMPLE.org:8000", "http://calendar.example.org:8000"), ("192.0.2.7", "http://192.0.2.7"),
        ("localhost", REFUSED),
    ):  # fmt: skip
        assert base(database_url, HOSTS, HTTP_HOST=host) == expected
    for host in ("evil.example", "", "@@"):
        assert base(database_url, BASE, HTTP_HOST=host) == f"{SITE}:8443/sub"
    connection = {"wsgi.url_scheme": "https"}
    assert base(database_url, {}, HTTP_HOST="localhost", **connection) == "https://localhost"


@pytest.mark.parametrize(
    ("settings", "peers", "hosts", "schemes", "expected"),
    [
        (PROXIES, ("10.1.2.3", "2001:db8::1"), ("calendar.example.org",), ("https",), SITE),
        (PROXIES, ("10.2.0.1", "2001:db8::2", "127.0.0.1", "", "unix:", "10.1.2.3.4"),
         ("calendar.example.org",), ("https",), "http://inside"),
        (STRANGERS, ("198.51.100.1",), ("192.0.2.7",), ("https",), "http://inside"),
        (PROXIES, ("10.1.0.1",), ("calendar.example.org",),
         ("ftp", "javascript", "HTTPS ", "https,http", "https\r\nX: y", ""), "http://calendar.example.org"),
        (PROXIES, ("10.1.0.1",), ("evil.example", "inside, evil.example", "inside@evil.example",
         "inside\r\nX: y", "inside/x", "a b"), ("https",), REFUSED),
        (BASE, ("127.0.0.1",), ("localhost",), ("http",), f"{SITE}:8443/sub"),
    ],
    ids=["trusted", "not trusted", "none trusted", "schemes", "hosts", "base URL"],
)  # fmt: skip
def test_forwarded_headers_are_accepted_from_trusted_proxies_and_checked(
    database_url: str, settings: dict[str, str], peers: tuple[str, ...], hosts: tuple[str, ...],
    schemes: tuple[str, ...], expected: str,
) -> None:  # fmt: skip
    for peer, host, scheme in product(peers, hosts, schemes):
        own = {
            "HTTP_HOST": "inside", "REMOTE_ADDR": peer, "HTTP_X_FORWARDED_HOST": host,
            "HTTP_X_FORWARDED_PROTO": scheme, "SCRIPT_NAME": "/elsewhere" if settings == BASE else "",
        }  # fmt: skip
        assert base(database_url, settings, **own) == expected, own


def test_other_headers_of_a_trusted_proxy_are_ignored(database_url: str) -> None:
    for environ in (
        {}, {"HTTP_FORWARDED": "host=evil.example;proto=https"},
        {"HTTP_X_HOST": "evil.example", "HTTP_X_ORIGINAL_URL": "/evil"},
    ):  # fmt: skip
        own = {"HTTP_HOST": "inside", "REMOTE_ADDR": "10.1.0.1", **environ}
        assert base(database_url, PROXIES, **own) == "http://inside"
