"""`GET /`, and the index above the namespace of an alias, to which the `Link` header sends clients.

tests/conformance has the whole index, with every argument in its order.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from calendar_api.domain.translation import translator
from tests.client import Client, ClientWith
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
    other = client.get("/?namespace=other", status=404).json

    assert other["code"] == "rest_invalid_namespace"
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


@pytest.mark.settings(per_page=7, timezone="Asia/Tokyo")
def test_defaults_follow_the_settings(client: Client) -> None:
    before = datetime.now(UTC)
    found = filters(client.get("/", status=200).json)
    days = {now.date().isoformat() for now in (before, datetime.now(UTC))}
    assert found["start_date"]["default"] in {f"{day} 08:59:00" for day in days}
    assert found["per_page"]["default"] == "7"


# -- the index above the namespace


ROOT_INDEX = "/wp-json/"
SITE = "http://localhost"


@pytest.mark.parametrize("target", ["/wp-json", "//WP-JSON//", "/index.php?rest_route=//"])
def test_index_describes_the_namespace_and_its_routes(client: Client, target: str) -> None:
    namespace = send(client, "/wp-json/tribe/events/v1").json
    found = send(client, target)

    assert found.status_int == 200
    *head, (_, routes) = found.json.items()
    said = "Events, venues, organizers, categories and tags of a calendar."
    spaces = ["tribe/events/v1"]
    assert head == [("name", "Calendar"), ("description", said), ("url", SITE), ("namespaces", spaces)]
    assert list(routes) == ["/", *namespace["routes"]]
    assert routes["/tribe/events/v1/tags"] == namespace["routes"]["/tribe/events/v1/tags"]
    assert routes["/"] == send(client, target, "OPTIONS").json
    assert found.headers["Link"] == f'<{SITE}/wp-json/>; rel="https://api.w.org/"'


def test_link_header_of_an_alias_leads_to_the_index(client: Client) -> None:
    pattern = '<https?://[^/]+(/[^>]*)>; rel="https://api.w.org/"'
    for start in ("/wp-json/tribe/events/v1/events", "/de/wp-json/tribe/events/v1", "/wp-json/"):
        link = re.match(pattern, send(client, start).headers["Link"])
        assert link
        assert send(client, link[1]).json["namespaces"] == ["tribe/events/v1"]


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
    assert (head.status_int, head.body, bool(head.headers["ETag"])) == (200, b"", True)
    assert (options.status_int, options.headers["Allow"], options.json["methods"]) == (200, "GET", ["GET"])
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        refused = send(client, ROOT_INDEX, method)
        assert (refused.status_int, refused.json["code"]) == (405, "rest_method_not_allowed")
        assert refused.headers["Allow"] == "GET, HEAD, OPTIONS"


def test_every_alias_below_a_folder_has_an_index_there(client_with: ClientWith) -> None:
    aliases = ("api/v1", "intern/x/tribe/events/v1", "wp-json/tribe/events/v1", "wp-json/other/events/v2")
    some, none = client_with(aliases=aliases, pages="off"), client_with(aliases=(), pages="off")
    for target in ("/intern/x", "/wp-json", "/?rest_route=/"):
        assert send(some, target).json["namespaces"] == ["tribe/events/v1"]
    for target in ("/", "/intern", "/api", "/calendar", "/?rest_route=", "/elsewhere?rest_route=/"):
        assert send(some, target).json["code"] == "rest_no_route"
    for target in ("/wp-json/", "/?rest_route=/", "/"):
        assert send(none, target).json["code"] == "rest_no_route"
