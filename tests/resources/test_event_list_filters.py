"""Event lists by id, parent, category, tag, venue and organizer."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases
BOTH = pytest.mark.parametrize("noun", ["categories", "tags"])
LINKED = pytest.mark.parametrize("noun", ["venue", "organizer"])


def term(client: Client, noun: str, slug: str, **fields: Any) -> int:
    make = factories.category if noun == "categories" else factories.tag
    return int(make(client, name=f"Name of {slug}", slug=slug, **fields)["id"])


def made(client: Client, title: str, as_: str = "admin", **fields: Any) -> int:
    return int(factories.event(client, as_, title=title, **fields)["id"])


def found(client: Client, query: str, as_: str | None = None) -> list[str]:
    page = client.get(f"/events?per_page=50&{query}", as_=as_, status=200).json
    assert page["total"] == len(page["events"])
    return [event["title"] for event in page["events"]]


def three_kinds(client: Client, noun: str) -> tuple[int, int]:
    """Two events in each of two terms, and one in none; the ids of the terms."""
    one, two = term(client, noun, "one"), term(client, noun, "two")
    for title, terms in (("a", [one]), ("b", [two]), ("c", []), ("d", [one]), ("e", [two])):
        made(client, title, **{noun: terms})
    return one, two


@BOTH
def test_lists_mean_any_of_them(client: Client, noun: str) -> None:
    one, two = three_kinds(client, noun)
    made(client, "both", **{noun: [one, two]})

    for query in (
        f"{noun}[]=one&{noun}[]=two", f"{noun}[0]=two&{noun}[1]={one}", f"{noun}=one%2C%20{two}%20,,",
        f"{noun}[x]=one&{noun}[y]=two", f"{noun}[]=one,two", f"{noun}=one&{noun}=two",
    ):  # fmt: skip
        assert found(client, query) == ["a", "b", "d", "e", "both"]
    assert client.get(f"/events?{noun}={one},{two}").json["total"] == 5


@BOTH
def test_mere_name_is_known_but_finds_nothing(client: Client, noun: str) -> None:
    three_kinds(client, noun)

    assert found(client, f"{noun}=Name%20of%20one") == []
    assert found(client, f"{noun}=name%20of%20ONE,two") == ["b", "e"]


def test_category_and_tag_of_one_slug_are_two_things(client: Client) -> None:
    three_kinds(client, "categories")
    term(client, "tags", "one")
    made(client, "tagged", tags=["one"])

    assert found(client, "categories=one") == ["a", "d"]
    assert found(client, "tags=one") == ["tagged"]


def test_categories_include_their_descendants(client: Client) -> None:
    top = term(client, "categories", "top")
    middle = term(client, "categories", "middle", parent=top)
    bottom = term(client, "categories", "bottom", parent=middle)
    beside = term(client, "categories", "beside", parent=top)
    for title, category in (("t", top), ("m", middle), ("b", bottom), ("s", beside)):
        made(client, title, categories=[category])
    made(client, "other", categories=[term(client, "categories", "other")])

    assert found(client, "categories=top") == ["t", "m", "b", "s"]
    assert found(client, "categories=middle") == ["m", "b"]
    assert found(client, f"categories={bottom}") == ["b"]
    assert found(client, "categories=bottom,beside") == ["b", "s"]


def test_moved_category_takes_its_events_along(client: Client) -> None:
    top, other = term(client, "categories", "top"), term(client, "categories", "other")
    low = term(client, "categories", "low", parent=top)
    made(client, "event", categories=[low])

    client.post(f"/categories/{low}", {"parent": other}, as_="admin", status=200)

    assert found(client, "categories=top") == []
    assert found(client, "categories=other") == ["event"]


def record(client: Client, noun: str, **fields: Any) -> int:
    make = factories.venue if noun == "venue" else factories.organizer
    return int(make(client, **fields)["id"])


@LINKED
def test_several_ids_mean_any_of_them(client: Client, noun: str) -> None:
    one, two, three, unused = (record(client, noun) for _ in range(4))
    for title, ids in zip("abcde", ([one], [two], [one, two], [three], []), strict=True):
        made(client, title, **{noun: ids})

    assert found(client, f"{noun}[]={one}") == ["a", "c"]
    assert found(client, f"{noun}[]={one}&{noun}[]={two}") == ["a", "b", "c"]
    assert found(client, f"{noun}[0]={three}&{noun}[1]={one}") == ["a", "c", "d"]
    assert found(client, f"{noun}[]={one}&{noun}[]={two}&{noun}[]={three}") == ["a", "b", "c", "d"]
    assert found(client, f"{noun}={one},{two},{three},{unused}") == ["a", "b", "c", "d"]
    assert found(client, f"{noun}={two}%2C%20{unused}%20,,") == ["b", "c"]
    assert found(client, f"{noun}={two},{two}") == ["b", "c"]
    assert found(client, f"{noun}={one}&{noun}={three}") == ["a", "c", "d"]


def three(client: Client) -> list[int]:
    """Ids of three events, of which the last was made and published first."""
    days = {2: "2025-01-03", 1: "2025-01-02", 0: "2025-01-01"}
    ids = {
        day: made(client, "abc"[day], start_date=factories.day(day), date=date) for day, date in days.items()
    }
    return [ids[day] for day in range(3)]


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
