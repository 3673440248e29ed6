"""Paths, methods, HEAD and OPTIONS, and POST that stands for another method.

See docs/interface.md#head-and-options, #path-matching, #routes, #method-override.
"""

import json
import re
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest
import time_machine

from tests import factories, wsgi
from tests.client import ROOT, Client
from tests.resources.test_index import MOMENT

NOUNS = {
    "events": "event", "venues": "venue", "organizers": "organizer", "categories": "category", "tags": "tag"
}  # fmt: skip
odd_methods = pytest.mark.filterwarnings("ignore:Unknown REQUEST_METHOD")  # of the WSGI checker
HEADER = "X-HTTP-Method-Override"


def every_path(client: Client) -> list[str]:
    """An existing path on every route."""
    paths = ["/"]
    for plural, noun in NOUNS.items():
        made = getattr(factories, noun)(client)
        paths += [f"/{plural}", f"/{plural}/{made['id']}"]
        if plural not in ("categories", "tags"):
            paths.append(f"/{plural}/by-slug/{made['slug']}")
    return paths


def test_spellings_of_an_id(client: Client) -> None:
    id = factories.venue(client)["id"]
    for spelling in ("/venues/{}/", "/venues/000000{}", "/venues/" + "0" * 5000 + "{}", "//venues/{}//"):
        assert client.get(spelling.format(id), status=200).json["id"] == id
    for spelling in (
        "-1", "+1", "1.0", "0x1", "%D9%A1", "%EF%BC%91", "%C2%B2", "1%20", "%201", "1_0", "1%00", "1;a"
    ):  # fmt: skip
        answer = client.send("PATCH", f"/venues/{spelling}", as_="admin", status=404)
        assert answer.json["code"] == "rest_no_route"


@pytest.mark.both_databases
def test_id_of_nothing_is_not_found(client: Client) -> None:
    for id in ("0", "999999", str(2**31), str(2**63), "9" * 5000):
        for method in ("GET", "HEAD", "PUT", "DELETE"):
            body: Any = {} if method == "PUT" else None
            answer = client.send(method, f"/events/{id}", body, as_="admin", status=404)
            if method != "HEAD":
                assert answer.json["code"] == "rest-event-not-found"


@odd_methods
def test_unknown_route(client: Client) -> None:
    for path in (
        "/nothing", "/events/1/2", "/events/by-slug", "/events/by-slug/a/b", "/categories/by-slug/music",
        "/tags/by-slug/jazz", "/eventsx", "/.", "/events/../tags", "/%FF%FE", "/\\",
    ):  # fmt: skip
        for method in ("GET", "POST", "OPTIONS", "HEAD", "FOO"):
            response = client.send(method, path, status=404)
            if method != "HEAD":
                assert response.json["code"] == "rest_no_route"
                assert response.json["data"] == {"status": 404}


@odd_methods
@pytest.mark.parametrize("path", ["/health", "/nothing", f"{ROOT}/nothing"])
def test_websocket_is_a_method_like_any_other(client: Client, path: str) -> None:
    response = client.app.request(path, method="WEBSOCKET", expect_errors=True)
    assert response.status_int == (405 if path == "/health" else 404)
    assert response.headers["X-Request-Id"]


def test_head_is_get_without_a_body_on_every_route(client: Client) -> None:
    paths = [*every_path(client), "/events?per_page=1&page=1", "/events/999999", "/venues?page=2", "/x"]
    with time_machine.travel(datetime.now(UTC), tick=False):  # the description of `/` shows the time
        for path, as_ in product(paths, (None, "admin", "contributor")):
            read, head = (client.send(method, path, as_=as_) for method in ("GET", "HEAD"))
            assert (head.status_int, head.body) == (read.status_int, b""), path
            for one in (read, head):
                del one.headers["X-Request-Id"]
            assert dict(head.headers) == dict(read.headers), path


def test_answers_are_json_whatever_accept_says(client: Client) -> None:
    for accept in ("text/html", "*/*", "", "application/json;q=0", "a/b/c,,;"):
        for path, status in (("/events", 200), ("/events/999999", 404), ("/nothing", 404)):
            response = client.get(path, headers={"Accept": accept}, status=status)
            assert response.headers["Content-Type"] == "application/json; charset=UTF-8"


@pytest.fixture
def path(client: Client) -> str:
    return f"/venues/{factories.venue(client)['id']}"


def test_post_stands_for_an_update(client: Client, path: str) -> None:
    for query, headers in (
        ("", {HEADER: "Patch"}), ("?_method=put", {}),
        ("?_method=DELETE", {HEADER: "PUT"}),  # the header goes first
        ("?_method=DELETE&_method=PUT", {}),  # the last parameter counts
    ):  # fmt: skip
        city = query + str(headers)
        changed = client.post(path + query, {"city": city}, as_="admin", headers=headers, status=200)
        assert changed.json["city"] == client.get(path, status=200).json["city"] == city


def test_other_methods_are_passed_over(client: Client) -> None:
    methods = [{HEADER: name} for name in ("GET", "OPTIONS", "POST", "FOO", "", "DELETE,PUT")]
    for number, headers in enumerate([*methods, {}]):
        path, body = "/tags" if headers else "/tags?_method=DELETE%20", {"name": f"x{number}"}
        made = client.post(path, body, as_="admin", headers=headers, status=201).json
        assert client.get(f"/tags/{made['id']}", status=200).json["name"] == f"x{number}"


def test_only_post_can_stand_for_another(client: Client, path: str) -> None:
    for method in ("GET", "HEAD", "OPTIONS", "PUT", "PATCH"):
        client.send(method, f"{path}?_method=DELETE", as_="admin", headers={HEADER: "DELETE"}, status=200)
    client.post(path, {"_method": "DELETE"}, as_="admin", status=200)
    client.post(path, form={"_method": "DELETE"}, as_="admin", status=200)
    client.get(path, status=200)


def test_route_is_described_as_in_the_index(client: Client) -> None:
    index = client.get("/", status=200).json
    for path, route in index["routes"].items():
        address = path.replace(r"(?P<id>\d+)", "4711").replace("(?P<slug>[^/]+)", "nothing")
        address = re.sub(r"\\\.\(\?P<format>(\w+)[^)]*\)", r".\1", address)
        answer = client.send("OPTIONS", f"http://localhost/{address.lstrip('/')}", status=200)
        assert MOMENT.sub("", str(answer.json)) == MOMENT.sub("", str(route))
        assert answer.headers["Allow"] == "GET"


def test_options_of_the_whole_server_is_that_of_the_index(client: Client) -> None:
    status, headers, body = wsgi.call(client.app.app, wsgi.environ("OPTIONS", "*"))
    _, _, expected = wsgi.call(client.app.app, wsgi.environ("OPTIONS", ROOT))

    assert (status, dict(headers)["allow"]) == (200, "GET")
    assert MOMENT.sub("", str(json.loads(body))) == MOMENT.sub("", str(json.loads(expected)))


def test_options_needs_no_body_and_looks_at_none(client: Client) -> None:
    response = client.send("OPTIONS", "/tags", raw=b"{", content_type="application/json", status=200)
    assert response.json["_links"] == {"self": [{"href": f"http://localhost:80{ROOT}/tags"}]}
