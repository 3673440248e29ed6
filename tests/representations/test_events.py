"""What an event shows beyond the recorded answers in `tests/conformance` (docs/interface.md#event-keys)."""

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import Client


@pytest.fixture
def config(database_url: str, request: pytest.FixtureRequest) -> Config:
    return Config(database_url=database_url, currency_symbol=getattr(request, "param", "$"))


@pytest.mark.parametrize("config", ["$", "€", ""], indirect=True)
def test_cost_without_a_currency_is_shown_with_that_of_the_site(client: Client, config: Config) -> None:
    event = factories.event(client, cost="10")

    assert event["cost"] == f"{config.currency_symbol}10"
    assert event["cost_details"]["currency_symbol"] == ""


def test_currency_symbol_holds_no_tag(client: Client) -> None:
    for symbol in ("<!--$", "<s$", "</s$", "<?€"):
        event = factories.event(client, cost=[f"{symbol}5", f"{symbol}&lt;p>Gift"])

        read = client.get(f"/events/{event['id']}", status=200).json

        assert "<" not in read["cost"] + read["cost_details"]["currency_symbol"]
        assert "<" not in read["json_ld"]["offers"]["price"]
        assert read["json_ld"]["offers"]["priceCurrency"] == "USD"
