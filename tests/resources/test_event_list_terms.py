"""Event lists by category and tag."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases

BOTH = pytest.mark.parametrize("noun", ["categories", "tags"])


def term(client: Client, noun: str, slug: str, **fields: Any) -> int:
    make = factories.category if noun == "categories" else factories.tag
    return int(make(client, name=f"Name of {slug}", slug=slug, **fields)["id"])


def made(client: Client, title: str, **fields: Any) -> int:
    return int(factories.event(client, title=title, **fields)["id"])


def found(client: Client, query: str, as_: str | None = None) -> list[str]:
    return [event["title"] for event in client.get(f"/events?{query}", as_=as_, status=200).json["events"]]


def three_kinds(client: Client, noun: str) -> tuple[int, int]:
    """Two events in each of two terms, and one in none; the ids of the terms."""
    one, two = term(client, noun, "one"), term(client, noun, "two")
    for title, terms in (("a", [one]), ("b", [two]), ("c", []), ("d", [one]), ("e", [two])):
        made(client, title, **{noun: terms})
    return one, two


@pytest.mark.sqlite
@BOTH
def test_unknown_terms_are_refused(client: Client, noun: str) -> None:
    one, _ = three_kinds(client, noun)
    deleted = term(client, noun, "deleted")
    client.delete(f"/{noun}/{deleted}", as_="admin", status=200)

    for value in (
        "missing",
        "999999",
        "0",
        "-1",
        "one,missing",
        "",
        ",",
        "%20",
        f"{one},999999",
        str(deleted),
    ):
        for more in ("", f"&include={one}"):
            response = client.get(f"/events?{noun}={value}{more}", status=400)

            assert response.json["code"] == "rest_invalid_param"
            assert list(response.json["data"]["params"])[:1] == [noun]


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


def test_categories_and_tags_are_anded(client: Client) -> None:
    term(client, "categories", "music")
    term(client, "tags", "loud")
    made(client, "category", categories=["music"])
    made(client, "tag", tags=["loud"])
    made(client, "both", categories=["music"], tags=["loud"])

    assert found(client, "categories=music&tags=loud") == ["both"]


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


def test_values_of_a_repeated_filter_are_collected(client: Client) -> None:
    for slug in ("one", "two", "three"):
        made(client, slug, categories=[term(client, "categories", slug)])

    response = client.get("/events?categories=one&per_page=9&categories=two", status=200).json

    assert [event["title"] for event in response["events"]] == ["one", "two"]
    assert "categories=one,two" in response["rest_url"]
    assert found(client, "categories=two&categories[]=three") == ["two", "three"]


def test_moved_category_takes_its_events_along(client: Client) -> None:
    top, other = term(client, "categories", "top"), term(client, "categories", "other")
    low = term(client, "categories", "low", parent=top)
    made(client, "event", categories=[low])

    client.post(f"/categories/{low}", {"parent": other}, as_="admin", status=200)

    assert found(client, "categories=top") == []
    assert found(client, "categories=other") == ["event"]
