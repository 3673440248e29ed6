"""`GET /`: its routes, links, languages and the default window.

tests/conformance has the whole index, with every argument in its order.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from calendar_api.config import Config
from calendar_api.domain.translation import translator
from tests.client import Client

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


class TestSettings:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, per_page=7, timezone="Asia/Tokyo")

    def test_defaults_follow_the_settings(self, client: Client) -> None:
        before = datetime.now(UTC)

        found = filters(client.get("/", status=200).json)

        days = {now.date().isoformat() for now in (before, datetime.now(UTC))}
        assert found["start_date"]["default"] in {f"{day} 08:59:00" for day in days}
        assert found["per_page"]["default"] == "7"
