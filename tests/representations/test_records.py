"""Texts that would open a tag, sizes of images, and costs in the currency of the site."""

from types import SimpleNamespace
from typing import Any

import pytest

from calendar_api.domain.text import inert
from calendar_api.representations import documents
from tests import factories
from tests.client import Client, ClientWith

PICTURE = {"url": "https://pics.example.org/a.png", "id": 9, "extension": "png"}


def test_zero_counts_as_no_text(client: Client) -> None:
    for make in (factories.venue, factories.organizer):
        assert "phone" not in make(client, phone="0")
        assert make(client, phone="00")["phone"] == "00"


@pytest.mark.parametrize("sizes", [{}, {"height": 480}, {"width": 640, "height": 480, "filesize": 0}])
def test_image_has_only_the_sizes_that_are_known(sizes: dict[str, int]) -> None:
    unknown = {"width": None, "height": None, "filesize": None}
    row: Any = SimpleNamespace(**{**PICTURE, **unknown, **sizes})
    assert list(documents.image(row).items()) == [*PICTURE.items(), *sizes.items()]


def test_what_opens_a_tag_is_escaped() -> None:
    for text in ("<img/src=x/onerror=x()>", "<x-y onclick=x()>", "</p", "<!--", "<?x"):
        assert inert(text) == f"&lt;{text[1:]}"
    for text in ("Main St & 5th", "1 < 2 <3"):
        assert inert(text) == text


def test_costs_and_addresses_open_no_tag_and_can_be_written_back(client: Client) -> None:
    line = "<img/src=x/onerror=x()>"
    made = factories.event(client, cost=line, venue={"venue": "Hall", "city": line, "phone": line})
    venue = made["venue"]
    again = client.patch(f"/venues/{venue['id']}", {"city": venue["city"]}, as_="admin", status=200).json
    assert made["cost"] == venue["city"] == venue["phone"] == again["city"] == f"&lt;{line[1:]}"


def test_cost_without_a_currency_is_shown_with_that_of_the_site(client_with: ClientWith) -> None:
    for symbol, code in {"$": "USD", "€": "EUR", "zł": "PLN", "": "USD"}.items():
        client = client_with(currency_symbol=symbol)
        event = factories.event(client, cost="10")
        read = client.get(f"/events/{event['id']}", status=200).json
        assert (event["cost"], event["cost_details"]["currency_symbol"]) == (f"{symbol}10", "")
        assert read["json_ld"]["offers"]["priceCurrency"] == code


def test_currency_symbol_holds_no_tag(client: Client) -> None:
    for symbol in ("<!--$", "<s$", "</s$", "<?€"):
        event = factories.event(client, cost=[f"{symbol}5", f"{symbol}&lt;p>Gift"])
        read = client.get(f"/events/{event['id']}", status=200).json
        assert "<" not in read["cost"] + read["cost_details"]["currency_symbol"]
        assert "<" not in read["json_ld"]["offers"]["price"]
        assert read["json_ld"]["offers"]["priceCurrency"] == "USD"
