"""A language segment before the namespace: what it changes, and what it never does.

See docs/interface.md#languages.
"""

import pytest

from calendar_api.config import Config
from calendar_api.domain.translation import LANGUAGES, translator
from tests import factories
from tests.client import ROOT, Client
from tests.resources.test_url_prefix import ALIAS, RECORDS, asked, stage


@pytest.mark.parametrize("prefix", [ROOT, ALIAS])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_route_has_every_language(client: Client, language: str, prefix: str) -> None:
    known = stage(client)

    for route in ("", "/doc", *RECORDS):
        answer = asked(client, f"/{language}{prefix}" + route.format_map(known))

        assert answer.status_int == 200, route


@pytest.mark.parametrize("segment", ["xx", "pt", "english", "de-at", "de_DE", "e", "index.php", "-"])
@pytest.mark.parametrize("prefix", [ROOT, ALIAS])
def test_unknown_segment_is_404(client: Client, segment: str, prefix: str) -> None:
    for path in ("", "/doc", "/events"):
        answer = asked(client, f"/{segment}{prefix}{path}")

        assert (answer.status_int, answer.json["code"]) == (404, "rest_no_route")


@pytest.mark.parametrize(
    "path",
    [
        f"/de/de{ROOT}/tags",
        f"{ROOT}/de/tags",
        "/calendar/de/events/v1/tags",
        "/wp-json/de/tribe/events/v1/tags",
    ],
)
def test_segment_stands_once_and_first(client: Client, path: str) -> None:
    assert asked(client, path).json["code"] == "rest_no_route"


@pytest.mark.parametrize("spelled", ["/DE", "/De", "//de", "/de/"])
def test_case_and_slashes_of_the_segment_make_no_difference(client: Client, spelled: str) -> None:
    assert asked(client, f"{spelled}{ROOT}/tags").json["rest_url"] == f"http://localhost/de{ROOT}/tags/"


def test_segment_comes_after_the_sub_path(client: Client) -> None:
    answer = asked(client, f"/nl{ROOT}/tags", SCRIPT_NAME="/town")

    assert answer.json["rest_url"] == f"http://localhost/town/nl{ROOT}/tags/"


def test_accept_language_is_passed_over(client: Client) -> None:
    plain = asked(client, f"{ROOT}/events/4711")

    assert asked(client, f"{ROOT}/events/4711", HTTP_ACCEPT_LANGUAGE="de").json == plain.json


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_records_stay_as_they_are_but_for_addresses_and_the_word_for_free(
    client: Client, language: str
) -> None:
    event = factories.event(client, cost="0", venue={"venue": "Hall"}, tags="a")

    plain = asked(client, f"{ROOT}/events/{event['id']}").text
    found = asked(client, f"/{language}{ROOT}/events/{event['id']}").text

    free = translator(language)("Free")
    expected = plain.replace("http://localhost/", f"http://localhost/{language}/")
    assert found == expected.replace('"cost":"Free"', f'"cost":"{free}"')


@pytest.mark.parametrize("language", LANGUAGES)
def test_writes_take_the_same_names_in_every_language(client: Client, language: str) -> None:
    address = f"http://localhost/{language}{ROOT}/venues"

    made = client.post(address, {"venue": "Hall", "show_map": "yes"}, as_="admin", status=201)
    refused = client.post(address, {"show_map": "perhaps"}, as_="admin", status=400)

    assert made.headers["Location"] == f"http://localhost:80/{language}{ROOT}/venues/{made.json['id']}"
    assert refused.json["code"] == "rest_missing_callback_param"
    assert refused.json["data"]["params"] == ["venue"]


class TestLanguageOfTheSite:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, language="de")

    def test_addresses_without_a_segment_have_none(self, client: Client) -> None:
        assert asked(client, f"{ROOT}/tags").json["rest_url"] == f"http://localhost{ROOT}/tags/"

    def test_errors_are_in_it_without_a_segment(self, client: Client) -> None:
        plain = asked(client, f"{ROOT}/events/4711").json

        assert plain == asked(client, f"/de{ROOT}/events/4711").json

    def test_english_needs_its_segment(self, client: Client) -> None:
        error = asked(client, f"/en{ROOT}/events/4711").json

        assert error["message"] == "There is nothing at this address that you may read."

    def test_unknown_address_is_answered_in_it(self, client: Client) -> None:
        said = translator("de")("There is nothing at this address; the interface begins at {root}.")

        assert asked(client, "/nothing").json["message"] == said.format(root=ROOT)
