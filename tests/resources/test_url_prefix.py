"""Every route answers under every address and in every language that means it, and answers alike."""

import re
from typing import Any

import pytest
from webtest import TestRequest, TestResponse

from calendar_api.config import Config
from calendar_api.domain.translation import LANGUAGES, translator
from tests import factories
from tests.client import ROOT, Client

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
ROUTES = ("", "/doc", *RECORDS)


@pytest.fixture
def config(database_url: str) -> Config:
    aliases = ("wp-json/tribe/events/v1", "api/calendar/v1")
    return Config(database_url=database_url, aliases=aliases, pages="off")


@pytest.fixture
def known(client: Client) -> Json:
    return create_records(client)


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
    client: Client, known: Json, start: str, namespace: str, language: str
) -> None:
    for route in ROUTES:
        path = route.format_map(known)
        expected = client.get(path, status=200)

        found = send(client, start + path)

        assert found.status_int == 200
        assert plain(found.text, "" if route else namespace, language) == plain(expected.text), route
        assert found.headers["Allow"] == expected.headers["Allow"]


@pytest.mark.parametrize("start", [ROOT, "/?rest_route=/tribe/events/v1"])
def test_slashes_and_case_make_no_difference(client: Client, known: Json, start: str) -> None:
    head, question, prefix = start.rpartition("=")

    for route in ROUTES:
        path = route.format_map(known)
        address = prefix + path
        expected = plain(send(client, start + path).text)
        for spelled in (address + "///", address.replace("/", "//").upper()):
            found = send(client, head + question + spelled)

            assert plain(found.text) == expected, spelled
            assert found.status_int == 200


def test_rest_route_takes_further_parameters(client: Client, known: Json) -> None:
    expected = send(client, ALIAS + "/events?per_page=1&page=2&tags=music,extra").json

    for target in (
        "/?rest_route=/tribe/events/v1/events&per_page=1&page=2&tags=music,extra",
        "/?per_page=1&rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents%2F&page=2&tags=music,extra",
    ):
        assert send(client, target).json == expected
    chosen = f"/?rest_route=/tribe/events/v1/events&venue[]={known['venue']}&_fields=events.id,total"
    assert send(client, chosen).json == {"events": [{"id": known["event"]}], "total": 1}


def test_rest_route_writes_too(client: Client) -> None:
    address = "http://localhost/?rest_route=/tribe/events/v1/tags"

    made = client.post(address, {"name": "New"}, as_="admin", status=201)
    changed = client.put(f"{address}/{made.json['id']}", {"name": "Newer"}, as_="admin", status=200)
    client.delete(f"{address}/{made.json['id']}", as_="admin", status=200)

    assert made.headers["Location"] == f"http://localhost:80{ALIAS}/tags/{made.json['id']}"
    assert changed.json["name"] == "Newer"
    client.get(f"/tags/{made.json['id']}", status=404)


def test_other_addresses_are_404(client: Client) -> None:
    for target in (
        "/", "/index.php", "/wp-json/tribe", "/wp-json/calendar/events/v1/events", "/tribe/events/v1/events",
        "/?rest_route=", "/?rest_route=/other/v1/events", "/?rest_route=/tribe/events/v1/nothing",
        "/?rest_route=/wp-json/tribe/events/v1/events", "/elsewhere?rest_route=/tribe/events/v1/events",
        f"{ROOT}/events/by-slug/", f"{ROOT}/events/%2B1", f"{ROOT}/events/٣",
    ):  # fmt: skip
        path, question, query = target.partition("?")
        response = send(client, path.encode().decode("latin-1") + question + query)

        assert response.status_int == 404
        assert response.json == {
            "code": "rest_no_route",
            "message": "There is nothing at this address; the interface begins at /calendar/events/v1.",
            "data": {"status": 404},
        }


def test_below_the_root_the_parameter_rest_route_means_nothing(client: Client, known: Json) -> None:
    found = send(client, f"{ROOT}/tags?rest_route=/tribe/events/v1/events")

    assert [tag["name"] for tag in found.json["tags"]] == ["extra", "music"]
    assert found.json["rest_url"] == f"{SITE}{ROOT}/tags/"


class TestOtherAliases:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, aliases=("intern/tribe/events/v1",), pages="off")

    def test_default_alias_is_gone(self, client: Client) -> None:
        assert send(client, f"{ALIAS}/tags").json["code"] == "rest_no_route"

    def test_rest_route_leads_to_the_alias_that_ends_in_its_namespace(self, client: Client) -> None:
        found = send(client, "/?rest_route=/tribe/events/v1/tags")

        assert found.json["rest_url"] == f"{SITE}/intern/tribe/events/v1/tags/"


class TestNoAlias:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config.load(
            {"CALENDAR_DATABASE_URL": database_url, "CALENDAR_ALIASES": "", "CALENDAR_PAGES": "off"}
        )

    def test_only_the_namespace_of_ours_answers(self, client: Client) -> None:
        assert send(client, f"{ROOT}/tags").status_int == 200
        assert send(client, f"/?rest_route={ROOT}/tags").status_int == 200
        assert send(client, f"{ALIAS}/tags").json["code"] == "rest_no_route"
        assert send(client, "/?rest_route=/tribe/events/v1/tags").json["code"] == "rest_no_route"


def test_every_route_has_every_language(client: Client) -> None:
    known = create_records(client)

    for route in ("", "/doc", *RECORDS):
        assert send(client, f"/de{ALIAS}" + route.format_map(known)).status_int == 200, route
    for language in LANGUAGES:
        assert send(client, f"/{language}{ROOT}/tags").status_int == 200, language


def test_unknown_segment_is_404(client: Client) -> None:
    unknown = [
        f"/{segment}{ROOT}/tags" for segment in ("xx", "pt", "english", "de-at", "de_DE", "index.php", "-")
    ]
    twice = [
        f"/xx{ALIAS}", f"/de/de{ROOT}/tags", f"{ROOT}/de/tags", "/calendar/de/events/v1/tags",
        "/wp-json/de/tribe/events/v1/tags",
    ]  # fmt: skip

    for path in (*unknown, *twice):
        answer = send(client, path)

        assert (answer.status_int, answer.json["code"]) == (404, "rest_no_route")


def test_case_and_slashes_of_the_segment_make_no_difference(client: Client) -> None:
    for spelled in ("/DE", "//de", "/de/"):
        found = send(client, f"{spelled}{ROOT}/tags", SCRIPT_NAME="/town").json
        assert found["rest_url"] == f"http://localhost/town/de{ROOT}/tags/"


def test_accept_language_is_passed_over(client: Client) -> None:
    plain = send(client, f"{ROOT}/events/4711")

    assert send(client, f"{ROOT}/events/4711", HTTP_ACCEPT_LANGUAGE="de").json == plain.json


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_records_stay_as_they_are_but_for_addresses_and_the_word_for_free(
    client: Client, language: str
) -> None:
    event = factories.event(client, cost="0", venue={"venue": "Hall"}, tags="a")

    plain = send(client, f"{ROOT}/events/{event['id']}").text
    found = send(client, f"/{language}{ROOT}/events/{event['id']}").text

    free = translator(language)("Free")
    expected = plain.replace("http://localhost/", f"http://localhost/{language}/")
    assert found == expected.replace('"cost":"Free"', f'"cost":"{free}"')


def test_writes_take_the_same_names_in_every_language(client: Client) -> None:
    address = f"http://localhost/de{ROOT}/venues"

    made = client.post(address, {"venue": "Hall", "show_map": "yes"}, as_="admin", status=201)
    refused = client.post(address, {"show_map": "perhaps"}, as_="admin", status=400)

    assert made.headers["Location"] == f"http://localhost:80/de{ROOT}/venues/{made.json['id']}"
    assert refused.json["code"] == "rest_missing_callback_param"
    assert refused.json["data"]["params"] == ["venue"]


class TestLanguageOfTheSite:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, language="de", pages="off")

    def test_it_is_used_without_a_segment(self, client: Client) -> None:
        english = send(client, f"/en{ROOT}/events/4711").json
        unknown = send(client, "/nothing").json
        said = translator("de")("There is nothing at this address; the interface begins at {root}.")

        assert send(client, f"{ROOT}/tags").json["rest_url"] == f"http://localhost{ROOT}/tags/"
        assert send(client, f"{ROOT}/events/4711").json == send(client, f"/de{ROOT}/events/4711").json
        assert english["message"] == "There is nothing at this address that you may read."
        assert unknown["message"] == said.format(root=ROOT)
