"""What `count` and `hide_empty` of categories and tags take for used: published events.

See docs/interface.md#term-keys.
"""

import random
from collections import Counter
from typing import Any

import pytest
import time_machine

from calendar_api import database
from calendar_api.database.models import Event, EventTerm, Term
from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases

MAKE = {"categories": factories.category, "tags": factories.tag}

both = pytest.mark.parametrize("plural", ["categories", "tags"])


def having(plural: str, terms: list[int]) -> dict[str, Any]:
    """The fields of an event with these categories or tags."""
    return {plural: terms}


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


@both
def test_count_takes_published_events_only(client: Client, plural: str) -> None:
    term = MAKE[plural](client)["id"]
    for status in ("publish", "draft", "pending", "private", "trash"):
        factories.event(client, status=status, **having(plural, [term]))
    factories.event(client, date=factories.day(30), **having(plural, [term]))

    assert count_of(client, plural, term) == 1
    assert count_of(client, plural, term, as_="admin") == 1


@both
def test_count_follows_the_clock(client: Client, plural: str) -> None:
    """The moment of publication needs no job (docs/interface.md#scheduled-records)."""
    term = MAKE[plural](client)["id"]
    event = factories.event(client, date=factories.day(30), **having(plural, [term]))
    assert (count_of(client, plural, term), ids(client, plural)) == (0, [])

    with time_machine.travel(f"{event['date_utc']}Z", tick=False):
        assert (count_of(client, plural, term), ids(client, plural)) == (1, [term])


@both
def test_count_falls_when_an_event_goes_and_rises_when_it_returns(client: Client, plural: str) -> None:
    term = MAKE[plural](client)["id"]
    event = factories.event(client, **having(plural, [term]))

    counts = [count_of(client, plural, term)]
    client.delete(f"/events/{event['id']}", as_="admin", status=200)
    counts.append(count_of(client, plural, term))
    client.put(f"/events/{event['id']}", {"status": "publish"}, as_="admin", status=200)
    counts.append(count_of(client, plural, term))
    client.put(f"/events/{event['id']}", {plural: []}, as_="admin", status=200)
    counts.append(count_of(client, plural, term))

    assert counts == [1, 0, 1, 0]


@both
def test_count_takes_hidden_events_of_lists_and_past_ones(client: Client, plural: str) -> None:
    term = MAKE[plural](client)["id"]
    factories.event(client, hide_from_listings=True, **having(plural, [term]))
    factories.event(client, start_date=factories.day(-900), **having(plural, [term]))

    assert count_of(client, plural, term) == 2


@both
def test_nested_term_has_the_count_of_the_record(client: Client, plural: str) -> None:
    term = MAKE[plural](client)["id"]
    factories.event(client, **having(plural, [term]))
    factories.event(client, status="draft", **having(plural, [term]))

    read = client.get(f"/events/{factories.event(client, **having(plural, [term]))['id']}", status=200).json

    assert [nested["count"] for nested in read[plural]] == [2]
    assert count_of(client, plural, term) == 2


@both
@pytest.mark.parametrize("value", ["1", "true", "TRUE"])
def test_hide_empty_leaves_out_what_no_published_event_has(client: Client, plural: str, value: str) -> None:
    used, of_draft, _ = (MAKE[plural](client)["id"] for _ in range(3))
    factories.event(client, **having(plural, [used]))
    factories.event(client, status="draft", **having(plural, [of_draft]))

    assert ids(client, plural) == [used]
    assert ids(client, plural, hide_empty=value) == [used]


@both
@pytest.mark.parametrize("value", ["0", "false", "False"])
def test_hide_empty_can_be_turned_off(client: Client, plural: str, value: str) -> None:
    expected = [MAKE[plural](client)["id"] for _ in range(2)]

    assert sorted(ids(client, plural, hide_empty=value)) == expected


@both
@pytest.mark.parametrize("value", ["", "no", "2", "maybe"])
def test_hide_empty_that_is_no_flag_is_refused(client: Client, plural: str, value: str) -> None:
    body = client.get(f"/{plural}", {"hide_empty": value}, status=400).json

    assert body["code"] == "rest_invalid_param"
    assert body["data"]["details"]["hide_empty"]["code"] == "rest_invalid_type"


def test_hide_empty_keeps_the_parents_of_a_used_category_and_counts_them(client: Client) -> None:
    top = factories.category(client, name="a top")["id"]
    middle = factories.category(client, name="b middle", parent=top)["id"]
    used = factories.category(client, name="c used", parent=middle)["id"]
    factories.category(client, name="d empty below", parent=used)
    factories.category(client, name="e empty beside", parent=top)
    factories.event(client, categories=[used])

    body = client.get("/categories", status=200).json

    assert [(term["id"], term["count"]) for term in body["categories"]] == [(top, 0), (middle, 0), (used, 1)]
    assert (body["total"], body["total_pages"]) == (3, 1)


def test_hide_empty_total_agrees_on_every_page(client: Client) -> None:
    top = factories.category(client, name="a")["id"]
    used = factories.category(client, name="b", parent=top)["id"]
    factories.event(client, categories=[used])

    pages = [client.get(f"/categories?per_page=1&page={page}", status=200).json for page in (1, 2, 3)]

    assert [[term["id"] for term in page["categories"]] for page in pages] == [[top], [used], []]
    assert [(page["total"], page["total_pages"]) for page in pages] == [(2, 2)] * 3


def test_hide_empty_with_other_filters_applies_both(client: Client) -> None:
    top = factories.category(client, name="top")["id"]
    used = factories.category(client, name="used", parent=top)["id"]
    factories.category(client, name="unused", parent=top)
    factories.event(client, categories=[used])

    assert ids(client, "categories", parent=top) == [used]
    assert ids(client, "categories", parent=0) == [top]
    assert ids(client, "categories", search="used") == [used]


def test_counts_are_those_of_the_links_after_any_writes(client: Client) -> None:
    """Counts are kept and not counted: whatever is written, they are what counting would find."""
    chance = random.Random(7)  # noqa: S311 - not for secrets
    ids = [factories.event(client, tags=["a", "b"], categories=["c"])["id"] for _ in range(3)]
    changes: list[dict[str, Any]] = [
        {"tags": ["a"]}, {"tags": []}, {"tags": ["b", "d"], "status": "draft"}, {"status": "publish"},
        {"password": "x"}, {"password": ""}, {"categories": ["c", "e"]}, {"date": factories.day(30)},
        {"categories": [], "password": "x", "tags": ["a", "e"]}, {"start_date": factories.day(0)},
        {"date": factories.day(-30)}, {"status": "trash"}, {"status": "private"},
    ]  # fmt: skip
    for number in range(60):
        client.put(f"/events/{chance.choice(ids)}", chance.choice(changes), as_="admin", status=200)
        if number % 20 == 10:
            client.delete(f"/tags/{Term.get(Term.name == 'a').id}", as_="admin", status=200)
        if number % 20 == 15:
            ids[0] = factories.event(client, tags=["a", "f"], status=chance.choice(["publish", "draft"]))[
                "id"
            ]
        with database.read():
            links = EventTerm.select(EventTerm.term).where(EventTerm.counted_from_utc.is_null(False)).tuples()
            counted = Counter(term for (term,) in links)
            assert {term.id: term.counted for term in Term.select()} == {
                term.id: counted[term.id] for term in Term.select()
            }
            for event in Event.select():
                own = EventTerm.select().where(EventTerm.event == event.id)
                public = event.status == "publish" and not event.password
                assert {link.counted_from_utc for link in own} <= {event.published_utc if public else None}
                assert {link.utc_start_date for link in own} <= {event.utc_start_date}
