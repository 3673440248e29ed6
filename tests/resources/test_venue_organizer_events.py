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
    """Past events and those that lists leave out count as well."""
    one, two, three, four = made(client, noun, "One", "Two", "Three", "Four")
    for id, fields in (
        (one, {}),
        (one, {"start_date": "2020-01-01 10:00"}),
        (three, {"hide_from_listings": True}),
    ):
        factories.event(client, **{noun: id}, **fields)

    assert [found(client, noun, has_events=word) for word in TRUE] == [[one, three]] * len(TRUE)
    assert [found(client, noun, has_events=word) for word in OTHER] == [[two, four]] * len(OTHER)


def test_has_events_counts_what_the_caller_may_read_but_no_drafts(client: Client, noun: str) -> None:
    """See docs/interface.md#visibility."""
    draft, pending, private, future = made(client, noun, "Draft", "Pending", "Private", "Future")
    for status, id in (("draft", draft), ("pending", pending), ("private", private)):
        factories.event(client, "author", status=status, **{noun: id})
    factories.event(client, "author", date=factories.day(5), **{noun: future})

    for login in (None, "author2", "author", "editor"):
        seen = [private, future] if login in ("author", "editor") else []
        assert found(client, noun, login, has_events="true") == seen
        assert set(found(client, noun, login, has_events="false")) == {draft, pending, private, future} - set(
            seen
        )


def test_event_finds_what_is_linked_to_it(client: Client, noun: str) -> None:
    one, _, three = made(client, noun, "One", "Two", "Three")

    for ids in ([one], [one, three], []):
        linked: dict[str, Any] = {noun: ids[::-1]}
        assert found(client, noun, event=factories.event(client, **linked)["id"]) == ids


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


def test_only_with_upcoming(client: Client, noun: str) -> None:
    past, soon, later, started, _ = ids = made(client, noun, "Past", "Soon", "Later", "Started", "Never")
    factories.event(client, start_date=factories.day(-3), **{noun: past})
    factories.event(client, start_date=factories.day(1), **{noun: soon})
    factories.event(client, start_date=factories.day(900), **{noun: later})
    factories.event(client, start_date=factories.day(-1), end_date=factories.day(1), **{noun: started})

    assert [found(client, noun, only_with_upcoming=word) for word in TRUE] == [[soon, later]] * len(TRUE)
    assert [found(client, noun, only_with_upcoming=word) for word in OTHER] == [ids] * len(OTHER)


def test_upcoming_events_count_for_those_who_see_them(client: Client, noun: str) -> None:
    open_, own, other = made(client, noun, "Open", "Own", "Other")
    factories.event(client, **{noun: open_})
    factories.event(client, "author", status="draft", **{noun: own})
    factories.event(client, "admin", status="private", **{noun: other})

    seen = {
        login: found(client, noun, login, only_with_upcoming="true")
        for login in (None, "author2", "author", "editor")
    }

    assert seen == {
        None: [open_], "author2": [open_], "author": [open_, own], "editor": [open_, own, other],
    }  # fmt: skip


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
