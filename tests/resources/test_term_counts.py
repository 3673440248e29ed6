"""What `count` and `hide_empty` of categories and tags take for used: published events.

See docs/interface.md#term-keys.
"""

from typing import Any

import pytest
import time_machine

from tests import factories
from tests.client import Client

MAKE = {"categories": factories.category, "tags": factories.tag}

both = pytest.mark.parametrize("plural", ["categories", "tags"])


def count_of(client: Client, plural: str, id: int, as_: str | None = None) -> int:
    """The count on the single record, which the list and the event have to repeat."""
    alone: int = client.get(f"/{plural}/{id}", as_=as_, status=200).json["count"]
    in_list = client.get(f"/{plural}?hide_empty=0&include={id}", as_=as_, status=200).json[plural]
    assert [term["count"] for term in in_list] == [alone]
    return alone


def ids(client: Client, plural: str, **query: Any) -> list[int]:
    body = client.get(f"/{plural}", query, status=200).json
    assert body["total"] == len(body[plural])
    return [term["id"] for term in body[plural]]


@pytest.mark.both_databases
@both
def test_count_takes_published_events_only(client: Client, plural: str) -> None:
    term, of_draft = (MAKE[plural](client)["id"] for _ in range(2))
    terms: dict[str, Any] = {plural: [term]}
    for status in ("draft", "pending", "private", "trash"):
        factories.event(client, **{plural: [term, of_draft]}, status=status)
    factories.event(client, date=factories.day(30), **terms)
    factories.event(client, hide_from_listings=True, **terms)
    factories.event(client, start_date=factories.day(-900), **terms)
    event = factories.event(client, **terms)

    nested = client.get(f"/events/{event['id']}", status=200).json[plural]

    assert [count_of(client, plural, term, as_=as_) for as_ in (None, "admin")] == [3, 3]
    assert [one["count"] for one in nested] == [3]
    for value in (None, "1", "true", "TRUE"):
        assert ids(client, plural, **({} if value is None else {"hide_empty": value})) == [term]
    for value in ("0", "false", "False"):
        assert sorted(ids(client, plural, hide_empty=value)) == [term, of_draft]


@both
def test_count_follows_the_clock(client: Client, plural: str) -> None:
    """The moment of publication needs no job (docs/interface.md#scheduled-records)."""
    term = MAKE[plural](client)["id"]
    fields: dict[str, Any] = {plural: [term]}
    event = factories.event(client, date=factories.day(30), **fields)
    assert (count_of(client, plural, term), ids(client, plural)) == (0, [])

    with time_machine.travel(f"{event['date_utc']}Z", tick=False):
        assert (count_of(client, plural, term), ids(client, plural)) == (1, [term])


def test_hide_empty_keeps_the_parents_of_a_used_category_and_counts_them(client: Client) -> None:
    top = factories.category(client, name="a top")["id"]
    middle = factories.category(client, name="b middle", parent=top)["id"]
    used = factories.category(client, name="c used", parent=middle)["id"]
    factories.category(client, name="d empty below", parent=used)
    factories.category(client, name="e empty beside", parent=top)
    factories.event(client, categories=[used])

    body = client.get("/categories", status=200).json
    pages = [client.get(f"/categories?per_page=2&page={page}", status=200).json for page in (1, 2, 3)]

    assert [(term["id"], term["count"]) for term in body["categories"]] == [(top, 0), (middle, 0), (used, 1)]
    assert (body["total"], body["total_pages"]) == (3, 1)
    assert [[term["id"] for term in page["categories"]] for page in pages] == [[top, middle], [used], []]
    assert [(page["total"], page["total_pages"]) for page in pages] == [(3, 2)] * 3
    assert ids(client, "categories", parent=top) == [middle]
    assert ids(client, "categories", parent=0) == [top]
    assert ids(client, "categories", search="used") == [used]
