"""The cost of an event in every form (docs/interface.md#costs)."""

from typing import Any

from tests import factories
from tests.client import Client


def details(symbol: str, position: str, *values: str) -> dict[str, Any]:
    return {
        "currency_symbol": symbol,
        "currency_code": "",
        "currency_position": position,
        "values": list(values),
    }


#: One of each kind; tests/domain/test_costs.py has the others.
COSTS = [
    ("20", "$20", details("", "", "20")),
    (20.5, "$20.5", details("", "", "20.5")),
    ("20 €", "20€", details("€", "postfix", "20")),
    ("10-20", "$10 – $20", details("", "", "10", "20")),
    (["0$", "20$", "30$"], "Free – 30$", details("$", "postfix", "0", "20", "30")),
    (0, "Free", details("", "", "0")),
    ("Donation", "Donation", details("", "", "donation")),
    ("1.234,56 €", "1.234,56€", details("€", "postfix", "1234.56")),
    ("<b>20</b><script>alert(1)</script>", "$20", details("", "", "20")),
    (None, "", details("", "")),
    ([], "", details("", "")),
]


def test_cost_on_create_and_on_update(client: Client) -> None:
    """`0` is free, and thousands are understood (docs/interface.md#costs)."""
    other = factories.event(client, cost="7 kr")

    for cost, shown, parts in COSTS:
        made = factories.event(client, cost=cost)
        changed = client.post(f"/events/{other['id']}", {"cost": cost}, as_="admin", status=200).json

        assert [(event["cost"], event["cost_details"]) for event in (made, changed)] == [(shown, parts)] * 2
