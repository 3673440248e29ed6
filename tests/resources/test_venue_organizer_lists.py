"""Lists of venues and organizers: order, envelope, pages and their links."""

from typing import Any

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import ROOT, Client

PUBLIC = f"http://localhost{ROOT}"

pytestmark = pytest.mark.parametrize("noun", ["venue", "organizer"])


@pytest.fixture
def config(database_url: str) -> Config:
    return Config(database_url=database_url, base_url="http://localhost", per_page=3, per_page_max=4)


def made(client: Client, noun: str, count: int, **fields: Any) -> list[int]:
    """Ids of new records, each a day older than the one before, so that lists show them in this order."""
    make = getattr(factories, noun)
    return [make(client, date_utc=factories.day(-number - 1), **fields)["id"] for number in range(count)]


def ids(body: Any, noun: str) -> list[int]:
    return [record["id"] for record in body[f"{noun}s"]]


@pytest.mark.both_databases
def test_list_is_newest_first_and_the_higher_id_first_among_equals(client: Client, noun: str) -> None:
    dates = ("2020-01-01", "2022-01-01", "2020-01-01")
    old, new, same = (getattr(factories, noun)(client, date_utc=date)["id"] for date in dates)
    client.patch(f"/{noun}s/{old}", {"phone": "1"}, as_="admin", status=200)

    assert ids(client.get(f"/{noun}s", status=200).json, noun) == [new, same, old]


def test_pages_of_the_size_that_is_set_and_asked_for(client: Client, noun: str) -> None:
    expected = made(client, noun, 5)

    for query, size in (({}, 3), ({"per_page": 2}, 2), ({"per_page": 5}, 4), ({"per_page": 100}, 4)):
        pages = [client.get(f"/{noun}s", {**query, "page": page}, status=200) for page in (1, 2)]

        assert [ids(page.json, noun) for page in pages] == [expected[:size], expected[size : 2 * size]]
        total_pages = 3 if size == 2 else 2
        for page in pages:
            assert (page.json["total"], page.json["total_pages"]) == (5, total_pages)
            assert page.headers["X-TEC-Total"] == "5"
            assert page.headers["X-TEC-TotalPages"] == str(total_pages)
        assert pages[0].json["rest_url"] == f"{PUBLIC}/{noun}s/?page=1&per_page={size}&status=publish"
