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


def test_markup_of_a_cost_is_dropped(client: Client) -> None:
    event = factories.event(client, cost="<b>20</b><script>alert(1)</script>")

    assert event["cost"] == "$20"
