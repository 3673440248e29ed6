"""OPTIONS on every route: the route as the index describes it, and what this caller may do there."""

from tests import factories
from tests.client import ROOT, Client
from tests.resources.test_index import MOMENT

EVERYTHING = "GET, DELETE, POST, PUT, PATCH"


def test_route_is_described_as_in_the_index(client: Client) -> None:
    index = client.get("/", status=200).json

    for path, route in index["routes"].items():
        address = path.replace(r"(?P<id>\d+)", "4711").replace("(?P<slug>[^/]+)", "nothing")
        answer = client.send("OPTIONS", f"http://localhost/{address.lstrip('/')}", status=200)

        assert MOMENT.sub("", str(answer.json)) == MOMENT.sub("", str(route))
        assert answer.headers["Allow"] == "GET"


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


def test_options_needs_no_body_and_looks_at_none(client: Client) -> None:
    response = client.send("OPTIONS", "/tags", raw=b"{", content_type="application/json", status=200)

    assert response.json["_links"] == {"self": [{"href": f"http://localhost:80{ROOT}/tags"}]}
