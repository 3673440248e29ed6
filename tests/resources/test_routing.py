"""Paths, methods, HEAD and OPTIONS (docs/interface.md#head-and-options, #path-matching, #routes)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from tests import factories
from tests.client import ROOT, Client

LISTS = ("events", "venues", "organizers", "categories", "tags")
MAKE = {
    "events": factories.event,
    "venues": factories.venue,
    "organizers": factories.organizer,
    "categories": factories.category,
    "tags": factories.tag,
}
NOUN = {
    "events": "event",
    "venues": "venue",
    "organizers": "organizer",
    "categories": "category",
    "tags": "tag",
}
ALL = "GET, DELETE, POST, PUT, PATCH"
TERMS = "GET, POST, PUT, PATCH, DELETE"

odd_methods = pytest.mark.filterwarnings("ignore:Unknown REQUEST_METHOD")  # of the WSGI checker


def every_path(client: Client) -> list[str]:
    """An existing path on every route."""
    paths = ["/"]
    for plural in LISTS:
        made = MAKE[plural](client)
        paths += [f"/{plural}", f"/{plural}/{made['id']}"]
        if plural not in ("categories", "tags"):
            paths.append(f"/{plural}/by-slug/{made['slug']}")
    return paths


@pytest.mark.parametrize("plural", LISTS)
@pytest.mark.parametrize("spelling", ["{}/", "0{}", "000000{}", "/{}//"])
def test_spellings_of_an_id(client: Client, plural: str, spelling: str) -> None:
    made = MAKE[plural](client)

    read = client.get(f"/{plural}/" + spelling.format(made["id"]), status=200).json

    assert read["id"] == made["id"]


@pytest.mark.both_databases
@pytest.mark.parametrize("plural", LISTS)
@pytest.mark.parametrize("id", ["0", "999999", str(2**31), str(2**63 - 1), str(2**63), "9" * 50, "9" * 5000])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_id_of_nothing_is_not_found(client: Client, plural: str, id: str, method: str) -> None:
    body: Any = {} if method == "PUT" else None
    response = client.send(method, f"/{plural}/{id}", body, as_="admin", status=404)

    if method != "HEAD":
        assert response.json["code"] == f"rest-{NOUN[plural]}-not-found"


@pytest.mark.parametrize("plural", LISTS)
@pytest.mark.parametrize(
    "id",
    [
        "-1",
        "+1",
        "1.0",
        "1e1",
        "0x1",
        "%D9%A1",
        "%EF%BC%91",
        "%C2%B2",
        "1%20",
        "%201",
        "1_0",
        "foo",
        "1%00",
        "1;a",
    ],
)
def test_id_that_is_no_number_is_no_route(client: Client, plural: str, id: str) -> None:
    for method in ("GET", "DELETE", "PATCH"):
        assert client.send(method, f"/{plural}/{id}", as_="admin", status=404).json["code"] == "rest_no_route"


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/events/1/2",
        "/events/by-slug",
        "/events/by-slug/a/b",
        "/categories/by-slug/music",
        "/tags/by-slug/jazz",
        "/eventsx",
        "/event",
        "/.",
        "/events/../tags",
        "/%FF%FE",
        "/\\",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "HEAD"])
def test_unknown_route(client: Client, path: str, method: str) -> None:
    response = client.send(method, path, status=404)

    if method != "HEAD":
        assert response.json["code"] == "rest_no_route"
        assert response.json["data"] == {"status": 404}


@pytest.mark.parametrize(
    "path", ["/", "/calendar", "/calendar/events", "/calendar/events/v2", "/favicon.ico"]
)
def test_nothing_answers_beside_the_namespace(client: Client, path: str) -> None:
    response = client.app.get(path, expect_errors=True)

    assert (response.status_int, response.json["code"]) == (404, "rest_no_route")


@odd_methods
@pytest.mark.parametrize("plural", LISTS)
@pytest.mark.parametrize(
    "method", ["PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "FOO", "PROPFIND", "WEBSOCKET"]
)
def test_wrong_method_on_a_list(client: Client, plural: str, method: str) -> None:
    """405 (docs/interface.md#routes)."""
    response = client.send(method, f"/{plural}", as_="admin", status=405)

    assert response.json["code"] == "rest_method_not_allowed"
    assert response.headers["Allow"] == "GET, POST, HEAD, OPTIONS"


@odd_methods
@pytest.mark.parametrize("path", ["/health", "/nothing", f"{ROOT}/nothing"])
def test_websocket_is_a_method_like_any_other(client: Client, path: str) -> None:
    response = client.app.request(path, method="WEBSOCKET", expect_errors=True)

    assert response.status_int == (405 if path == "/health" else 404)
    assert response.headers["X-Request-Id"]


@odd_methods
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "FOO"])
def test_wrong_method_on_the_index(client: Client, method: str) -> None:
    response = client.send(method, "/", as_="admin", status=405)

    assert response.json["code"] == "rest_method_not_allowed"
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS"


@odd_methods
def test_wrong_method_on_a_record(client: Client) -> None:
    answers = [client.send("FOO", path, status=405) for path in every_path(client) if path.count("/") > 1]

    assert len(answers) == 8
    assert {answer.headers["Allow"] for answer in answers} == {
        f"{ALL}, HEAD, OPTIONS",
        f"{TERMS}, HEAD, OPTIONS",
    }


@odd_methods
def test_unknown_method_on_an_unknown_route_is_no_route(client: Client) -> None:
    assert client.send("FOO", "/nothing", status=404).json["code"] == "rest_no_route"


@pytest.fixture
def standing() -> Iterator[None]:
    """A clock that stands still: the description of `/` shows the time."""
    with time_machine.travel(datetime.now(UTC), tick=False):
        yield


@pytest.mark.parametrize("as_", [None, "admin", "contributor"])
@pytest.mark.usefixtures("standing")
def test_head_is_get_without_a_body_on_every_route(client: Client, as_: str | None) -> None:
    for path in [*every_path(client), "/events?per_page=1&page=1", "/events/999999", "/venues?page=2", "/x"]:
        read = client.get(path, as_=as_)
        head = client.send("HEAD", path, as_=as_)

        assert head.status_int == read.status_int, path
        assert _headers(head) == _headers(read), path


def _headers(response: Any) -> dict[str, str]:
    return {name: value for name, value in response.headers.items() if name.lower() != "x-request-id"}


def test_options_needs_no_record(client: Client) -> None:
    assert client.send("OPTIONS", "/events/999999", status=200).json["methods"] == ALL.split(", ")


def test_allow_reflects_the_caller_on_lists(client: Client) -> None:
    found = {
        role: [
            client.send(method, f"/{plural}", as_=role, status=200).headers["Allow"]
            for plural in LISTS
            for method in ("GET", "OPTIONS")
        ]
        for role in (None, "subscriber", "contributor", "author", "editor", "admin")
    }

    reads, writes = ["GET"] * 2, ["GET, POST"] * 2
    assert found == {
        None: reads * 5,
        "subscriber": reads * 5,
        "contributor": writes * 3 + reads * 2,
        "author": writes * 4 + reads,
        "editor": writes * 5,
        "admin": writes * 5,
    }


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "application/xml",
        "*/*",
        "",
        "image/png;q=0.5",
        "application/json;q=0",
        "garbage",
        "a/b/c,,;",
    ],
)
def test_answers_are_json_whatever_accept_says(client: Client, accept: str) -> None:
    for path, status in (("/events", 200), ("/events/999999", 404), ("/nothing", 404)):
        response = client.get(path, headers={"Accept": accept}, status=status)

        assert response.headers["Content-Type"] == "application/json; charset=UTF-8"


@pytest.mark.both_databases
def test_slug_in_the_path_is_read_in_any_letter_case_and_percent_encoded(client: Client) -> None:
    made = factories.event(client, title="Ωδείο Αθηνών")

    for slug in (
        "ωδείο-αθηνών",
        "ΩΔΕΊΟ-ΑΘΗΝΏΝ",
        "%CF%89%CE%B4%CE%B5%CE%AF%CE%BF-αθηνών",
        "ωδει\u0301ο-αθηνών/",
    ):
        assert client.get(f"/events/by-slug/{_quoted(slug)}", status=200).json["id"] == made["id"], slug


def _quoted(slug: str) -> str:
    return "".join(c if c.isascii() else "".join(f"%{byte:02X}" for byte in c.encode()) for c in slug)
