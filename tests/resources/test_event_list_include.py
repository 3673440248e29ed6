"""Event lists by id and by parent."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases


def made(client: Client, title: str, as_: str = "admin", **fields: Any) -> int:
    return int(factories.event(client, as_, title=title, **fields)["id"])


def found(client: Client, query: str, as_: str | None = None) -> list[str]:
    page = client.get(f"/events?{query}", as_=as_, status=200).json
    assert page["total"] == len(page["events"])
    return [event["title"] for event in page["events"]]


def three(client: Client) -> tuple[int, int, int]:
    one, two, three = (made(client, title, start_date=factories.day(day)) for day, title in enumerate("abc"))
    return one, two, three


@pytest.mark.parametrize(
    "query",
    [
        "include={0},foo",
        "include[]={0}&include[]=foo",
        "include=",
        "include=,",
        "include=0",
        "include=-1",
        "include=1.5",
        "include=99999999999999999999",
        "include[a][b]=1",
    ],
)
def test_include_takes_ids_only(client: Client, query: str) -> None:
    first, _, _ = three(client)

    response = client.get("/events?" + query.format(first), status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert list(response.json["data"]["params"]) == ["include"]


@pytest.mark.parametrize(
    "query",
    [
        "include[]={2}&include[]={0}&include[]={1}",
        "include={2},{1},{0}",
        "include=%20{2}%20%2C{1},,{0},",
        "include[0]={1}&include[1]={2}&include[2]={0}",
        "include[x]={1}&include[y]={2},{0}",
        "include={0},{1},{2},{0}",
    ],
)
def test_ids_in_every_form_are_listed_by_their_start(client: Client, query: str) -> None:
    """Ordered by start; neither by publication nor as they were sent (docs/interface.md#sorting)."""
    ids = three(client)
    made(client, "other")

    page = client.get("/events?" + query.format(*ids), status=200).json

    assert [event["id"] for event in page["events"]] == list(ids)
    assert (page["total"], page["total_pages"]) == (3, 1)


def test_include_is_ordered_by_start_whatever_was_made_first(client: Client) -> None:
    late = made(client, "late", start_date="2031-01-02 10:00:00")
    early = made(client, "early", start_date="2031-01-01 10:00:00", date="2025-01-01")

    assert found(client, f"include={late},{early}") == ["early", "late"]


def test_include_ignores_every_date_filter(client: Client) -> None:
    """Past events too (docs/interface.md#event-filters)."""
    past = made(client, "past", start_date="2001-01-01 10:00:00")
    far = made(client, "far", start_date="2999-01-01 10:00:00")
    ids = f"include={past},{far}"
    dates = {
        "start_date": "2500-01-01",
        "end_date": "1500-01-01",
        "starts_before": "1500-01-01",
        "starts_after": "2500-01-01",
        "ends_before": "1500-01-01",
        "ends_after": "2500-01-01",
    }

    assert found(client, ids) == ["past", "far"]
    for name, value in dates.items():
        assert found(client, f"{ids}&{name}={value}") == ["past", "far"]
        assert found(client, f"{ids}&{name}={value}&strict_dates=1") == ["past", "far"]
    assert list(client.get(f"/events?{ids}&start_date=abc", status=400).json["data"]["params"]) == [
        "start_date"
    ]


def test_include_is_anded_with_other_filters_and_paged(client: Client) -> None:
    first, second, third = three(client)
    client.post(f"/events/{second}", {"featured": True}, as_="admin", status=200)
    ids = f"include={first},{second},{third}"

    assert found(client, f"{ids}&featured=1") == ["b"]
    assert found(client, f"{ids}&search=c") == ["c"]
    page = client.get(f"/events?{ids}&per_page=1&page=2").json
    assert [event["title"] for event in page["events"]] == ["b"]
    assert (page["total"], page["total_pages"]) == (3, 3)
    client.get(f"/events?{ids}&per_page=1&page=4", status=404)


@pytest.mark.parametrize("query", ["post_parent=foo", "post_parent=", "post_parent=-1", "post_parent=1.5",
                                   "post_parent=0", "post_parent[]=1", "post_parent=1,2"])  # fmt: skip
def test_post_parent_is_one_id(client: Client, query: str) -> None:
    made(client, "event")

    response = client.get(f"/events?{query}", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert list(response.json["data"]["params"]) == ["post_parent"]


def test_unknown_parent_is_refused(client: Client) -> None:
    venue = factories.venue(client)["id"]

    for id in (999999, venue):
        response = client.get("/events", {"post_parent": id}, status=400)
        assert list(response.json["data"]["params"]) == ["post_parent"]


def test_children_of_an_event(client: Client) -> None:
    parent = made(client, "parent")
    one = made(client, "one", post_parent=parent)
    two = made(client, "two", post_parent=parent)
    made(client, "grandchild", post_parent=one)
    made(client, "draft", post_parent=parent, status="draft")
    made(client, "other")

    page = client.get("/events", {"post_parent": parent}).json

    assert [event["id"] for event in page["events"]] == [one, two]
    assert (page["total"], page["total_pages"]) == (2, 1)
    plain = client.get("/events").json["events"]
    assert page["events"] == [event for event in plain if event["id"] in (one, two)]
    assert found(client, f"post_parent={parent}", as_="editor") == ["one", "two", "draft"]
    assert found(client, f"post_parent={two}") == []
