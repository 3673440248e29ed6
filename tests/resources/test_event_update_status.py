"""From one status to another (docs/interface.md#statuses, #updates, #scheduled-records)."""

from itertools import product
from typing import Any

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client
from tests.resources.records import MODIFIED, Json, change, path_of, without

EVERY = ("publish", "draft", "pending", "private", "trash")
LATER = "2099-01-01 00:00:00"


def state(event: Json) -> tuple[str, str]:
    return event["status"], event["date_utc"]


def test_every_status_may_follow_every_other(client: Client) -> None:
    event = factories.event(client, "author")
    for before, after in product(EVERY, EVERY):
        change(client, event, "author", status=before)
        kept = change(client, event, "author", title="New")
        answer = change(client, event, "author", status=after)
        assert (kept["status"], answer["status"]) == (before, after)
        assert answer["date_utc"] == event["date_utc"]


#: Fields of an event, the updates that follow, and status and publication date after each of them.
UPDATES: dict[str, tuple[Json, list[tuple[Json, tuple[str, str]]]]] = {
    "draft with a date ahead": (
        {"status": "draft", "date_utc": LATER},
        [({"status": "publish"}, ("future", LATER)), ({"title": "New"}, ("future", LATER)),
         ({"status": "future"}, ("future", LATER))],
    ),
    "draft that gets a date ahead": (
        {"status": "draft"}, [({"status": "future", "date": LATER}, ("future", LATER))]
    ),
    "scheduled anew": (
        {"date_utc": LATER},
        [({"status": "publish", "date_utc": "2098-01-01"}, ("future", "2098-01-01 00:00:00"))],
    ),
    "date of the past": (
        {"date_utc": LATER}, [({"date_utc": "2020-01-01"}, ("publish", "2020-01-01 00:00:00"))]
    ),
    "back to a draft": (
        {"date_utc": LATER},
        [({"status": "draft"}, ("draft", LATER)), ({"status": "publish"}, ("future", LATER))],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "updates"), UPDATES.values(), ids=list(UPDATES))
def test_publication_date_decides_between_publish_and_future(
    client: Client, fields: Json, updates: list[tuple[Json, Any]]
) -> None:
    event = factories.event(client, **fields)
    for update, expected in updates:
        assert state(change(client, event, **update)) == expected
        client.get(path_of(event), status=200 if expected[0] == "publish" else 404)


@pytest.mark.both_databases
def test_links_and_terms_come_back_with_a_deleted_event(client: Client) -> None:
    event = factories.event(
        client, tags="a", categories="b", venue={"venue": "Hall"}, organizer=[{"organizer": "Ann"}],
        image="https://images.example/a.png", cost="5", password="key",
    )  # fmt: skip
    client.delete(f"{path_of(event)}?force=true&password=wrong", as_="admin", status=200)
    gone = client.delete(path_of(event), as_="admin", status=410).json
    row = Event.get_by_id(event["id"])
    restored = change(client, event, status="publish")

    assert without(restored, *MODIFIED) == without(event, *MODIFIED)
    assert gone["code"] == "event-is-in-trash"
    assert (row.status, row.version, row.trashed_utc is None) == ("trash", 2, False)
    client.get(path_of(event), status=403)


def test_record_that_is_created_in_the_trash_keeps_its_slug(client: Client) -> None:
    """As in the reference."""
    for noun, name in (("event", "title"), ("venue", "venue"), ("organizer", "organizer")):
        record = getattr(factories, noun)(client, "editor", **{name: "Old barn", "status": "trash"})
        back = change(client, record, "editor", status="publish")
        assert (record["status"], record["slug"], back["slug"]) == ("trash", "old-barn", "old-barn")
