"""Pages of the event list: the envelope, its totals and headers, and every odd page number."""

from typing import Any

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import Client, links

HUGE = "9223372036854775807"


@pytest.fixture
def config(database_url: str) -> Config:
    return Config(database_url=database_url, base_url="http://localhost", per_page=5, per_page_max=7)


def made(client: Client, count: int, **fields: Any) -> list[int]:
    return [
        factories.event(client, start_date=factories.day(number), **fields)["id"]
        for number in range(1, count + 1)
    ]


def test_per_page_goes_before_the_setting_up_to_the_maximum(client: Client) -> None:
    ids = made(client, 8)

    for size, count in ((None, 5), *((size, 7) for size in ("7", "7.0", "70e-1", " 7", "8", "1e1", HUGE))):
        response = client.get("/events", {} if size is None else {"per_page": size}, status=200)

        assert [event["id"] for event in response.json["events"]] == ids[:count]
        assert (response.json["total"], response.json["total_pages"]) == (8, 2)
        assert (response.headers["X-TEC-Total"], response.headers["X-TEC-TotalPages"]) == ("8", "2")
        assert f"per_page={count}&" in response.json["rest_url"]


def test_link_header_says_what_the_envelope_says(client: Client) -> None:
    made(client, 3)

    response = client.get("/events", {"per_page": 1, "page": 2, "search": 'event -"100% & café"'})

    assert links(response) == {
        "next": response.json["next_rest_url"],
        "prev": response.json["previous_rest_url"],
    }
    assert response.headers["Link"].count('; rel="next"') == 1
    assert response.headers["Link"].count('; rel="prev"') == 1
    assert response.headers["Link"].endswith(', <http://localhost/>; rel="https://api.w.org/"')


@pytest.mark.both_databases
def test_pages_have_no_gap_and_no_double_when_all_start_together(client: Client) -> None:
    ids = [factories.event(client)["id"] for _ in range(5)]

    pages = [client.get("/events", {"per_page": 2, "page": page}).json["events"] for page in (1, 2, 3)]

    assert [[event["id"] for event in page] for page in pages] == [ids[:2], ids[2:4], ids[4:]]


def test_page_is_a_number_with_a_whole_value(client: Client) -> None:
    made(client, 1)

    for page in ("1", "1.0", "+1", " 1 ", "0.1e1", "01"):
        listed = client.get("/events", {"page": page}, status=200).json

        assert len(listed["events"]) == 1
        assert "?page=1&" in listed["rest_url"]
