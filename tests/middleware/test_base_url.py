"""Which host, scheme and sub-path the service accepts (docs/interface.md#base-url)."""

from typing import Any

import pytest
from webtest import TestRequest, TestResponse

from calendar_api.config import Config
from tests.client import ROOT, Client

FORWARDED = {"X-Forwarded-Host": "calendar.example.org", "X-Forwarded-Proto": "https"}


def get(client: Client, path: str = "/tags", host: str = "localhost", **environ: Any) -> TestResponse:
    request = TestRequest.blank(ROOT + path, environ={"HTTP_HOST": host, **environ})
    return client.app.do_request(request, expect_errors=True)


def base(response: TestResponse) -> str:
    """Scheme, host and sub-path of the addresses in a list of tags."""
    assert response.status_int == 200, response.text
    address: str = response.json["rest_url"]
    assert address.endswith(f"{ROOT}/tags/")
    return address.removesuffix(f"{ROOT}/tags/")


def loaded(database_url: str, **settings: str) -> Config:
    return Config.load({"CALENDAR_DATABASE_URL": database_url, **settings})


def refused(response: TestResponse) -> bool:
    return (response.status_int, response.json["code"]) == (400, "rest_unknown_host")


def test_loopback_names_are_accepted_by_default(client: Client) -> None:
    for host in ("localhost", "127.0.0.1", "[::1]", "LOCALHOST", "localhost:8080", "[::1]:99"):
        assert base(get(client, host=host)) == f"http://{host.lower()}"


class TestAllowedHosts:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return loaded(database_url, CALENDAR_ALLOWED_HOSTS="Calendar.example.org, 192.0.2.7")

    def test_hosts_of_the_setting_are_accepted(self, client: Client) -> None:
        assert base(get(client, host="calendar.EXAMPLE.org:8000")) == "http://calendar.example.org:8000"
        assert base(get(client, host="192.0.2.7")) == "http://192.0.2.7"

    def test_setting_replaces_the_loopback_names(self, client: Client) -> None:
        assert refused(get(client, host="localhost"))

    def test_forwarded_headers_of_strangers_are_not_accepted(self, client: Client) -> None:
        forwarded = {"HTTP_X_FORWARDED_HOST": "192.0.2.7", "HTTP_X_FORWARDED_PROTO": "https"}

        response = get(client, host="calendar.example.org", REMOTE_ADDR="198.51.100.1", **forwarded)

        assert base(response) == "http://calendar.example.org"


class TestBaseUrl:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        base_url = "https://calendar.example.org:8443/sub/"
        return loaded(database_url, CALENDAR_BASE_URL=base_url, CALENDAR_TRUSTED_PROXIES="127.0.0.1")

    def test_base_url_goes_before_every_host(self, client: Client) -> None:
        for host in ("localhost", "evil.example", "", "@@"):
            assert base(get(client, host=host)) == "https://calendar.example.org:8443/sub"

    def test_base_url_goes_before_forwarded_headers_and_the_sub_path(self, client: Client) -> None:
        response = get(
            client,
            REMOTE_ADDR="127.0.0.1",
            HTTP_X_FORWARDED_HOST="localhost",
            HTTP_X_FORWARDED_PROTO="http",
            SCRIPT_NAME="/elsewhere",
        )

        assert base(response) == "https://calendar.example.org:8443/sub"


class TestTrustedProxies:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return loaded(
            database_url,
            CALENDAR_ALLOWED_HOSTS="calendar.example.org,inside",
            CALENDAR_TRUSTED_PROXIES="10.1.0.0/16, 2001:db8::1",
        )

    @pytest.mark.parametrize("address", ["10.1.2.3", "2001:db8::1"])
    def test_forwarded_headers_of_a_proxy_are_accepted(self, client: Client, address: str) -> None:
        assert base(forwarded(client, address, FORWARDED)) == "https://calendar.example.org"

    @pytest.mark.parametrize("address", ["10.2.0.1", "2001:db8::2", "127.0.0.1", "", "unix:", "10.1.2.3.4"])
    def test_forwarded_headers_of_others_are_not(self, client: Client, address: str) -> None:
        assert base(forwarded(client, address, FORWARDED)) == "http://inside"

    @pytest.mark.parametrize("scheme", ["ftp", "javascript", "HTTPS ", "https,http", ""])
    def test_invalid_forwarded_scheme_is_ignored(self, client: Client, scheme: str) -> None:
        response = forwarded(client, "10.1.0.1", {**FORWARDED, "X-Forwarded-Proto": scheme})

        assert base(response) == "http://calendar.example.org"

    @pytest.mark.parametrize("host", ["evil.example", "calendar.example.org/x", "a b"])
    def test_forwarded_host_has_to_be_allowed_too(self, client: Client, host: str) -> None:
        assert refused(forwarded(client, "10.1.0.1", {**FORWARDED, "X-Forwarded-Host": host}))

    def test_proxy_that_forwards_nothing_leaves_the_host(self, client: Client) -> None:
        assert base(forwarded(client, "10.1.0.1", {})) == "http://inside"


def forwarded(client: Client, address: str, headers: dict[str, str]) -> TestResponse:
    environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
    return get(client, host="inside", REMOTE_ADDR=address, **environ)


def test_scheme_is_that_of_the_connection(client: Client) -> None:
    assert base(get(client, **{"wsgi.url_scheme": "https"})) == "https://localhost"
