"""Reading one event by id and by slug."""

import pytest

from tests import factories
from tests.client import Client


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "path",
    ["/events/0", "/events/999999", "/events/9223372036854775808", f"/events/{10**40}", "/events/007777",
     "/events/by-slug/nothing", "/events/by-slug/%00", "/events/by-slug/" + "x" * 300],
)  # fmt: skip
@pytest.mark.parametrize("login", [None, "admin"])
def test_event_that_does_not_exist(client: Client, path: str, login: str | None) -> None:
    """404 by slug as well (docs/interface.md#not-found)."""
    response = client.get(path, as_=login, status=404)

    assert response.json["code"] == "rest-event-not-found"
    assert response.json["data"] == {"status": 404}


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_slug_of_another_kind_of_record(client: Client, noun: str) -> None:
    """404 (docs/interface.md#not-found)."""
    record = getattr(factories, noun)(client)

    response = client.get(f"/events/by-slug/{record['slug']}", status=404)

    assert response.json["code"] == "rest-event-not-found"


@pytest.mark.both_databases
def test_terms_are_in_the_order_of_their_names(client: Client) -> None:
    event = factories.event(client, tags="b,Äa,c,a", categories="Zoo,alpha,Beta")

    assert [tag["name"] for tag in event["tags"]] == ["a", "Äa", "b", "c"]
    assert [category["name"] for category in event["categories"]] == ["alpha", "Beta", "Zoo"]


def test_category_below_another_names_its_parent(client: Client) -> None:
    parent = factories.category(client, name="Music")
    child = factories.category(client, name="Jazz", parent=parent["id"])

    event = factories.event(client, categories=[child["id"]])

    [nested] = event["categories"]
    assert nested["parent"] == parent["id"]
    assert nested["urls"]["up"].endswith(f"/categories/{parent['id']}")


def test_json_ld_is_on_single_reads_only(client: Client) -> None:
    event = factories.event(client, venue={"venue": "Hall"}, organizer=[{"organizer": "Ann"}])

    single = client.get(f"/events/{event['id']}").json
    [listed] = client.get("/events").json["events"]

    assert [key in single["json_ld"] for key in ("location", "organizer")] == [True, True]
    assert single["venue"]["json_ld"] == single["json_ld"]["location"]
    assert single["organizer"][0]["json_ld"] == single["json_ld"]["organizer"]
    assert ["json_ld" in one for one in (listed, listed["venue"], listed["organizer"][0])] == [False] * 3
    assert listed == event
