"""OPTIONS on every route: the route as the index describes it, and what this caller may do there."""

import pytest

from tests import factories
from tests.client import ROOT, Client
from tests.resources.test_index import expected, facts_of, shown, tables

EVERYTHING = "GET, DELETE, POST, PUT, PATCH"
TERM = "GET, POST, PUT, PATCH, DELETE"
PATHS = {
    path: path.replace(r"(?P<id>\d+)", "4711").replace("(?P<slug>[^/]+)", "nothing")
    for path in tables()["routes"]
}


@pytest.mark.parametrize("path", PATHS)
def test_route_is_described_as_in_the_index(client: Client, path: str) -> None:
    index = client.get("/", status=200).json

    route = client.send("OPTIONS", PATHS[path], status=200).json

    facts = facts_of(index)
    if path == "/events":
        filters = route["endpoints"][0]["args"]
        facts["{end of the window}"] = filters["end_date"]["default"]
    indexed = index["routes"][f"/calendar/events/v1{path}"]
    assert shown(route) == expected(path, facts)
    assert [route.get(key) for key in ("namespace", "methods", "_links")] == [
        indexed.get(key) for key in ("namespace", "methods", "_links")
    ]


@pytest.mark.parametrize("path", PATHS)
def test_anonymous_caller_may_only_read(client: Client, path: str) -> None:
    assert client.send("OPTIONS", PATHS[path], status=200).headers["Allow"] == "GET"


@pytest.mark.parametrize(
    ("path", "as_", "allow"),
    [
        ("/", "admin", "GET"),
        ("/doc", "admin", "GET"),
        ("/events", "subscriber", "GET"),
        ("/events", "contributor", "GET, POST"),
        ("/venues", "author", "GET, POST"),
        ("/organizers", "editor", "GET, POST"),
        ("/categories", "contributor", "GET"),
        ("/categories", "author", "GET, POST"),
        ("/tags", "author", "GET"),
        ("/tags", "editor", "GET, POST"),
        ("/events/4711", "subscriber", "GET"),
        ("/events/4711", "author", EVERYTHING),
        ("/events/by-slug/nothing", "author", EVERYTHING),
        ("/categories/4711", "author", TERM),
        ("/tags/4711", "author", "GET"),
    ],
)
def test_allow_follows_the_role(client: Client, path: str, as_: str, allow: str) -> None:
    assert client.send("OPTIONS", path, as_=as_, status=200).headers["Allow"] == allow


@pytest.mark.parametrize(
    ("as_", "allow"),
    [
        (None, "GET"),
        ("subscriber", "GET"),
        ("contributor", "GET"),
        ("author2", "GET"),
        ("author", EVERYTHING),
        ("editor", EVERYTHING),
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_allow_follows_the_record(client: Client, method: str, as_: str | None, allow: str) -> None:
    event = factories.event(client, as_="author")
    venue = factories.venue(client, as_="author")

    for path in (
        f"/events/{event['id']}",
        f"/events/by-slug/{event['slug']}",
        f"/venues/{venue['id']}",
        f"/venues/by-slug/{venue['slug']}",
    ):
        assert client.send(method, path, as_=as_, status=200).headers["Allow"] == allow, path


def test_allow_is_withdrawn_when_a_contributors_event_is_published(client: Client) -> None:
    draft = factories.event(client, as_="contributor")
    path = f"/events/{draft['id']}"

    before = client.send("OPTIONS", path, as_="contributor", status=200).headers["Allow"]
    client.put(path, {"status": "publish"}, as_="editor", status=200)

    assert before == EVERYTHING
    assert client.send("OPTIONS", path, as_="contributor", status=200).headers["Allow"] == "GET"


def test_hidden_record_answers_like_one_that_never_was(client: Client) -> None:
    hidden = factories.event(client, as_="author2", status="draft", slug="hidden")

    for as_ in (None, "contributor", "author"):
        for there, absent in (
            (f"/events/{hidden['id']}", "/events/4711"),
            ("/events/by-slug/hidden", "/events/by-slug/absent"),
        ):
            found, missing = (client.send("OPTIONS", path, as_=as_, status=200) for path in (there, absent))

            assert found.body == missing.body
            assert found.headers["Allow"] == missing.headers["Allow"]


@pytest.mark.filterwarnings("ignore:Unknown REQUEST_METHOD")
@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/events", "GET, POST, HEAD, OPTIONS"),
        ("DELETE", "/tags", "GET, POST, HEAD, OPTIONS"),
        ("PATCH", "/venues", "GET, POST, HEAD, OPTIONS"),
        ("POST", "/", "GET, HEAD, OPTIONS"),
        ("POST", "/doc", "GET, HEAD, OPTIONS"),
        ("FOO", "/events", "GET, POST, HEAD, OPTIONS"),
        ("TRACE", "/events", "GET, POST, HEAD, OPTIONS"),
        ("CONNECT", "/events", "GET, POST, HEAD, OPTIONS"),
        ("PROPFIND", "/events/1", f"{EVERYTHING}, HEAD, OPTIONS"),
        ("TRACE", "/categories/1", f"{TERM}, HEAD, OPTIONS"),
    ],
)
@pytest.mark.parametrize("as_", [None, "admin"])
def test_wrong_method_on_a_known_route_is_405(
    client: Client, method: str, path: str, allow: str, as_: str | None
) -> None:
    response = client.send(method, path, as_=as_, status=405)

    assert response.headers["Allow"] == allow
    assert response.json == {
        "code": "rest_method_not_allowed",
        "message": f"This address takes {allow}.",
        "data": {"status": 405},
    }


@pytest.mark.filterwarnings("ignore:Unknown REQUEST_METHOD")
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "FOO"])
@pytest.mark.parametrize("path", ["/nothing", "/events/x", "/events/1/2", "/events/by-slug", "/events/-1"])
def test_unknown_route_is_404_for_every_method(client: Client, method: str, path: str) -> None:
    response = client.send(method, path, status=404)

    assert response.json["code"] == "rest_no_route"
    assert "Allow" not in response.headers


def test_head_of_an_unknown_route_is_404_without_a_body(client: Client) -> None:
    response = client.send("HEAD", "/nothing", status=404)

    assert response.body == b""


@pytest.mark.parametrize("path", ["", *PATHS.values()])
def test_head_answers_like_get_without_a_body(client: Client, path: str) -> None:
    read, head = client.get(path), client.send("HEAD", path)

    varying = {"X-Request-Id"} | ({"ETag"} if path in ("", "/") else set())
    assert head.status_int == read.status_int
    assert head.body == b""
    assert {name: value for name, value in head.headers.items() if name not in lower(varying)} == {
        name: value for name, value in read.headers.items() if name not in lower(varying)
    }


def test_head_of_records_answers_like_get_without_a_body(client: Client) -> None:
    event = factories.event(client, venue={"venue": "Hall"}, tags="a")

    for path in (
        "/events",
        f"/events/{event['id']}",
        f"/events/by-slug/{event['slug']}",
        f"/venues/{event['venue']['id']}",
        "/tags",
        f"/tags/{event['tags'][0]['id']}",
    ):
        read, head = client.get(path, status=200), client.send("HEAD", path, status=200)

        assert head.body == b""
        assert head.headers["Content-Length"] == str(len(read.body))
        assert [head.headers.get(name) for name in ("ETag", "X-TEC-Total", "Link")] == [
            read.headers.get(name) for name in ("ETag", "X-TEC-Total", "Link")
        ]


def lower(names: set[str]) -> set[str]:
    return {name.lower() for name in names}


def test_options_needs_no_body_and_looks_at_none(client: Client) -> None:
    response = client.send("OPTIONS", "/tags", raw=b"{", content_type="application/json", status=200)

    assert response.json["_links"] == {"self": [{"href": f"http://localhost:80{ROOT}/tags"}]}
