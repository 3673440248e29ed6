"""From one status to another (docs/interface.md#statuses, #updates, #contributors, #scheduled-records)."""

from itertools import product
from typing import Any

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client

EVERY = ("publish", "draft", "pending", "private", "trash")
LATER = "2099-01-01 00:00:00"


def put(client: Client, event: dict[str, Any], as_: str = "admin", **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.put(f"/events/{event['id']}", fields, as_=as_, status=200).json
    return answer


def test_every_status_may_follow_every_other(client: Client) -> None:
    event = factories.event(client, "author")

    for before, after in product(EVERY, EVERY):
        put(client, event, "author", status=before)
        kept, answer = (
            put(client, event, "author", **body) for body in ({"title": "New"}, {"status": after})
        )

        assert (kept["status"], answer["status"]) == (before, after)
        assert answer["date_utc"] == event["date_utc"]


@pytest.mark.parametrize("asked", ["publish", "future"])
def test_draft_with_a_date_ahead_becomes_future(client: Client, asked: str) -> None:
    for event, body in (
        (factories.event(client, status="draft", date_utc=LATER), {"status": asked}),
        (factories.event(client, status="draft"), {"status": asked, "date": LATER}),
    ):
        answer = put(client, event, **body)

        assert (answer["status"], answer["date_utc"]) == ("future", LATER)
        client.get(f"/events/{event['id']}", status=404)


def test_scheduled_event_stays_scheduled_when_its_status_is_repeated(client: Client) -> None:
    event = factories.event(client, date_utc=LATER)

    repeated = put(client, event, status="future")
    other = put(client, event, title="New")

    assert [(one["status"], one["date_utc"]) for one in (repeated, other)] == [("future", LATER)] * 2


def test_date_and_publish_together_reschedule(client: Client) -> None:
    event = factories.event(client, date_utc=LATER)

    answer = put(client, event, status="publish", date_utc="2098-01-01")

    assert (answer["status"], answer["date_utc"]) == ("future", "2098-01-01 00:00:00")


def test_date_of_the_past_publishes_a_scheduled_event(client: Client) -> None:
    event = factories.event(client, date_utc=LATER)

    answer = put(client, event, date_utc="2020-01-01")

    assert (answer["status"], answer["date_utc"]) == ("publish", "2020-01-01 00:00:00")


def test_scheduled_event_goes_back_to_a_draft_and_keeps_its_date(client: Client) -> None:
    event = factories.event(client, date_utc=LATER)

    answer = put(client, event, status="draft")

    assert (answer["status"], answer["date_utc"]) == ("draft", LATER)
    assert put(client, event, status="publish")["status"] == "future"


@pytest.mark.both_databases
def test_links_and_terms_come_back_with_a_deleted_event(client: Client) -> None:
    event = factories.event(
        client, tags="a", categories="b", venue={"venue": "Hall"}, organizer=[{"organizer": "Ann"}],
        image="https://images.example/a.png", cost="5", password="key",
    )  # fmt: skip
    path = f"/events/{event['id']}"

    client.delete(f"{path}?force=true&password=wrong", as_="admin", status=200)
    gone = client.delete(path, as_="admin", status=410).json
    row = Event.get_by_id(event["id"])
    restored = client.put(path, {"status": "publish"}, as_="admin", status=200).json

    changing = ("modified", "modified_utc")
    assert {key: value for key, value in restored.items() if key not in changing} == {
        key: value for key, value in event.items() if key not in changing
    }
    assert gone["code"] == "event-is-in-trash"
    assert (row.status, row.version, row.trashed_utc is None) == ("trash", 2, False)
    client.get(path, status=403)


@pytest.mark.parametrize(
    ("login", "asked", "granted"),
    [
        ("author", "private", "private"),
        ("contributor", "draft", "draft"),
        ("contributor", "publish", "pending"),
    ],
)
@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_nested_record_is_scaled_back_as_well(
    client: Client, login: str, asked: str, granted: str, noun: str
) -> None:
    factories.event(client, login, **{noun: [{noun: "New", "status": asked}]})

    records = client.get(f"/{noun}s", as_="admin").json[f"{noun}s"]
    assert [(record["status"], record["author"]) for record in records] == [(granted, str(client.ids[login]))]
