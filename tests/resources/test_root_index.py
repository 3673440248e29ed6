"""The index above the namespace of an alias, to which the `Link` header sends clients."""

import re

import pytest

from calendar_api.config import Config
from tests.client import Client
from tests.resources.test_url_prefix import send

ROOT_INDEX = "/wp-json/"
SITE = "http://localhost"


def link_of(client: Client, target: str, **environ: str) -> str:
    found = re.match(
        r'<https?://[^/]+(/[^>]*)>; rel="https://api.w.org/"',
        send(client, target, **environ).headers["Link"],
    )
    assert found
    return found[1]


@pytest.mark.parametrize("target", ["/wp-json", "//WP-JSON//", "/index.php?rest_route=//"])
def test_index_describes_the_namespace_and_its_routes(client: Client, target: str) -> None:
    namespace = send(client, "/wp-json/tribe/events/v1").json

    found = send(client, target)

    assert found.status_int == 200
    assert list(found.json) == ["name", "description", "url", "namespaces", "routes"]
    assert found.json["name"] == "Calendar"
    assert found.json["description"] == "Events, venues, organizers, categories and tags of a calendar."
    assert found.json["url"] == SITE
    assert found.json["namespaces"] == ["tribe/events/v1"]
    assert list(found.json["routes"]) == ["/", *namespace["routes"]]
    assert found.json["routes"]["/tribe/events/v1/tags"] == namespace["routes"]["/tribe/events/v1/tags"]
    assert found.json["routes"]["/"] == send(client, target, "OPTIONS").json
    assert found.headers["Link"] == f'<{SITE}/wp-json/>; rel="https://api.w.org/"'


def test_link_header_of_an_alias_leads_to_the_index(client: Client) -> None:
    for start in ("/wp-json/tribe/events/v1/events", "/de/wp-json/tribe/events/v1", "/wp-json/"):
        index = send(client, link_of(client, start))

        assert index.status_int == 200
        assert index.json["namespaces"] == ["tribe/events/v1"]


def test_language_and_sub_path_are_echoed(client: Client) -> None:
    found = send(client, "/de/wp-json/", SCRIPT_NAME="/site")

    assert found.json["url"] == f"{SITE}/site/de"
    assert found.json["name"] == "Kalender"
    assert found.json["routes"]["/"]["_links"] == {"self": [{"href": f"{SITE}/site/de/wp-json/"}]}
    assert found.json["routes"]["/tribe/events/v1"]["_links"] == {
        "self": [{"href": f"{SITE}/site/de/wp-json/tribe/events/v1"}]
    }


def test_head_options_and_other_methods(client: Client) -> None:
    head, options = (send(client, ROOT_INDEX, method) for method in ("HEAD", "OPTIONS"))

    assert (head.status_int, head.body) == (200, b"")
    assert head.headers["ETag"]
    assert (options.status_int, options.headers["Allow"]) == (200, "GET")
    assert options.json["methods"] == ["GET"]
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        refused = send(client, ROOT_INDEX, method)

        assert (refused.status_int, refused.json["code"]) == (405, "rest_method_not_allowed")
        assert refused.headers["Allow"] == "GET, HEAD, OPTIONS"


def test_request_log_names_the_route(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    send(client, "/WP-JSON/")
    send(client, "/elsewhere")

    lines = capfd.readouterr().err.splitlines()
    assert '"route":"/",' in lines[-2]
    assert '"route"' not in lines[-1]


class TestBaseUrl:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, base_url="https://cal.example.org/site")

    def test_index_names_the_base_url(self, client: Client) -> None:
        found = send(client, ROOT_INDEX, HTTP_HOST="evil.example")

        assert found.json["url"] == "https://cal.example.org/site"
        assert found.headers["Link"] == '<https://cal.example.org/site/wp-json/>; rel="https://api.w.org/"'


class TestAliases:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        aliases = ("api/v1", "intern/x/tribe/events/v1", "wp-json/tribe/events/v1", "wp-json/other/events/v2")
        return Config(database_url=database_url, aliases=aliases, pages="off")

    def test_every_alias_below_a_folder_has_an_index_there(self, client: Client) -> None:
        for target in ("/intern/x", "/wp-json", "/?rest_route=/"):
            assert send(client, target).json["namespaces"] == ["tribe/events/v1"]
        for target in ("/", "/intern", "/api", "/calendar", "/?rest_route=", "/elsewhere?rest_route=/"):
            assert send(client, target).json["code"] == "rest_no_route"


class TestNoAlias:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, aliases=(), pages="off")

    def test_there_is_no_index(self, client: Client) -> None:
        for target in ("/wp-json/", "/?rest_route=/", "/"):
            assert send(client, target).json["code"] == "rest_no_route"
