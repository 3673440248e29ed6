"""The cost of an event in every form (docs/interface.md#costs)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client


def details(symbol: str, position: str, *values: str) -> dict[str, Any]:
    return {
        "currency_symbol": symbol,
        "currency_code": "",
        "currency_position": position,
        "values": list(values),
    }


COSTS = [
    ("20", "$20", details("", "", "20")),
    (20, "$20", details("", "", "20")),
    (20.5, "$20.5", details("", "", "20.5")),
    ("$20", "$20", details("$", "prefix", "20")),
    ("20$", "20$", details("$", "postfix", "20")),
    ("€ 20", "€20", details("€", "prefix", "20")),
    ("20 €", "20€", details("€", "postfix", "20")),
    ("USD 20", "USD20", details("USD", "prefix", "20")),
    ("10-20", "$10 – $20", details("", "", "10", "20")),
    (["0$", "20$", "30$"], "Free – 30$", details("$", "postfix", "0", "20", "30")),
    (["$5", "€6"], "$5 – $6", details("", "", "5", "6")),
    ([10, "5"], "$5 – $10", details("", "", "5", "10")),
    ("0.00", "Free", details("", "", "0.00")),
    ("0", "Free", details("", "", "0")),
    (0, "Free", details("", "", "0")),
    ("Donation", "Donation", details("", "", "donation")),
    ("25,55", "$25,55", details("", "", "25.55")),
    ("1,000", "$1,000", details("", "", "1000")),
    ("$1,234.56", "$1,234.56", details("$", "prefix", "1234.56")),
    ("1.234,56 €", "1.234,56€", details("€", "postfix", "1234.56")),
    ("", "", details("", "")),
    (None, "", details("", "")),
    ([], "", details("", "")),
]


@pytest.mark.parametrize(("cost", "shown", "parts"), COSTS, ids=lambda value: repr(value)[:30])
def test_cost_on_create_and_on_update(
    client: Client, cost: object, shown: str, parts: dict[str, Any]
) -> None:
    """`0` is free, and thousands are understood (docs/interface.md#costs)."""
    made = factories.event(client, cost=cost)
    other = factories.event(client, cost="7 kr")

    changed = client.post(f"/events/{other['id']}", {"cost": cost}, as_="admin", status=200).json

    assert (made["cost"], made["cost_details"]) == (shown, parts)
    assert (changed["cost"], changed["cost_details"]) == (shown, parts)


@pytest.mark.parametrize(
    "cost",
    [True, {"amount": 5}, [["5"]], [None], ["1"] * 21, "x" * 3000, 10**200],
    ids=lambda c: repr(c)[:20],
)
def test_cost_that_is_none_is_refused(client: Client, cost: object) -> None:
    event = factories.event(client, cost="5")

    response = client.put(f"/events/{event['id']}", {"cost": cost}, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == ["cost"]
    assert client.get(f"/events/{event['id']}").json["cost"] == "$5"


@pytest.mark.parametrize("cost", ["$10 – $20", "Free – 30$", "20$", "Donation", "Free"])
def test_cost_that_was_read_can_be_written_back(client: Client, cost: str) -> None:
    first = factories.event(client, cost=cost)

    again = client.put(f"/events/{first['id']}", {"cost": first["cost"]}, as_="admin", status=200).json

    assert (again["cost"], again["cost_details"]) == (first["cost"], first["cost_details"])


def test_markup_of_a_cost_is_dropped(client: Client) -> None:
    event = factories.event(client, cost="<b>20</b><script>alert(1)</script>")

    assert event["cost"] == "$20"
