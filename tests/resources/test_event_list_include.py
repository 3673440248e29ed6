"""Event lists by id and by parent."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client


def made(client: Client, title: str, as_: str = "admin", **fields: Any) -> int:
    return int(factories.event(client, as_, title=title, **fields)["id"])


def found(client: Client, query: str, as_: str | None = None) -> list[str]:
    page = client.get(f"/events?{query}", as_=as_, status=200).json
    assert page["total"] == len(page["events"])
    return [event["title"] for event in page["events"]]


def three(client: Client) -> list[int]:
    """Ids of three events, of which the last was made and published first."""
    days = {2: "2025-01-03", 1: "2025-01-02", 0: "2025-01-01"}
    ids = {
        day: made(client, "abc"[day], start_date=factories.day(day), date=date) for day, date in days.items()
    }
    return [ids[day] for day in range(3)]


def test_include_and_post_parent_take_ids_only(client: Client) -> None:
    id, venue = made(client, "event"), factories.venue(client)["id"]
    odd = {
        "include": (f"{id},foo", "", ",", "0", "-1", "1.5", "9" * 20),
        "include[a][b]": ("1",),
        "post_parent": ("foo", "", "-1", "1.5", "0", f"{id},{id}", "999999", str(venue)),
        "post_parent[]": (str(id),),
    }
    for name, values in odd.items():
        for value in values:
            response = client.get("/events", {name: value}, status=400)

            assert response.json["code"] == "rest_invalid_param"
            assert list(response.json["data"]["params"]) == [name.partition("[")[0]]


@pytest.mark.both_databases
def test_ids_in_every_form_are_listed_by_their_start(client: Client) -> None:
    """Ordered by start; neither by publication nor as they were sent (docs/interface.md#sorting)."""
    first, second, third = three(client)
    made(client, "other")

    for query in (
        f"include[]={third}&include[]={first}&include[]={second}",
        f"include=%20{third}%20%2C{second},,{first},{third}",
        f"include[0]={second}&include[1]={third}&include[2]={first}",
        f"include[x]={second}&include[y]={third},{first}",
    ):
        assert found(client, query) == ["a", "b", "c"]


def test_include_ignores_every_date_filter(client: Client) -> None:
    """Past events too (docs/interface.md#event-filters)."""
    past = made(client, "past", start_date="2001-01-01 10:00:00")
    far = made(client, "far", start_date="2999-01-01 10:00:00")
    ids = f"include={past},{far}"

    assert found(client, ids) == ["past", "far"]
    for name in ("start_date", "starts_after", "ends_after", "end_date", "starts_before", "ends_before"):
        value = "2500-01-01" if name == "start_date" or name.endswith("after") else "1500-01-01"
        assert found(client, f"{ids}&{name}={value}") == ["past", "far"]
        assert found(client, f"{ids}&{name}={value}&strict_dates=1") == ["past", "far"]
    refused = client.get(f"/events?{ids}&start_date=abc", status=400)
    assert list(refused.json["data"]["params"]) == ["start_date"]


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


@pytest.mark.both_databases
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
