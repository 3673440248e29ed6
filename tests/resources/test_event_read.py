"""Reading one event by id and by slug."""

import pytest

from tests import factories
from tests.client import Client


@pytest.mark.both_databases
@pytest.mark.parametrize("login", [None, "admin"])
def test_event_that_does_not_exist(client: Client, login: str | None) -> None:
    """404 by slug as well (docs/interface.md#not-found)."""
    venue = factories.venue(client)
    for key in (
        "0", "999999", "9223372036854775808", str(10**40), "007777", str(venue["id"]), "by-slug/nothing",
        "by-slug/%00", "by-slug/" + "x" * 300, f"by-slug/{venue['slug']}",
    ):  # fmt: skip
        response = client.get(f"/events/{key}", as_=login, status=404)

        assert response.json["code"] == "rest-event-not-found"
        assert response.json["data"] == {"status": 404}


@pytest.mark.both_databases
def test_terms_are_in_the_order_of_their_names(client: Client) -> None:
    event = factories.event(client, tags="b,Äa,c,a", categories="Zoo,alpha,Beta")

    assert [tag["name"] for tag in event["tags"]] == ["a", "Äa", "b", "c"]
    assert [category["name"] for category in event["categories"]] == ["alpha", "Beta", "Zoo"]


def test_json_ld_is_on_single_reads_only(client: Client) -> None:
    event = factories.event(client, venue={"venue": "Hall"}, organizer=[{"organizer": "Ann"}])

    single = client.get(f"/events/{event['id']}").json
    [listed] = client.get("/events").json["events"]

    assert [key in single["json_ld"] for key in ("location", "organizer")] == [True, True]
    assert single["venue"]["json_ld"] == single["json_ld"]["location"]
    assert single["organizer"][0]["json_ld"] == single["json_ld"]["organizer"]
    assert ["json_ld" in one for one in (listed, listed["venue"], listed["organizer"][0])] == [False] * 3
    assert listed == event
