"""`uid`, `sequence` and `event_status` of events (docs/interface.md#uid), and former slugs."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from calendar_api import database
from calendar_api.config import Config
from calendar_api.database.models import Event, Organizer, Venue
from calendar_api.domain.auth import Caller
from calendar_api.representations.links import Links, RenderContext
from calendar_api.resources.events import find_records
from calendar_api.store import identifiers
from calendar_api.store.trash import purge
from tests import factories
from tests.client import Client
from tests.resources.records import Json, change, read, trash


def sequence(id: int) -> int:
    with database.read():
        return int(Event.get_by_id(id).sequence)


def test_uid_is_a_uuid_that_no_request_changes(client: Client) -> None:
    first, second = factories.event(client, uid="sent"), factories.event(client)
    changed = change(client, first, **first | {"uid": "other", "title": "T", "slug": "t"})
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
    "start": ({"start_date": "2031-05-02 09:00:00"}, 1),
    "end": ({"end_date": "2031-05-02 13:00:00"}, 1),
    "start, zone and status": (
        {"start_date": "2031-05-01 10:00:00", "timezone": "Asia/Tokyo", "status": "private"}, 1
    ),
    "zone of the same instants": ({"timezone": "Africa/Abidjan"}, 1),
    "all day": ({"all_day": True}, 1),
    "status": ({"status": "draft"}, 1),
    "event status": ({"event_status": "postponed"}, 1),
    "first venue": ({"venue": [{"venue": "Other"}, {"venue": "Hall"}]}, 1),
    "no venue, other time": ({"venue": [], "start_date": "2031-05-02 09:00:00"}, 1),
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
    dates = {"start_date": "2031-05-02 10:00:00", "end_date": "2031-05-02 12:00:00"}
    event = factories.event(client, venue=[{"venue": "Hall"}, {"venue": "Yard"}], **dates)
    assert sequence(event["id"]) == 0
    change(client, event, **fields)
    assert sequence(event["id"]) == more
    change(client, event, **read(client, event, "admin"))
    assert sequence(event["id"]) == more


def test_trash_restoring_and_whole_days_that_end_are_announced(client: Client) -> None:
    event = factories.event(client, all_day=True)
    trash(client, event)
    assert sequence(event["id"]) == 1
    change(client, event, status="publish")
    assert sequence(event["id"]) == 2
    changed = change(client, event, all_day=False)

    same = ("uid", "start_date", "end_date")
    assert [changed[name] for name in same] == [event[name] for name in same]
    assert sequence(event["id"]) == 3


def records(config: Config, caller: Caller) -> dict[str, Json]:
    site = "https://a.example"
    context = RenderContext(Links(site, site, site, "a"), caller.now)
    found = find_records({"page": 1, "per_page": 50}, caller, config.site, context)[1]
    return {str(one["title"]): one for one in found}


def test_objects_have_sequence_and_the_uid_of_a_parent_that_may_be_read(
    client: Client, config: Config, caller: Callable[..., Caller]
) -> None:
    shown, hidden = factories.event(client), factories.event(client, status="draft")
    a, b = shown["id"], hidden["id"]
    for title, parent, password in (("A", a, ""), ("B", b, ""), ("C", a, "secret"), ("D", 0, "")):
        factories.event(client, title=title, post_parent=parent, password=password)
    change(client, shown, all_day=True)
    night = factories.day(0, "23:59:59")
    found, by_admin = (records(config, caller(login, at=night)) for login in (None, "admin"))

    assert [found[title]["parent_uid"] for title in "ABCD"] == [shown["uid"], "", "", ""]
    assert [by_admin[title]["parent_uid"] for title in "BC"] == [hidden["uid"], shown["uid"]]
    assert [found[title]["sequence"] for title in (shown["title"], "A")] == [1, 0]
    assert "sequence" not in client.get("/events").json["events"][0]


# -- former slugs

MODELS = {"event": Event, "venue": Venue, "organizer": Organizer}


def former(kind: Any, slug: str) -> int | None:
    with database.read():
        return identifiers.with_former_slug(kind, slug)


@pytest.mark.both_databases
def test_former_slug_leads_to_the_record_that_had_it_last(client: Client) -> None:
    first, second = (factories.event(client, slug=slug) for slug in ("one", "two"))

    def rename(event: Json, slug: str) -> tuple[int | None, ...]:
        change(client, event, slug=slug, description="D")
        return tuple(former("event", slug) for slug in ("one", "two", "three"))

    assert rename(first, "three") == (first["id"], None, None)
    assert rename(second, "one") == (first["id"], second["id"], None)  # a search finds the second one first
    assert rename(second, "two") == (second["id"], None, None)
    assert rename(second, "one") == (None, second["id"], None)
    trash(client, second)
    assert (former("event", "one"), former("venue", "two")) == (None, None)
    with database.write():
        assert purge("events", "9999", 10) == 1
    assert former("event", "two") is None


@pytest.mark.parametrize("noun", ["event", "venue", "organizer"])
def test_slug_that_was_taken_from_a_record_in_the_trash_is_a_former_one(client: Client, noun: str) -> None:
    record, other = (getattr(factories, noun)(client, status="private") for _ in range(2))
    own = record["slug"]
    trash(client, record)
    with database.write():
        MODELS[noun].update(slug=own).where(MODELS[noun].id == other["id"]).execute()
    assert change(client, record, status="publish")["slug"] == f"{own}-2"
    assert (former(noun, own), former(noun, f"{own}__trashed")) == (record["id"], None)
