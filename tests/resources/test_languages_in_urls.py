"""A language segment before the namespace: what it changes, and what it never does.

See docs/interface.md#languages.
"""

import pytest

from calendar_api.config import Config
from calendar_api.domain.translation import LANGUAGES, translator
from tests import factories
from tests.client import ROOT, Client
from tests.resources.test_url_prefix import ALIAS, RECORDS, asked, stage


def test_every_route_has_every_language(client: Client) -> None:
    known = stage(client)

    for route in ("", "/doc", *RECORDS):
        assert asked(client, f"/de{ALIAS}" + route.format_map(known)).status_int == 200, route
    for language in LANGUAGES:
        assert asked(client, f"/{language}{ROOT}/tags").status_int == 200, language


def test_unknown_segment_is_404(client: Client) -> None:
    unknown = [
        f"/{segment}{ROOT}/tags" for segment in ("xx", "pt", "english", "de-at", "de_DE", "index.php", "-")
    ]
    twice = [
        f"/xx{ALIAS}", f"/de/de{ROOT}/tags", f"{ROOT}/de/tags", "/calendar/de/events/v1/tags",
        "/wp-json/de/tribe/events/v1/tags",
    ]  # fmt: skip

    for path in (*unknown, *twice):
        answer = asked(client, path)

        assert (answer.status_int, answer.json["code"]) == (404, "rest_no_route")


def test_case_and_slashes_of_the_segment_make_no_difference(client: Client) -> None:
    for spelled in ("/DE", "//de", "/de/"):
        found = asked(client, f"{spelled}{ROOT}/tags", SCRIPT_NAME="/town").json
        assert found["rest_url"] == f"http://localhost/town/de{ROOT}/tags/"


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
        return Config(database_url=database_url, language="de")

    def test_it_is_used_without_a_segment(self, client: Client) -> None:
        english = asked(client, f"/en{ROOT}/events/4711").json
        unknown = asked(client, "/nothing").json
        said = translator("de")("There is nothing at this address; the interface begins at {root}.")

        assert asked(client, f"{ROOT}/tags").json["rest_url"] == f"http://localhost{ROOT}/tags/"
        assert asked(client, f"{ROOT}/events/4711").json == asked(client, f"/de{ROOT}/events/4711").json
        assert english["message"] == "There is nothing at this address that you may read."
        assert unknown["message"] == said.format(root=ROOT)
