"""The status of a new event by role, and `future`, which only time tells.

See docs/interface.md#statuses, #scheduled-records.
"""

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client


@pytest.mark.parametrize("asked", [None, "publish", "future"])
def test_publication_date_that_lies_ahead_makes_it_future(client: Client, asked: str | None) -> None:
    fields = {} if asked is None else {"status": asked}

    event = factories.event(client, date_utc="2099-01-01 00:00:00", slug="later", **fields)

    assert event["status"] == "future"
    assert event["slug"] == "later"
    assert Event.get_by_id(event["id"]).status == "publish"
    assert client.get("/events/by-slug/later", as_="admin").json["status"] == "future"
    client.get("/events/by-slug/later", status=404)


@pytest.mark.parametrize("status", ["draft", "trash"])
def test_other_status_is_not_future_before_its_date(client: Client, status: str) -> None:
    event = factories.event(client, date_utc="2099-01-01 00:00:00", status=status)

    assert event["status"] == status
    assert event["date_utc"] == "2099-01-01 00:00:00"


def test_event_of_the_past_is_published_at_once(client: Client) -> None:
    event = factories.event(client, date_utc="2001-01-01 00:00:00", status="future")

    assert (event["status"], event["date_utc"]) == ("publish", "2001-01-01 00:00:00")
    client.get(f"/events/{event['id']}", status=200)


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
