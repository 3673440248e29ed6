"""Venues and organizers by their events: `event`, `has_events`, `only_with_upcoming`."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

TRUE = ("true", "TRUE", "1", "yes", "on", "y", "enable", "enabled")
OTHER = ("false", "0", "no", "", "2", "maybe")

pytestmark = [pytest.mark.both_databases, pytest.mark.parametrize("noun", ["venue", "organizer"])]


def made(client: Client, noun: str, *names: str, **fields: Any) -> list[Any]:
    return [getattr(factories, noun)(client, **{noun: name}, **fields)["id"] for name in names]


def found(client: Client, noun: str, as_: str | None = None, **params: Any) -> list[int]:
    """Ids in ascending order, after a look at the totals."""
    response = client.get(f"/{noun}s", params, as_=as_, status=200)
    records = response.json[f"{noun}s"]
    assert response.json["total"] == len(records)
    assert response.headers["X-TEC-Total"] == str(len(records))
    assert response.json["total_pages"] == (1 if records else 0)
    return sorted(record["id"] for record in records)


def test_has_events_parts_the_records(client: Client, noun: str) -> None:
    one, two, three, four = made(client, noun, "One", "Two", "Three", "Four")
    for id in (one, one, three):
        factories.event(client, **{noun: id})

    assert [found(client, noun, has_events=word) for word in TRUE] == [[one, three]] * len(TRUE)
    assert [found(client, noun, has_events=word) for word in OTHER] == [[two, four]] * len(OTHER)


@pytest.mark.parametrize("status", ["draft", "pending"])
@pytest.mark.parametrize("login", [None, "admin"])
def test_has_events_does_not_count_drafts(client: Client, noun: str, status: str, login: str | None) -> None:
    (id,) = made(client, noun, "One")
    factories.event(client, status=status, **{noun: id})

    assert found(client, noun, login, has_events="true") == []
    assert found(client, noun, login, has_events="false") == [id]


def test_has_events_counts_private_ones_for_those_who_read_them(client: Client, noun: str) -> None:
    """What a caller may not read does not count (docs/interface.md#visibility)."""
    (id,) = made(client, noun, "One")
    factories.event(client, "author", status="private", **{noun: id})

    callers = [
        login
        for login in (None, "subscriber", "contributor", "author2", "author", "editor", "admin")
        if found(client, noun, login, has_events="true") == [id]
    ]

    assert callers == ["author", "editor", "admin"]


def test_has_events_counts_scheduled_ones_for_those_who_read_them(client: Client, noun: str) -> None:
    (id,) = made(client, noun, "One")
    factories.event(client, date=factories.day(5), **{noun: id})

    assert found(client, noun, has_events="true") == []
    assert found(client, noun, "editor", has_events="true") == [id]


def test_has_events_counts_past_and_hidden_ones(client: Client, noun: str) -> None:
    past, hidden = made(client, noun, "Past", "Hidden")
    factories.event(client, start_date="2020-01-01 10:00", **{noun: past})
    factories.event(client, hide_from_listings=True, **{noun: hidden})

    assert found(client, noun, has_events="true") == [past, hidden]


def test_event_finds_what_is_linked_to_it(client: Client, noun: str) -> None:
    ids = made(client, noun, "One", "Two", "Three")
    events = [factories.event(client, **{noun: ids[number % 3]})["id"] for number in range(9)]

    assert [found(client, noun, event=event) for event in events] == [[id] for id in ids] * 3


def test_event_finds_all_that_is_linked_to_it(client: Client, noun: str) -> None:
    one, _, three = made(client, noun, "One", "Two", "Three")
    linked: dict[str, Any] = {noun: [three, one]}
    event = factories.event(client, **linked)

    assert found(client, noun, event=event["id"]) == [one, three]


def test_event_without_links(client: Client, noun: str) -> None:
    made(client, noun, "One")
    event = factories.event(client)

    assert found(client, noun, event=event["id"]) == []


def test_event_that_the_caller_may_not_read_is_as_if_absent(client: Client, noun: str) -> None:
    (id,) = made(client, noun, "One")
    hidden = factories.event(client, status="draft", **{noun: id})["id"]
    trashed = factories.event(client, **{noun: id})["id"]
    client.delete(f"/events/{trashed}", as_="admin", status=200)

    for login in (None, "subscriber", "contributor", "author"):
        answers = [
            client.get(f"/{noun}s", {"event": event}, as_=login, status=400).json
            for event in (hidden, trashed, id, 999_999)
        ]
        assert list(answers[3]["data"]["params"]) == ["event"]
        assert answers == [answers[3]] * 4
    assert found(client, noun, "editor", event=hidden) == [id]


def test_draft_record_that_is_linked(client: Client, noun: str) -> None:
    (id,) = made(client, noun, "One", status="draft")
    event = factories.event(client, **{noun: id})["id"]

    for filters in ({"event": event}, {"has_events": "true"}, {"only_with_upcoming": "true"}):
        assert found(client, noun, **filters) == []
        assert found(client, noun, "author", **filters) == []
        assert found(client, noun, "editor", **filters) == [id]


def test_only_with_upcoming(client: Client, noun: str) -> None:
    past, soon, later, _ = ids = made(client, noun, "Past", "Soon", "Later", "Never")
    factories.event(client, start_date=factories.day(-3), **{noun: past})
    factories.event(client, start_date=factories.day(1), **{noun: soon})
    factories.event(client, start_date=factories.day(900), **{noun: later})

    assert [found(client, noun, only_with_upcoming=word) for word in TRUE] == [[soon, later]] * len(TRUE)
    assert [found(client, noun, only_with_upcoming=word) for word in OTHER] == [ids] * len(OTHER)


def test_only_with_upcoming_asks_for_the_start(client: Client, noun: str) -> None:
    (id,) = made(client, noun, "One")
    factories.event(client, start_date=factories.day(-1), end_date=factories.day(1), **{noun: id})

    assert found(client, noun, only_with_upcoming="true") == []


def test_only_with_upcoming_looks_beyond_the_first_ten_events(client: Client, noun: str) -> None:
    near, far = made(client, noun, "Near", "Far")
    for number in range(12):
        factories.event(client, start_date=factories.day(1 + number), **{noun: near})
    factories.event(client, start_date=factories.day(20), **{noun: far})

    assert found(client, noun, only_with_upcoming="true") == [near, far]


@pytest.mark.parametrize("status", ["private", "draft", "pending"])
def test_upcoming_events_count_for_those_who_see_them(client: Client, noun: str, status: str) -> None:
    open_, own, other = made(client, noun, "Open", "Own", "Other")
    factories.event(client, **{noun: open_})
    factories.event(client, "author", status=status, **{noun: own})
    factories.event(client, "admin", status=status, **{noun: other})

    seen = {
        login: found(client, noun, login, only_with_upcoming="true")
        for login in (None, "subscriber", "author2", "author", "editor", "admin")
    }

    assert seen == {
        None: [open_],
        "subscriber": [open_],
        "author2": [open_],
        "author": [open_, own],
        "editor": [open_, own, other],
        "admin": [open_, own, other],
    }


@pytest.mark.parametrize("login", [None, "admin"])
def test_only_with_upcoming_leaves_out_hidden_and_trashed_events(
    client: Client, noun: str, login: str | None
) -> None:
    hidden, trashed, scheduled = made(client, noun, "Hidden", "Trashed", "Scheduled")
    factories.event(client, hide_from_listings=True, **{noun: hidden})
    event = factories.event(client, **{noun: trashed})
    client.delete(f"/events/{event['id']}", as_="admin", status=200)
    factories.event(
        client, date=factories.day(1, "00:00:00"), start_date=factories.day(2), **{noun: scheduled}
    )

    assert found(client, noun, login, only_with_upcoming="true") == ([scheduled] if login else [])


def test_protected_event_tells_what_it_hides_to_those_who_read_it_without_its_key_only(
    client: Client, noun: str
) -> None:
    """In lists such an event shows neither venue nor organizer (docs/interface.md#masked-events)."""
    open_, own = made(client, noun, "Open", "Protected")
    factories.event(client, **{noun: open_})
    event = factories.event(client, "author", password="secret", **{noun: own})["id"]

    told = {
        login: [
            own in found(client, noun, login, **{name: value})
            for name, value in (("event", event), ("has_events", "true"), ("only_with_upcoming", "true"))
        ]
        for login in (None, "subscriber", "contributor", "author2", "author", "editor", "admin")
    }

    assert told == {
        login: [login in ("author", "editor", "admin")] * 3
        for login in (None, "subscriber", "contributor", "author2", "author", "editor", "admin")
    }
    assert found(client, noun, has_events="false") == [own]


def test_filters_are_anded(client: Client, noun: str) -> None:
    hall, bar, _ = made(client, noun, "Hall one", "Bar two", "Hall three")
    linked: dict[str, Any] = {noun: [hall, bar]}
    event = factories.event(client, **linked)

    assert found(client, noun, event=event["id"], search="hall") == [hall]
    assert found(client, noun, event=event["id"], has_events="false") == []
    assert found(client, noun, has_events="true", only_with_upcoming="true", search="two") == [bar]
