"""How long a list can get."""

import pytest

from calendar_api.resources.event_list import MAX_LIST
from tests import factories
from tests.client import Client

LONG = "x" * 65_000


def _filled(client: Client, events: int) -> None:
    venues = [
        client.post(
            "/venues", {"venue": f"Hall {number}", "description": LONG}, as_="admin", status=201
        ).json["id"]
        for number in range(20)
    ]
    for number in range(events):
        factories.event(client, title=f"Fair {number}", venue=venues, description=LONG)


@pytest.mark.sqlite
def test_a_list_of_more_than_16_mib_is_refused_and_smaller_pages_are_not(client: Client) -> None:
    _filled(client, 12)

    sizes = [len(client.get("/events", {"per_page": 12}, status=200).body)]
    factories.event(
        client, title="One more", venue=client.get("/venues").json["venues"][:9], description=LONG
    )
    refused = [
        client.get("/events", {"per_page": 50, "page": 1}, as_=caller, status=400)
        for caller in (None, "admin")
    ]
    again = client.get("/events", {"per_page": 6, "page": 2}, status=200)

    assert sizes[0] <= MAX_LIST + 10_000
    assert len(again.json["events"]) == 6
    assert {str(answer.json["data"]["params"]) for answer in refused} == {
        "{'per_page': 'per_page must be smaller: these events have more than 16 MiB together.'}"
    }


@pytest.mark.sqlite
def test_a_list_that_grew_too_long_is_refused_like_a_new_one(client: Client) -> None:
    _filled(client, 12)
    before = client.get("/events", {"per_page": 50}, status=200)

    factories.event(client, title="One more", description=LONG)
    factories.event(client, title="And more", venue=before.json["events"][0]["venue"][:9], description=LONG)

    assert client.get("/events", {"per_page": 50}, status=400).json["code"] == "rest_invalid_param"
    assert client.get("/events", {"per_page": 50}, status=400).json["code"] == "rest_invalid_param"
