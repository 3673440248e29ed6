"""What a password masks shows through no filter, count or list of linked records.

See docs/interface.md#visibility.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases


@pytest.fixture
def protected(client: Client) -> dict[str, Any]:
    """An event with everything that can be masked, under the password `lantern`."""
    parent = factories.event(client, as_="author", start_date="2031-01-01", end_date="2031-01-01")
    return factories.event(
        client,
        as_="author",
        password="lantern",
        featured=True,
        ticketed=True,
        post_parent=parent["id"],
        categories=[factories.category(client, name="Hidden")["id"]],
        tags=[factories.tag(client, name="secret")["id"]],
        venue={"venue": "Cellar", "geo_lat": 10, "geo_lng": 10},
        organizer={"organizer": "Ann"},
        description="lanterns",
    )


FILTERS = (
    "categories={category}", "tags={tag}", "venue={venue}", "organizer={organizer}",
    "featured=true", "ticketed=true", "featured=false",
    "geoloc=true", "geoloc=false", "geoloc_lat=10&geoloc_lng=10", "post_parent={parent}",
    "search=lanterns", "search=-other",
)  # fmt: skip


def filled(query: str, event: dict[str, Any]) -> str:
    return query.format(
        category=event["categories"][0]["id"],
        tag=event["tags"][0]["id"],
        venue=event["venue"]["id"],
        organizer=event["organizer"][0]["id"],
        parent=event["post_parent"],
    )


@pytest.mark.parametrize("who", [None, "author2", "author", "editor"])
def test_filter_on_masked_content_is_for_those_who_read_it(
    client: Client, protected: dict[str, Any], who: str | None
) -> None:
    for query in FILTERS:
        answer = client.get(f"/events?{filled(query, protected)}", as_=who, status=200).json

        reads = who in ("author", "editor") and "=false" not in query
        assert (protected["id"] in [event["id"] for event in answer["events"]]) == reads, query
        assert answer["total"] == len(answer["events"])


def test_filter_on_dates_still_finds_it_masked(client: Client, protected: dict[str, Any]) -> None:
    answer = client.get("/events", status=200).json

    assert [(event["id"], event["description"]) for event in answer["events"]] == [(protected["id"], "")]


@pytest.mark.parametrize("kind", ["venues", "organizers", "categories", "tags"])
def test_records_of_a_protected_event_are_shown_to_those_who_read_it_only(
    client: Client, protected: dict[str, Any], kind: str
) -> None:
    queries = [f"event={protected['id']}"]
    queries += ["has_events=true", "only_with_upcoming=true"] if kind in ("venues", "organizers") else []
    for query in queries:
        totals = [
            client.get(f"/{kind}?{query}", as_=as_, status=200).json["total"]
            for as_ in (None, "author2", "author", "editor")
        ]
        assert totals == [0, 0, 1, 1], query


def test_term_counts_leave_protected_events_out(client: Client, protected: dict[str, Any]) -> None:
    term = client.get(f"/categories/{protected['categories'][0]['id']}", status=200).json

    assert term["count"] == 0
    assert client.get("/categories", status=200).json["total"] == 0
    assert client.get("/tags?orderby=count", status=200).json["total"] == 0
