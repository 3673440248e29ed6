"""Every route answers under every address and in every language that means it, and answers alike."""

import re
from typing import Any

import pytest
from webtest import TestRequest, TestResponse

from calendar_api.domain.translation import LANGUAGES, translator
from tests import factories
from tests.client import ROOT, Client

pytestmark = pytest.mark.settings(aliases=("wp-json/tribe/events/v1", "api/calendar/v1"), pages="off")
Json = dict[str, Any]
SITE = "http://localhost"
ALIAS = "/wp-json/tribe/events/v1"
OTHER = "/api/calendar/v1"
RECORDS = (
    "/events", "/events/{event}", "/events/by-slug/{event_slug}",
    "/venues", "/venues/{venue}", "/venues/by-slug/{venue_slug}",
    "/organizers", "/organizers/{organizer}", "/organizers/by-slug/{organizer_slug}",
    "/categories", "/categories/{category}", "/tags", "/tags/{tag}",
)  # fmt: skip


def create_records(client: Client) -> Json:
    """Two events with all that they can be linked to; ids and slugs by the names in ROUTES."""
    above = factories.category(client, name="Above")
    below = factories.category(client, name="Below", parent=above["id"])
    factories.event(client, title="Second", categories=[above["id"]], tags="extra")
    event = factories.event(
        client, title="Talk & más", venue={"venue": "Hall", "website": "https://hall.example/"},
        organizer=[{"organizer": "Ann"}, {"organizer": "Bo"}], categories=[below["id"]], tags="music",
        image="https://pictures.example/a.png", cost="0",
    )  # fmt: skip
    records = {"event": event, "venue": event["venue"], "organizer": event["organizer"][0]}
    return {
        **{noun: record["id"] for noun, record in records.items()},
        **{f"{noun}_slug": record["slug"] for noun, record in records.items()},
        "category": below["id"],
        "tag": event["tags"][0]["id"],
    }


def send(client: Client, target: str, method: str = "GET", **environ: str) -> TestResponse:
    """An answer to a target as it stands on the request line; `environ` goes before everything else."""
    path, _, query = target.partition("?")
    request = TestRequest.blank(
        "/", method=method, environ={"HTTP_HOST": "localhost", "QUERY_STRING": query, **environ}
    )
    request.environ["PATH_INFO"] = path
    return client.app.do_request(request, expect_errors=True)


def plain(text: str, namespace: str = "", language: str = "") -> str:
    """The text of an answer as it would be without language and alias; moments of the index left out."""
    text = text.replace(f"{SITE}:80", SITE)
    for prefix in (ALIAS, OTHER):
        text = text.replace(f"{SITE}{language}{prefix}", f"{SITE}{language}{ROOT}")
    if namespace:
        text = text.replace(namespace, ROOT[1:]).replace(f'{SITE}{language}/wp-json/"', f'{SITE}{language}/"')
    if language:
        text = text.replace(SITE + language, SITE)
    return re.sub(r'"default":"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"', "", text)


@pytest.mark.parametrize(
    ("start", "namespace", "language"),
    [
        (ALIAS, "tribe/events/v1", ""),
        ("/index.php?rest_route=/api/calendar/v1", "api/calendar/v1", ""),
        (f"/?rest_route={ROOT}", "", ""),
        ("/en/?rest_route=/tribe/events/v1", "tribe/events/v1", "/en"),
    ],
)
def test_every_route_answers_alike_wherever_it_is_addressed(
    client: Client, start: str, namespace: str, language: str
) -> None:
    known = create_records(client)
    for route in ("", "/doc", *RECORDS):
        path = route.format_map(known)
        expected = client.get(path, status=200)
        found = send(client, start + path)
        assert found.status_int == 200
        assert plain(found.text, "" if route else namespace, language) == plain(expected.text), route
        assert found.headers["Allow"] == expected.headers["Allow"]


def test_rest_route_writes_too(client: Client) -> None:
    address = "http://localhost/?rest_route=/tribe/events/v1/tags"
    made = client.post(address, {"name": "New"}, as_="admin", status=201)
    changed = client.put(f"{address}/{made.json['id']}", {"name": "Newer"}, as_="admin", status=200)
    client.delete(f"{address}/{made.json['id']}", as_="admin", status=200)
    assert made.headers["Location"] == f"http://localhost:80{ALIAS}/tags/{made.json['id']}"
    assert changed.json["name"] == "Newer"
    client.get(f"/tags/{made.json['id']}", status=404)


def test_records_stay_as_they_are_but_for_addresses_and_the_word_for_free(client: Client) -> None:
    event = factories.event(client, cost="0", venue={"venue": "Hall"}, tags="a")
    plain = send(client, f"{ROOT}/events/{event['id']}").text

    for language in LANGUAGES[1:]:
        found = send(client, f"/{language}{ROOT}/events/{event['id']}").text
        expected = plain.replace("http://localhost/", f"http://localhost/{language}/")
        free = translator(language)("Free")
        assert found == expected.replace('"cost":"Free"', f'"cost":"{free}"')
    # The address alone decides.
    assert send(client, f"{ROOT}/events/{event['id']}", HTTP_ACCEPT_LANGUAGE="de").text == plain


@pytest.mark.settings(language="de", pages="off")
def test_language_of_the_site_is_used_without_a_segment(client: Client) -> None:
    english = send(client, f"/en{ROOT}/events/4711").json
    unknown = send(client, "/nothing").json
    said = translator("de")("There is nothing at this address; the interface begins at {root}.")
    assert send(client, f"{ROOT}/tags").json["rest_url"] == f"http://localhost{ROOT}/tags/"
    assert send(client, f"{ROOT}/events/4711").json == send(client, f"/de{ROOT}/events/4711").json
    assert english["message"] == "There is nothing at this address that you may read."
    assert unknown["message"] == said.format(root=ROOT)
