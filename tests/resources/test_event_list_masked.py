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


@pytest.mark.parametrize("query", FILTERS)
@pytest.mark.parametrize("who", [None, "subscriber", "contributor", "author2"])
def test_filter_on_masked_content_finds_nothing(
    client: Client, protected: dict[str, Any], query: str, who: str | None
) -> None:
    answer = client.get(f"/events?{filled(query, protected)}", as_=who, status=200).json

    assert protected["id"] not in [event["id"] for event in answer["events"]]
    assert answer["total"] == len(answer["events"])


@pytest.mark.parametrize("query", [query for query in FILTERS if "false" not in query])
@pytest.mark.parametrize("who", ["author", "editor"])
def test_filter_on_masked_content_works_for_those_who_read_it(
    client: Client, protected: dict[str, Any], query: str, who: str
) -> None:
    answer = client.get(f"/events?{filled(query, protected)}", as_=who, status=200).json

    assert protected["id"] in [event["id"] for event in answer["events"]]


def test_filter_on_dates_still_finds_it_masked(client: Client, protected: dict[str, Any]) -> None:
    answer = client.get("/events", status=200).json

    assert [(event["id"], event["description"]) for event in answer["events"]] == [(protected["id"], "")]


@pytest.mark.parametrize("kind", ["venues", "organizers", "categories", "tags"])
def test_records_of_a_protected_event_are_not_told(
    client: Client, protected: dict[str, Any], kind: str
) -> None:
    path = f"/{kind}?event={protected['id']}"

    assert client.get(path, status=200).json["total"] == 0
    assert client.get(path, as_="author2", status=200).json["total"] == 0
    assert client.get(path, as_="author", status=200).json["total"] == 1
    assert client.get(path, as_="editor", status=200).json["total"] == 1


@pytest.mark.parametrize("query", ["has_events=true", "only_with_upcoming=true"])
@pytest.mark.parametrize("kind", ["venues", "organizers"])
def test_protected_event_counts_for_those_who_read_it_only(
    client: Client, protected: dict[str, Any], kind: str, query: str
) -> None:
    assert client.get(f"/{kind}?{query}", status=200).json["total"] == 0
    assert client.get(f"/{kind}?{query}", as_="author", status=200).json["total"] == 1


def test_term_counts_leave_protected_events_out(client: Client, protected: dict[str, Any]) -> None:
    term = client.get(f"/categories/{protected['categories'][0]['id']}", status=200).json

    assert term["count"] == 0
    assert client.get("/categories", status=200).json["total"] == 0
    assert client.get("/tags?orderby=count", status=200).json["total"] == 0
