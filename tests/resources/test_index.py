"""`GET /`, and the index above the namespace of an alias, to which the `Link` header sends clients.

tests/conformance has the whole index, with every argument in its order.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from calendar_api.config import Config
from calendar_api.domain.translation import translator
from tests.client import Client
from tests.resources.test_url_prefix import send

Json = dict[str, Any]

ALIAS = "/wp-json/tribe/events/v1"
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


def filters(index: Json) -> Json:
    """The arguments of `GET /events`."""
    arguments: Json = index["routes"][f"/{index['namespace']}/events"]["endpoints"][0]["args"]
    return arguments


def shape(index: Json) -> str:
    """An index without what differs by address, language and moment."""
    text = re.sub(r"'description': (\"[^\"]*\"|'[^']*')", "", str(index["routes"]))
    return MOMENT.sub("", text.replace(index["namespace"], "namespace"))


def test_window_begins_yesterday_and_ends_in_two_years(client: Client) -> None:
    before = datetime.now(UTC).replace(microsecond=0)

    found = filters(client.get("/", status=200).json)
    address = client.get("/events", {"strict_dates": "yes"}, status=200).json["rest_url"]

    after = datetime.now(UTC)
    start, end = found["start_date"]["default"], found["end_date"]["default"]
    days = {(now - timedelta(days=1)).date().isoformat() for now in (before, after)}
    assert start in {f"{day} 23:59:00" for day in days}
    assert before + timedelta(days=729) <= datetime.fromisoformat(end + "+00:00")
    assert datetime.fromisoformat(end + "+00:00") <= after + timedelta(days=732)
    written = start.replace(" ", "+").replace(":", "%3A")
    assert f"&start_date={written}&end_date={end.split()[0]}+" in address


def test_alias_and_language_change_addresses_and_descriptions_only(client: Client) -> None:
    plain = client.get("/?context=nonsense", status=200).json
    alias = client.get(f"http://localhost{ALIAS}", status=200).json
    german = client.get("http://localhost/de/calendar/events/v1", status=200).json

    assert plain["_links"] == {"up": [{"href": "http://localhost:80/"}]}
    assert alias["_links"] == {"up": [{"href": "http://localhost:80/wp-json/"}]}
    assert german["_links"] == {"up": [{"href": "http://localhost:80/de/"}]}
    assert alias["routes"]["/tribe/events/v1/tags"]["_links"] == {
        "self": [{"href": f"http://localhost:80{ALIAS}/tags"}]
    }
    assert shape(alias).replace("/wp-json/namespace", "/namespace") == shape(plain)
    assert shape(german).replace("/de/", "/") == shape(plain)
    assert descriptions(german) == {
        argument: translator("de")(text) for argument, text in descriptions(plain).items()
    }


def descriptions(index: Json) -> dict[tuple[str, int, str], str]:
    return {
        (path, number, name): attributes["description"]
        for path, route in index["routes"].items()
        for number, endpoint in enumerate(route["endpoints"])
        for name, attributes in (endpoint["args"] or {}).items()
    }


class TestSettings:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, per_page=7, timezone="Asia/Tokyo")

    def test_defaults_follow_the_settings(self, client: Client) -> None:
        before = datetime.now(UTC)

        found = filters(client.get("/", status=200).json)

        days = {now.date().isoformat() for now in (before, datetime.now(UTC))}
        assert found["start_date"]["default"] in {f"{day} 08:59:00" for day in days}
        assert found["per_page"]["default"] == "7"


# -- the index above the namespace


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
