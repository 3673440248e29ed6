"""Lists of venues and organizers: order, envelope, pages and their links."""

from datetime import UTC
from typing import Any

import pytest

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.store.organizers import organizers
from calendar_api.store.venues import venues
from tests import factories
from tests.client import ROOT, Client
from tests.conftest import CallerFactory

STORES = {"venue": venues, "organizer": organizers}
PUBLIC = f"http://localhost{ROOT}"

pytestmark = pytest.mark.parametrize("noun", STORES)


@pytest.fixture
def config(database_url: str) -> Config:
    return Config(database_url=database_url, base_url="http://localhost", per_page=5)


def made(client: Client, noun: str, count: int, **fields: Any) -> list[int]:
    """Ids of new records, each a day older than the one before, so that lists show them in this order."""
    make = getattr(factories, noun)
    return [make(client, date_utc=factories.day(-number - 1), **fields)["id"] for number in range(count)]


def stored(noun: str, caller: CallerFactory, count: int) -> None:
    """So many published records, without HTTP."""
    with database.write():
        for number in range(count):
            STORES[noun].create({noun: f"Name {number}"}, caller("admin"), UTC)


def ids(body: Any, noun: str) -> list[int]:
    return [record["id"] for record in body[f"{noun}s"]]


@pytest.mark.both_databases
def test_list_is_newest_first_and_the_higher_id_first_among_equals(client: Client, noun: str) -> None:
    make = getattr(factories, noun)
    old, new, same = (
        make(client, date_utc=date)["id"] for date in ("2020-01-01", "2022-01-01", "2020-01-01")
    )

    body = client.get(f"/{noun}s", status=200).json

    assert ids(body, noun) == [new, same, old]


@pytest.mark.both_databases
def test_list_is_ordered_by_publication_and_not_by_change(client: Client, noun: str) -> None:
    first, second = made(client, noun, 2)
    client.patch(f"/{noun}s/{second}", {"phone": "1"}, as_="admin", status=200)

    assert ids(client.get(f"/{noun}s", status=200).json, noun) == [first, second]


def test_two_pages_of_the_size_that_is_set(client: Client, noun: str) -> None:
    expected = made(client, noun, 10)

    pages = [client.get(f"/{noun}s", {"page": page}, status=200) for page in (1, 2)]

    assert [ids(page.json, noun) for page in pages] == [expected[:5], expected[5:]]
    for page in pages:
        assert (page.json["total"], page.json["total_pages"]) == (10, 2)
        assert (page.headers["X-TEC-Total"], page.headers["X-TEC-TotalPages"]) == ("10", "2")


def test_per_page_overrides(client: Client, noun: str) -> None:
    expected = made(client, noun, 10)

    four = client.get(f"/{noun}s", {"per_page": 4}, status=200).json
    two = client.get(f"/{noun}s", {"per_page": 2, "page": 2}, status=200).json

    assert (ids(four, noun), four["total_pages"]) == (expected[:4], 3)
    assert (ids(two, noun), two["total_pages"]) == (expected[2:4], 5)


def test_per_page_above_the_maximum_is_cut(client: Client, caller: CallerFactory, noun: str) -> None:
    stored(noun, caller, 51)

    body = client.get(f"/{noun}s", {"per_page": 100}, status=200).json

    assert (len(body[f"{noun}s"]), body["total"], body["total_pages"]) == (50, 51, 2)
    assert body["rest_url"] == f"{PUBLIC}/{noun}s/?page=1&per_page=50&status=publish"


@pytest.mark.parametrize(("total", "pages"), [(1, 1), (3, 1), (9, 3), (10, 4)])
def test_totals(client: Client, caller: CallerFactory, noun: str, total: int, pages: int) -> None:
    stored(noun, caller, total)

    response = client.get(f"/{noun}s", {"per_page": 3}, status=200)

    assert (response.json["total"], response.json["total_pages"]) == (total, pages)
    assert response.headers["X-TEC-Total"] == str(total)
    assert response.headers["X-TEC-TotalPages"] == str(pages)


def test_links_keep_every_filter_and_lead_to_the_same_set(client: Client, noun: str) -> None:
    make = getattr(factories, noun)
    linked: dict[str, Any] = {
        noun: [make(client, **{noun: f"Café & Bar {number}"})["id"] for number in range(3)]
    }
    event = factories.event(client, **linked)
    make(client, **{noun: "Café & Bar alone"})
    asked = {
        "per_page": 1, "event": event["id"], "has_events": "yes", "status": "publish",
        "search": "bar café", "only_with_upcoming": "true",
    }  # fmt: skip

    first = client.get(f"/{noun}s", asked, status=200).json

    query = f"event={event['id']}&has_events=yes&status=publish&search=bar+caf%C3%A9&only_with_upcoming=true"
    assert first["rest_url"] == f"{PUBLIC}/{noun}s/?page=1&per_page=1&{query}"
    assert first["next_rest_url"] == f"{PUBLIC}/{noun}s/?per_page=1&{query}&page=2"
    second = client.get(first["next_rest_url"], status=200).json
    third = client.get(second["next_rest_url"], status=200).json
    found = [record["id"] for page in (first, second, third) for record in page[f"{noun}s"]]
    assert sorted(found) == sorted(record["id"] for record in _linked(event[noun]))
    assert "next_rest_url" not in third
    assert ids(client.get(second["previous_rest_url"], status=200).json, noun) == ids(first, noun)


def _linked(nested: Any) -> list[Any]:
    return nested if isinstance(nested, list) else [nested]


@pytest.mark.both_databases
@pytest.mark.parametrize("page", [2, 3, 10**18])
def test_page_past_the_end(client: Client, noun: str, page: int) -> None:
    made(client, noun, 1)

    response = client.get(f"/{noun}s", {"page": page}, status=404)

    assert response.json["code"] == f"{noun}-archive-page-not-found"
    assert response.json["data"] == {"status": 404}


def test_second_page_of_nothing(client: Client, noun: str) -> None:
    response = client.get(f"/{noun}s", {"page": 2}, status=404)

    assert response.json["code"] == f"{noun}-archive-page-not-found"


def test_the_maximum_is_a_setting(
    database_url: str, client: Client, caller: CallerFactory, noun: str
) -> None:
    app = create_app(Config(database_url=database_url, per_page_max=7, per_page=7))
    narrow = Client(app, client.secrets, client.ids)
    stored(noun, caller, 8)

    body = narrow.get(f"/{noun}s", {"per_page": 8}, status=200).json

    assert (len(body[f"{noun}s"]), body["total_pages"]) == (7, 2)


@pytest.mark.both_databases
@pytest.mark.parametrize("login", [None, "contributor", "admin"])
def test_list_takes_as_many_statements_for_three_as_for_one(
    client: Client, caplog: pytest.LogCaptureFixture, noun: str, login: str | None
) -> None:
    make = getattr(factories, noun)
    client.get(f"/{noun}s", as_=login)  # from the second one on it is asked what the writes have changed
    counts = []
    for more in (1, 2):
        for number in range(more):
            make(client, image=f"https://pics.example.org/{more}{number}.png")
        with caplog.at_level("DEBUG", logger="peewee"):
            caplog.clear()
            client.get(f"/{noun}s", as_=login, status=200)
            counts.append(len(caplog.records))

    assert counts[0] == counts[1] > 0
