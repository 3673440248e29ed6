"""How long a list can get."""

import pytest

from calendar_api.resources.events import MAX_LIST
from tests import factories
from tests.client import Client

LONG = "x" * 65_000


@pytest.mark.sqlite
def test_list_of_more_than_16_mib_is_refused_and_smaller_pages_are_not(client: Client) -> None:
    venues = [factories.venue(client, description=LONG)["id"] for _ in range(20)]
    for _ in range(12):
        factories.event(client, venue=venues, description=LONG)
    full = client.get("/events", {"per_page": 50}, status=200)

    factories.event(client, venue=venues[:9], description=LONG)
    refused = [
        client.get("/events", {"per_page": 50}, as_=caller, status=400) for caller in (None, None, "admin")
    ]
    smaller = client.get("/events", {"per_page": 6, "page": 2}, status=200)

    assert len(full.body) <= MAX_LIST + 10_000
    assert len(smaller.json["events"]) == 6
    assert {str(answer.json["data"]["params"]) for answer in refused} == {
        "{'per_page': 'per_page must be smaller: these events have more than 16 MiB together.'}"
    }
