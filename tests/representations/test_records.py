"""Texts that would open a tag, sizes of images, and costs in the currency of the site."""

from types import SimpleNamespace
from typing import Any

import pytest

from calendar_api.config import Config
from calendar_api.domain.text import inert
from calendar_api.representations import documents
from tests import factories
from tests.client import Client

PICTURE = {"url": "https://pics.example.org/a.png", "id": 9, "extension": "png"}


def test_zero_counts_as_no_text(client: Client) -> None:
    for make in (factories.venue, factories.organizer):
        assert "phone" not in make(client, phone="0")
        assert make(client, phone="00")["phone"] == "00"


def test_venue_on_the_equator_and_the_prime_meridian_has_coordinates(client: Client) -> None:
    venue = factories.venue(client, geo_lat=0, geo_lng=0)

    read = client.get(f"/venues/{venue['id']}", status=200).json

    assert (read["geo_lat"], read["geo_lng"]) == (0.0, 0.0)
    assert read["json_ld"]["geo"] == {"@type": "GeoCoordinates", "latitude": 0.0, "longitude": 0.0}


@pytest.mark.parametrize("sizes", [{}, {"height": 480}, {"width": 640, "height": 480, "filesize": 0}])
def test_image_has_only_the_sizes_that_are_known(sizes: dict[str, int]) -> None:
    unknown = {"width": None, "height": None, "filesize": None}
    row: Any = SimpleNamespace(**{**PICTURE, **unknown, **sizes})

    assert list(documents.image(row).items()) == [*PICTURE.items(), *sizes.items()]


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("Main St & 5th", "Main St & 5th"),
        ("1 < 2 <3", "1 < 2 <3"),
        ("<img/src=x/onerror=x()>", "&lt;img/src=x/onerror=x()>"),
        ("<x-y onclick=x()>", "&lt;x-y onclick=x()>"),
        ("</p", "&lt;/p"),
        ("<!--", "&lt;!--"),
        ("<?x", "&lt;?x"),
    ],
)
def test_what_opens_a_tag_is_escaped(stored: str, shown: str) -> None:
    assert inert(stored) == shown


def test_costs_and_addresses_open_no_tag_and_can_be_written_back(client: Client) -> None:
    line = "<img/src=x/onerror=x()>"
    made = factories.event(client, cost=line, venue={"venue": "Hall", "city": line, "phone": line})
    venue = made["venue"]

    again = client.patch(f"/venues/{venue['id']}", {"city": venue["city"]}, as_="admin", status=200).json

    assert made["cost"] == venue["city"] == venue["phone"] == again["city"] == f"&lt;{line[1:]}"


@pytest.fixture
def config(database_url: str, request: pytest.FixtureRequest) -> Config:
    return Config(database_url=database_url, currency_symbol=getattr(request, "param", "$"))


@pytest.mark.parametrize("config", ["$", "€", "zł", ""], indirect=True)
def test_cost_without_a_currency_is_shown_with_that_of_the_site(client: Client, config: Config) -> None:
    codes = {"$": "USD", "€": "EUR", "zł": "PLN", "": "USD"}
    event = factories.event(client, cost="10")
    read = client.get(f"/events/{event['id']}", status=200).json

    assert event["cost"] == f"{config.currency_symbol}10"
    assert event["cost_details"]["currency_symbol"] == ""
    assert read["json_ld"]["offers"]["priceCurrency"] == codes[config.currency_symbol]


def test_currency_symbol_holds_no_tag(client: Client) -> None:
    for symbol in ("<!--$", "<s$", "</s$", "<?€"):
        event = factories.event(client, cost=[f"{symbol}5", f"{symbol}&lt;p>Gift"])

        read = client.get(f"/events/{event['id']}", status=200).json

        assert "<" not in read["cost"] + read["cost_details"]["currency_symbol"]
        assert "<" not in read["json_ld"]["offers"]["price"]
        assert read["json_ld"]["offers"]["priceCurrency"] == "USD"
