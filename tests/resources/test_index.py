"""`GET /` against the tables that the interface's clients know, written down in argument_tables.json."""

import json
import re
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from calendar_api.config import Config
from calendar_api.contract import schemas
from calendar_api.domain.translation import translator
from tests.client import Client

Json = dict[str, Any]

NOUNS = {"events": "event", "venues": "venue", "organizers": "organizer"}
ALIAS = "/wp-json/tribe/events/v1"
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


@cache
def tables() -> Json:
    written: Json = json.loads((Path(__file__).parents[1] / "data/argument_tables.json").read_text("utf-8"))
    return written


def expected(path: str, facts: Json) -> list[Json]:
    """The endpoints of a route, `facts` filled in; arguments as pairs, because their order counts."""
    return [
        {
            "methods": group["methods"],
            "args": [
                (name, {**filled(attributes, facts), "required": name in group["requires"]})
                for table in [*group["takes"], *group.get("ours", ())]
                for name, attributes in merged(group["takes"], table)
            ]
            + (added(path) if "POST" in group["methods"] else []),
        }
        for group in tables()["routes"][path]
    ]


def added(path: str) -> list[tuple[str, Json]]:
    """The plain text fields that were added to the tables: README, "How to add a field"."""
    noun = NOUNS.get(path.split("/")[1], "")
    known = {name for table in tables()["tables"].values() for name in table}
    argument = {"type": "string", "default": None, "required": False}
    return [(name, argument) for name in schemas.plain_fields(noun) if name not in known] if noun else []


def merged(takes: list[str], table: str) -> list[tuple[str, Json]]:
    """A table without what the key of the path has named already: `slug` stands first there."""
    key = "slug" if takes[0] == "slug" and table != "slug" else ""
    return [(name, attributes) for name, attributes in tables()["tables"][table].items() if name != key]


def filled(attributes: Json, facts: Json) -> Json:
    default = attributes.get("default")
    return {**attributes, "default": facts[default]} if default in facts else attributes


def shown(route: Json) -> list[Json]:
    """The endpoints of an answer in the same shape, without the descriptions."""
    return [
        {
            "methods": endpoint["methods"],
            "args": [
                (name, {key: value for key, value in attributes.items() if key != "description"})
                for name, attributes in (endpoint["args"] or {}).items()
            ],
        }
        for endpoint in route["endpoints"]
    ]


def facts_of(index: Json, **more: str) -> Json:
    """What the tables leave open: the namespace, the size of a page, the window of this moment."""
    namespace = index["namespace"]
    filters = index["routes"][f"/{namespace}/events"]["endpoints"][0]["args"]
    return {
        "{namespace}": namespace,
        "{per_page}": "10",
        "{start of the window}": filters["start_date"]["default"],
        "{end of the window}": filters["end_date"]["default"],
        **more,
    }


def compare(index: Json, facts: Json) -> None:
    namespace = index["namespace"]
    assert list(index["routes"]) == [f"/{namespace}{path}" for path in tables()["routes"]]
    for path in tables()["routes"]:
        assert shown(index["routes"][f"/{namespace}{path}"]) == expected(path, facts), path


@pytest.mark.parametrize("path", ["", "/?context=nonsense"])
def test_routes_and_arguments_are_exactly_those_of_the_tables(client: Client, path: str) -> None:
    index = client.get(path, status=200).json

    assert list(index) == ["namespace", "routes", "_links"]
    assert index["namespace"] == "calendar/events/v1"
    compare(index, facts_of(index))


def test_tables_have_as_many_arguments_as_the_contract_counts() -> None:
    for path, groups in tables()["routes"].items():
        for group in groups:
            own = {name for table in group.get("ours", ()) for name in tables()["tables"][table]}
            names = {name for table in group["takes"] for name in tables()["tables"][table]}

            assert len(names) == group["count"], path
            assert not names & own, path


def test_links_stand_at_the_routes_without_a_variable(client: Client) -> None:
    index = client.get("/", status=200).json

    for path in tables()["routes"]:
        route = index["routes"][f"/calendar/events/v1{path}"]
        address = f"http://localhost:80/calendar/events/v1{path}"
        assert route.get("_links") == (None if "(" in path else {"self": [{"href": address}]})
    assert index["_links"] == {"up": [{"href": "http://localhost:80/"}]}


def test_every_argument_is_described(client: Client) -> None:
    index = client.get("/", status=200).json

    for path, route in index["routes"].items():
        for endpoint in route["endpoints"]:
            for name, attributes in (endpoint["args"] or {}).items():
                assert re.fullmatch(r"\w.+\.", attributes["description"]), (path, name)


def test_window_begins_yesterday_and_ends_in_two_years(client: Client) -> None:
    before = datetime.now(UTC).replace(microsecond=0)

    facts = facts_of(client.get("/", status=200).json)

    after = datetime.now(UTC)
    start, end = facts["{start of the window}"], facts["{end of the window}"]
    assert MOMENT.fullmatch(start)
    assert MOMENT.fullmatch(end)
    days = {(now - timedelta(days=1)).date().isoformat() for now in (before, after)}
    assert start in {f"{day} 23:59:00" for day in days}
    assert before + timedelta(days=729) <= datetime.fromisoformat(end + "+00:00")
    assert datetime.fromisoformat(end + "+00:00") <= after + timedelta(days=732)


def test_window_holds_in_a_list_without_dates(client: Client) -> None:
    facts = facts_of(client.get("/", status=200).json)

    address = client.get("/events", {"strict_dates": "yes"}, status=200).json["rest_url"]

    start = facts["{start of the window}"].replace(" ", "+").replace(":", "%3A")
    end = facts["{end of the window}"].split()[0]
    assert f"&start_date={start}&end_date={end}+" in address


def test_namespace_of_the_caller_is_accepted(client: Client) -> None:
    for root, namespace in (("/calendar/events/v1", "calendar/events/v1"), (ALIAS, "tribe/events/v1")):
        index = client.get(f"http://localhost{root}", {"namespace": namespace}, status=200).json

        assert index["namespace"] == namespace


def test_another_namespace_is_refused(client: Client) -> None:
    for namespace in ("tribe/events/v1", "calendar/events/v2", "", "/calendar/events/v1"):
        error = client.get(f"/?namespace={namespace}", status=404).json

        assert error == {
            "code": "rest_invalid_namespace",
            "message": "The namespace of this interface is calendar/events/v1.",
            "data": {"status": 404},
        }


def test_index_under_an_alias_names_its_namespace_everywhere(client: Client) -> None:
    index = client.get(f"http://localhost{ALIAS}", status=200).json

    compare(index, facts_of(index))
    assert index["namespace"] == "tribe/events/v1"
    assert {route["namespace"] for route in index["routes"].values()} == {"tribe/events/v1"}
    assert index["_links"] == {"up": [{"href": "http://localhost:80/wp-json/"}]}
    assert index["routes"]["/tribe/events/v1/tags"]["_links"] == {
        "self": [{"href": f"http://localhost:80{ALIAS}/tags"}]
    }


def test_language_changes_nothing_but_descriptions(client: Client) -> None:
    plain = client.get("/", status=200).json

    index = client.get("http://localhost/de/calendar/events/v1", status=200).json

    compare(index, facts_of(index))
    assert index["_links"] == {"up": [{"href": "http://localhost:80/de/"}]}
    assert descriptions(index) == {
        argument: translator("de")(text) for argument, text in descriptions(plain).items()
    }


def descriptions(index: Json) -> dict[tuple[str, int, str], str]:
    return {
        (path, number, name): attributes["description"]
        for path, route in index["routes"].items()
        for number, endpoint in enumerate(route["endpoints"])
        for name, attributes in (endpoint["args"] or {}).items()
    }


class TestPageSize:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, per_page=7)

    def test_default_follows_the_setting_as_a_text(self, client: Client) -> None:
        index = client.get("/", status=200).json

        compare(index, facts_of(index, **{"{per_page}": "7"}))


class TestZone:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, timezone="Asia/Tokyo")

    def test_window_is_written_in_the_zone_of_the_site(self, client: Client) -> None:
        before = datetime.now(UTC)

        start = facts_of(client.get("/", status=200).json)["{start of the window}"]

        days = {now.date().isoformat() for now in (before, datetime.now(UTC))}
        assert start in {f"{day} 08:59:00" for day in days}
