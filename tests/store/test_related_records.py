"""What hangs on events: loaded for a whole page at once, checked, and written."""

from datetime import UTC
from typing import Any

import pytest
from playhouse.test_utils import count_queries

from calendar_api import database
from calendar_api.database.models import Event, EventOrganizer, EventTerm, EventVenue, Term
from calendar_api.domain.errors import Forbidden
from calendar_api.store import related_records
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory


def rows(client: Client, count: int) -> list[Event]:
    for number in range(count):
        factories.event(
            client,
            venue=[{"venue": f"Hall {number}", "image": f"https://images.example/{number}.png"}],
            organizer=[{"organizer": f"Group {number}"}, {"organizer": "Everybody"}],
            tags=[f"tag {number}", "all"],
            categories=["one"],
            image="https://images.example/event.png",
        )
    with database.read():
        return list(Event.select().order_by(Event.id))


@pytest.mark.parametrize("count", [1, 4])
def test_statements_do_not_grow_with_the_page(client: Client, caller: CallerFactory, count: int) -> None:
    found = rows(client, count)

    with database.read(), count_queries() as counter:
        related_records.load(found, caller(None, "2099-01-01 00:00:00"))

    assert counter.count == 4  # no event has a parent, so none is asked for


def test_loaded_links_by_event(client: Client, caller: CallerFactory) -> None:
    found = rows(client, 2)

    with database.read():
        links = related_records.load(found, caller(None, "2099-01-01 00:00:00"))

    ids = [int(event.id) for event in found]
    assert [[venue.venue for venue in links.venues[id]] for id in ids] == [["Hall 0"], ["Hall 1"]]
    assert [[one.organizer for one in links.organizers[id]] for id in ids] == [
        ["Group 0", "Everybody"], ["Group 1", "Everybody"],
    ]  # fmt: skip
    assert [[term.name for term in links.terms[id]] for id in ids] == [
        ["all", "one", "tag 0"], ["all", "one", "tag 1"],
    ]  # fmt: skip
    assert sorted(links.counts.values()) == [1, 1, 2, 2]
    assert len(links.images) == 3


def test_no_events_have_no_links(client: Client, caller: CallerFactory) -> None:
    with database.read():
        links = related_records.load([], caller("admin"))

    assert (links.venues, links.organizers, links.terms, links.counts) == ({}, {}, {}, {})


def test_parents_that_may_be_read(client: Client, caller: CallerFactory) -> None:
    public, hidden = factories.event(client), factories.event(client, "author", status="draft")
    for parent in (public, hidden):
        factories.event(client, post_parent=parent["id"])

    with database.read():
        found = list(Event.select())
        seen = {
            login: related_records.load(found, caller(login, "2099-01-01 00:00:00")).parents
            for login in (None, "author2", "author", "editor")
        }

    both = {public["id"], hidden["id"]}
    assert seen == {None: {public["id"]}, "author2": {public["id"]}, "author": both, "editor": both}


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_problem_names_the_lowest_id_that_is_lacking(
    client: Client, caller: CallerFactory, noun: str
) -> None:
    known = getattr(factories, noun)(client)["id"]

    with database.read():
        now = caller("author", "2099-01-01 00:00:00")
        assert related_records.problems({noun: [known]}, now) == {}
        assert related_records.problems({noun: [999, known, 888]}, now) == {
            noun: f"{noun} must be records that you may read; there is none with the id 888."
        }


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_problem_of_nested_data_is_that_of_the_noun(caller: CallerFactory, noun: str) -> None:
    with database.read():
        found = related_records.problems(
            {noun: [{noun: "A"}, {noun: "B", "image": 999_999}]}, caller("admin")
        )

    assert found[noun].startswith(f"{noun}: image must be the id of a known image")


@pytest.mark.parametrize(
    ("login", "fields", "allowed"),
    [
        ("admin", {"categories": ["new"], "tags": ["new"]}, True),
        ("editor", {"categories": ["new"], "tags": ["new"]}, True),
        ("author", {"categories": ["new"]}, False),
        ("author", {"tags": ["new"]}, True),
        ("author", {"tags": ["known", 5, "999", -1]}, True),
        ("contributor", {"categories": ["new"]}, False),
        ("contributor", {"tags": ["KNOWN", "known"], "categories": []}, True),
        ("contributor", {"tags": ["known", "new"]}, False),
        ("contributor", {}, True),
    ],
)
def test_right_to_new_terms(
    client: Client, caller: CallerFactory, login: str, fields: dict[str, Any], allowed: bool
) -> None:
    factories.tag(client, name="Known")

    with database.read():
        if allowed:
            related_records.require_term_rights(fields, caller(login))
            return
        with pytest.raises(Forbidden) as error:
            related_records.require_term_rights(fields, caller(login))
    assert error.value.status == 403


def test_write_replaces_only_what_was_sent(client: Client, caller: CallerFactory) -> None:
    [event] = rows(client, 1)
    a, b = factories.venue(client)["id"], factories.venue(client)["id"]

    with database.write():
        related_records.replace(event, {"venue": [b, a, b], "tags": []}, caller("admin"), UTC)

    with database.read():
        venues = EventVenue.select().order_by(EventVenue.position)
        terms = Term.select(Term.name).join(EventTerm, on=(EventTerm.term == Term.id))
        assert [(row.venue_id, row.position) for row in venues] == [(b, 0), (a, 1)]
        assert [term.name for term in terms] == ["one"]
        assert EventOrganizer.select().count() == 2


def test_terms_of_another_event_stay(client: Client, caller: CallerFactory) -> None:
    first, second = rows(client, 2)

    with database.write():
        related_records.replace(first, {"tags": ["new"], "categories": []}, caller("admin"), UTC)

    with database.read():
        links = related_records.load([first, second], caller("admin"))
        assert [term.name for term in links.terms[int(first.id)]] == ["new"]
        assert [term.name for term in links.terms[int(second.id)]] == ["all", "one", "tag 1"]
