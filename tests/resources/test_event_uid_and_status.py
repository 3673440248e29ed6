"""`uid`, `sequence` and `event_status` of events (docs/interface.md#uid), and former slugs."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from calendar_api import database
from calendar_api.config import Config
from calendar_api.database.models import Event, Organizer, Venue
from calendar_api.domain.auth import Caller
from calendar_api.representations.links import Links
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources.events import find_records
from calendar_api.store import slugs, trash
from tests import factories
from tests.client import Client

Json = dict[str, Any]


def sequence(id: int) -> int:
    with database.read():
        return int(Event.get_by_id(id).sequence)


def test_uid_is_a_uuid_that_no_request_changes(client: Client) -> None:
    first, second = factories.event(client, uid="sent"), factories.event(client)

    changed = client.put(
        f"/events/{first['id']}", first | {"uid": "other", "title": "T", "slug": "t"}, as_="admin", status=200
    ).json

    assert UUID(first["uid"]).version == 4
    assert str(UUID(first["uid"])) == first["uid"] == changed["uid"] != second["uid"]


def test_password_hides_the_reason_but_not_the_status(client: Client) -> None:
    event = factories.event(client, event_status="canceled", event_status_reason="Ill", password="secret")

    (masked,) = client.get("/events").json["events"]

    shown = [masked[name] for name in ("uid", "event_status", "event_status_reason")]
    assert shown == [event["uid"], "canceled", ""]
    opened = client.get("/events", {"password": "secret"}).json["events"]
    assert opened[0]["event_status_reason"] == "Ill"


CHANGES: dict[str, tuple[Json, int]] = {
    "start": ({"start_date": factories.day(1, "09:00:00")}, 1),
    "end": ({"end_date": factories.day(1, "13:00:00")}, 1),
    "start, zone and status": (
        {"start_date": factories.day(0), "timezone": "Asia/Tokyo", "status": "private"}, 1
    ),
    "zone of the same instants": ({"timezone": "Africa/Abidjan"}, 1),
    "all day": ({"all_day": True}, 1),
    "status": ({"status": "draft"}, 1),
    "event status": ({"event_status": "postponed"}, 1),
    "first venue": ({"venue": [{"venue": "Other"}, {"venue": "Hall"}]}, 1),
    "no venue, other time": ({"venue": [], "start_date": factories.day(1, "09:00:00")}, 1),
    "same venues and status": ({"venue": [{"venue": "Hall"}, {"venue": "Yard"}], "event_status": ""}, 0),
    "second venue": ({"venue": [{"venue": "Hall"}, {"venue": "Other"}]}, 0),
    "what is not announced": (
        {"title": "T", "slug": "t", "description": "D", "event_status_reason": "R", "cost": "5",
         "featured": True, "organizer": {"organizer": "O"}, "tags": ["a"], "password": "p",
         "image": "https://pics.example.org/a.png"},
        0,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "more"), CHANGES.values(), ids=list(CHANGES))
def test_sequence_counts_what_calendars_announce(client: Client, fields: Json, more: int) -> None:
    event = factories.event(client, venue=[{"venue": "Hall"}, {"venue": "Yard"}])
    assert sequence(event["id"]) == 0

    client.patch(f"/events/{event['id']}", fields, as_="admin", status=200)
    assert sequence(event["id"]) == more

    client.put(f"/events/{event['id']}", client.get(f"/events/{event['id']}", as_="admin").json, as_="admin")
    assert sequence(event["id"]) == more


def test_whole_day_that_is_no_longer_all_day_is_announced(client: Client) -> None:
    event = factories.event(client, all_day=True)

    changed = client.patch(f"/events/{event['id']}", {"all_day": False}, as_="admin", status=200).json

    assert [changed[name] for name in ("start_date", "end_date")] == [event["start_date"], event["end_date"]]
    assert sequence(event["id"]) == 1


def test_trash_and_restoring_are_changes_of_the_status(client: Client) -> None:
    event = factories.event(client)

    client.delete(f"/events/{event['id']}", as_="admin", status=200)
    assert sequence(event["id"]) == 1
    client.patch(f"/events/{event['id']}", {"status": "publish"}, as_="admin", status=200)

    assert sequence(event["id"]) == 2
    assert client.get(f"/events/{event['id']}").json["uid"] == event["uid"]


def records(config: Config, caller: Caller) -> dict[str, Json]:
    context = RenderContext(
        Links("https://a.example", "https://a.example", "https://a.example", "a"), caller.now
    )
    query = {"page": 1, "per_page": 50}
    return {str(one["title"]): one for one in find_records(query, caller, config.site, context)[1]}


def test_objects_have_sequence_and_the_uid_of_a_parent_that_may_be_read(
    client: Client, config: Config, caller: Callable[..., Caller]
) -> None:
    shown, hidden = factories.event(client), factories.event(client, status="draft")
    for title, fields in (
        ("A", {"post_parent": shown["id"]}),
        ("B", {"post_parent": hidden["id"]}),
        ("C", {"post_parent": shown["id"], "password": "secret"}),
        ("D", {}),
    ):
        factories.event(client, title=title, **fields)
    client.patch(f"/events/{shown['id']}", {"all_day": True}, as_="admin", status=200)

    found, by_admin = (
        records(config, caller(login, at=factories.day(0, "23:59:59"))) for login in (None, "admin")
    )

    assert {title: found[title]["parent_uid"] for title in "ABCD"} == {
        "A": shown["uid"],
        "B": "",
        "C": "",
        "D": "",
    }
    assert [by_admin[title]["parent_uid"] for title in "BC"] == [hidden["uid"], shown["uid"]]
    assert [found[title]["sequence"] for title in (shown["title"], "A")] == [1, 0]
    assert "sequence" not in client.get("/events").json["events"][0]


# -- former slugs

MODELS = {"event": Event, "venue": Venue, "organizer": Organizer}


def former(kind: Any, slug: str) -> int | None:
    with database.read():
        return slugs.former(kind, slug)


@pytest.mark.both_databases
def test_former_slug_leads_to_the_record_that_had_it_last(client: Client) -> None:
    first, second = (factories.event(client, slug=slug)["id"] for slug in ("one", "two"))

    def rename(id: int, slug: str) -> tuple[int | None, ...]:
        client.patch(f"/events/{id}", {"slug": slug, "description": "D"}, as_="admin", status=200)
        return tuple(former("event", slug) for slug in ("one", "two", "three"))

    assert rename(first, "three") == (first, None, None)
    assert rename(second, "one") == (first, second, None)  # a search finds the second one first
    assert rename(second, "two") == (second, None, None)
    assert rename(second, "one") == (None, second, None)
    client.delete(f"/events/{second}", as_="admin", status=200)
    assert former("event", "one") is None
    assert former("venue", "two") is None
    with database.write():
        assert trash.purge("events", "9999", 10) == 1
    assert former("event", "two") is None


@pytest.mark.parametrize("noun", ["event", "venue", "organizer"])
def test_slug_that_was_taken_while_the_record_was_in_the_trash_is_a_former_one(
    client: Client, noun: str
) -> None:
    record, other = (getattr(factories, noun)(client, status="private") for _ in range(2))
    path, own = f"/{noun}s/{record['id']}", record["slug"]
    client.delete(path, as_="admin", status=200)
    with database.write():
        MODELS[noun].update(slug=own).where(MODELS[noun].id == other["id"]).execute()

    restored = client.patch(path, {"status": "publish"}, as_="admin", status=200).json

    assert restored["slug"] == f"{own}-2"
    assert (former(noun, own), former(noun, f"{own}__trashed")) == (record["id"], None)
