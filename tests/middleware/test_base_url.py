"""Which host, scheme and sub-path the service accepts (docs/interface.md#base-url)."""

import pytest
from webtest import TestApp, TestRequest

from calendar_api.app import create_app
from calendar_api.config import Config
from tests.client import ROOT

HOSTS = {"CALENDAR_ALLOWED_HOSTS": "Calendar.example.org, 192.0.2.7"}
BASE = {
    "CALENDAR_BASE_URL": "https://calendar.example.org:8443/sub/",
    "CALENDAR_TRUSTED_PROXIES": "127.0.0.1",
}
PROXIES = {
    "CALENDAR_ALLOWED_HOSTS": "calendar.example.org,inside",
    "CALENDAR_TRUSTED_PROXIES": "10.1.0.0/16, 2001:db8::1",
}
STRANGERS = {"CALENDAR_ALLOWED_HOSTS": "inside, 192.0.2.7"}  # no proxy is trusted
REFUSED = "rest_unknown_host"


def base(url: str, settings: dict[str, str], **environ: str) -> str:
    """Scheme, host and sub-path of the addresses in a list of tags, or the code of an error."""
    app = TestApp(create_app(Config.load({"CALENDAR_DATABASE_URL": url, **settings})))
    answer = app.do_request(TestRequest.blank(f"{ROOT}/tags", environ=environ), expect_errors=True)
    assert "evil" not in answer.text
    if answer.status_int == 400:
        return str(answer.json["code"])
    assert answer.status_int == 200, answer.text
    address: str = answer.json["rest_url"]
    assert address.endswith(f"{ROOT}/tags/")
    return address.removesuffix(f"{ROOT}/tags/")


@pytest.mark.parametrize(
    ("settings", "host", "expected"),
    [
        *(
            ({}, host, f"http://{host.lower()}")
            for host in ("localhost", "127.0.0.1", "[::1]", "LOCALHOST", "localhost:8080", "[::1]:99")
        ),
        (HOSTS, "calendar.EXAMPLE.org:8000", "http://calendar.example.org:8000"),
        (HOSTS, "192.0.2.7", "http://192.0.2.7"),
        (HOSTS, "localhost", REFUSED),
        *((BASE, host, "https://calendar.example.org:8443/sub") for host in ("evil.example", "", "@@")),
    ],
)
def test_host_is_one_of_the_settings(
    database_url: str, settings: dict[str, str], host: str, expected: str
) -> None:
    assert base(database_url, settings, HTTP_HOST=host) == expected


def test_scheme_is_that_of_the_connection(database_url: str) -> None:
    assert (
        base(database_url, {}, HTTP_HOST="localhost", **{"wsgi.url_scheme": "https"}) == "https://localhost"
    )


@pytest.mark.parametrize(
    ("settings", "peer", "host", "scheme", "expected"),
    [
        *(
            (PROXIES, peer, "calendar.example.org", "https", "https://calendar.example.org")
            for peer in ("10.1.2.3", "2001:db8::1")
        ),
        *(
            (PROXIES, peer, "calendar.example.org", "https", "http://inside")
            for peer in ("10.2.0.1", "2001:db8::2", "127.0.0.1", "", "unix:", "10.1.2.3.4")
        ),
        (STRANGERS, "198.51.100.1", "192.0.2.7", "https", "http://inside"),
        *(
            (PROXIES, "10.1.0.1", "calendar.example.org", scheme, "http://calendar.example.org")
            for scheme in ("ftp", "javascript", "HTTPS ", "https,http", "https\r\nX: y", "")
        ),
        *(
            (PROXIES, "10.1.0.1", host, "https", REFUSED)
            for host in (
                "evil.example",
                "inside, evil.example",
                "inside@evil.example",
                "inside\r\nX: y",
                "inside/x",
                "a b",
            )
        ),
        (BASE, "127.0.0.1", "localhost", "http", "https://calendar.example.org:8443/sub"),
    ],
)
def test_forwarded_headers_are_accepted_from_trusted_proxies_and_checked(
    database_url: str,
    settings: dict[str, str],
    peer: str,
    host: str | None,
    scheme: str | None,
    expected: str,
) -> None:
    forwarded = {"HTTP_X_FORWARDED_HOST": host, "HTTP_X_FORWARDED_PROTO": scheme}
    environ = {name: value for name, value in forwarded.items() if value is not None}
    own = {
        "HTTP_HOST": "inside",
        "REMOTE_ADDR": peer,
        "SCRIPT_NAME": "/elsewhere" if settings == BASE else "",
    }

    assert base(database_url, settings, **own, **environ) == expected


def test_other_headers_of_a_trusted_proxy_are_ignored(database_url: str) -> None:
    for environ in (
        {}, {"HTTP_FORWARDED": "host=evil.example;proto=https"},
        {"HTTP_X_HOST": "evil.example", "HTTP_X_ORIGINAL_URL": "/evil"},
    ):  # fmt: skip
        own = {"HTTP_HOST": "inside", "REMOTE_ADDR": "10.1.0.1", **environ}
        assert base(database_url, PROXIES, **own) == "http://inside"
