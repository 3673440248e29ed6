"""Event lists by place: with coordinates or without, and near a point of the earth."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

DEGREE = 111.1950  # kilometres of one degree of a great circle; exactly 111.19508 on our ball


def event_at(client: Client, title: str, lat: float, lng: float, **fields: Any) -> int:
    venue = factories.venue(client, geo_lat=lat, geo_lng=lng, **fields)
    factories.event(client, title=title, venue=venue["id"])
    return int(venue["id"])


def found(client: Client, query: dict[str, Any], as_: str | None = None) -> list[str]:
    page = client.get("/events", query, as_=as_, status=200).json
    assert page["total"] == len(page["events"])
    return [event["title"] for event in page["events"]]


def near(client: Client, lat: float, lng: float, distance: float | None = None, **more: Any) -> list[str]:
    query = {"geoloc_lat": lat, "geoloc_lng": lng}
    if distance is not None:
        query["geoloc_distance"] = distance
    return found(client, query, **more)


@pytest.mark.both_databases
def test_geoloc_parts_the_list(client: Client) -> None:
    event_at(client, "with", 52.5, 13.4)
    event_at(client, "at nothing", 0, 0)
    factories.event(client, title="venue without", venue=factories.venue(client)["id"])
    factories.event(client, title="no venue")

    for value in ("true", "1"):
        assert found(client, {"geoloc": value}) == ["with", "at nothing"]
    for value in ("false", "0"):
        assert found(client, {"geoloc": value}) == ["venue without", "no venue"]


@pytest.mark.both_databases
def test_one_venue_of_several_with_coordinates_is_enough(client: Client) -> None:
    venues = [factories.venue(client)["id"]]
    venues += [factories.venue(client, geo_lat=1, geo_lng=lng)["id"] for lng in (1, 1.01)]
    factories.event(client, title="event", venue=venues)

    assert found(client, {"geoloc": "true"}) == ["event"]
    assert found(client, {"geoloc": "false"}) == []
    assert near(client, 1, 1) == ["event"]


@pytest.mark.both_databases
@pytest.mark.parametrize("trashed", [False, True])
def test_venue_that_the_caller_may_not_see_does_not_count(client: Client, trashed: bool) -> None:
    venue = event_at(client, "event", 10, 10, status="publish" if trashed else "draft")
    if trashed:
        client.delete(f"/venues/{venue}", as_="admin", status=200)

    for caller in (None, "author", "editor"):
        seen = ["event"] if caller == "editor" and not trashed else []
        assert found(client, {"geoloc": "true"}, caller) == near(client, 10, 10, as_=caller) == seen
        assert found(client, {"geoloc": "false"}, caller) == ([] if seen else ["event"])


def test_default_distance_is_25_kilometres(client: Client) -> None:
    event_at(client, "inside", 0, 24.99 / DEGREE)
    event_at(client, "outside", 0, 25.01 / DEGREE)

    assert near(client, 0, 0) == ["inside"]


def test_boundary_of_a_degree(client: Client) -> None:
    for number, (point, place) in enumerate((((0, 0), (0, 1)), ((50, 8), (51, 8)), ((-89, 0), (-90, 77)))):
        event_at(client, f"event {number}", *place)

        assert near(client, *point, 111.1952) == [f"event {number}"]
        assert near(client, *point, 111.1949) == []


@pytest.mark.parametrize("lat", [0, -60])
def test_across_the_180th_meridian(client: Client, lat: float) -> None:
    event_at(client, "east", lat, 179.9)
    event_at(client, "line", lat, 180)
    event_at(client, "same line", lat, -180)
    event_at(client, "west", lat, -179.9)
    event_at(client, "far", lat, 179)

    everything = ["east", "line", "same line", "west"]
    assert near(client, lat, 179.95, 20) == everything
    assert near(client, lat, -179.95, 20) == everything
    assert near(client, lat, 180, 0.001) == ["line", "same line"]
    assert near(client, lat, -180, 0.001) == ["line", "same line"]


def test_largest_and_smallest_distance(client: Client) -> None:
    event_at(client, "here", 12.34, 56.78)
    event_at(client, "there", -12.34, -123.22)

    assert near(client, 12.34, 56.78, 20038) == ["here", "there"]
    assert near(client, 12.34, 56.78, 20014) == ["here"]
    assert near(client, 12.34, 56.78, 0.0001) == ["here"]
    assert near(client, 12.340002, 56.78, 0.0001) == []


def test_distance_without_a_point_filters_nothing(client: Client) -> None:
    event_at(client, "event", 1, 1)
    factories.event(client, title="nowhere")

    page = client.get("/events?geoloc_distance=1", status=200).json

    assert [event["title"] for event in page["events"]] == ["event", "nowhere"]
    assert "geoloc" not in page["rest_url"]
