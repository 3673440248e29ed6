"""`calendar-api purge` deletes old records in the trash and nothing else."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from calendar_api import database
from calendar_api.commands import operations
from calendar_api.database.models import Event, EventVenue, IdempotentResponse, Record, SearchText, Venue
from calendar_api.database.tables import Review, Submission
from calendar_api.domain import dates
from calendar_api.store import submissions
from tests import factories
from tests.backups import everything
from tests.client import Client
from tests.command_line import Run


def trashed(client: Client, plural: str, id: int, days_ago: float) -> int:
    with time_machine.travel(datetime.now(UTC) - timedelta(days=days_ago), tick=False):
        client.delete(f"/{plural}/{id}", as_="admin", status=200)
    return id


def found(client: Client, plural: str, id: int) -> int:
    return client.get(f"/{plural}/{id}", as_="admin").status_int


def row(model: Any, id: int) -> Any:
    with database.read():
        return model.get_or_none(model.id == id)


def test_only_old_records_are_deleted(client: Client, run: Run) -> None:
    old, young, live = (factories.event(client)["id"] for _ in range(3))
    venue, organizer = factories.venue(client)["id"], factories.organizer(client)["id"]
    trashed(client, "events", old, 30.1)
    trashed(client, "events", young, 29.9)
    with time_machine.travel(datetime.now(UTC) - timedelta(days=31), tick=False):
        factories.event(client, status="trash")  # created there
    trashed(client, "venues", venue, 31)
    trashed(client, "organizers", organizer, 31)

    status, out, _ = run("purge")

    assert (status, out) == (0, "2 events, 1 venues, 1 organizers, 0 old answers, 0 contacts deleted\n")
    assert [found(client, "events", id) for id in (old, young, live)] == [404, 200, 200]
    assert (found(client, "venues", venue), found(client, "organizers", organizer)) == (404, 404)
    assert run("purge", "--days", "29")[1].startswith("1 events, 0 venues, 0 organizers")


def test_dry_run_counts_and_changes_nothing(client: Client, run: Run, database_url: str) -> None:
    for _ in range(3):
        trashed(client, "events", factories.event(client)["id"], 40)
    before = everything(database_url)

    status, out, _ = run("purge", "--dry-run")

    counts = "3 events, 0 venues, 0 organizers, 0 old answers, 0 contacts would be deleted"
    assert (status, out) == (0, f"{counts}\n")
    assert everything(database_url) == before


def test_children_lose_their_parent_and_change_their_version(client: Client, run: Run) -> None:
    parent = factories.event(client)["id"]
    child = factories.event(client, post_parent=parent)["id"]
    other = factories.event(client)["id"]
    trashed(client, "events", parent, 40)
    before = {id: row(Event, id).version for id in (child, other)}
    tag = client.get(f"/events/{child}", as_="admin", status=200).headers["ETag"]

    run("purge")

    after = client.get(f"/events/{child}", as_="admin", status=200)
    assert after.json["post_parent"] == 0
    assert after.headers["ETag"] != tag
    assert row(Event, child).version == before[child] + 1
    assert row(Event, other).version == before[other]


def test_links_of_deleted_events_and_venues_are_deleted(client: Client, run: Run) -> None:
    venue, gone = factories.venue(client)["id"], factories.venue(client)["id"]
    event = factories.event(
        client, venue=[venue, gone], organizer=[{"organizer": "Ann"}], categories=["a"], tags=["b"]
    )["id"]
    with_event = factories.event(client, venue=venue, organizer=[{"organizer": "Ben"}], tags=["b"])["id"]
    trashed(client, "venues", gone, 40)
    trashed(client, "events", with_event, 40)
    version = row(Event, event).version

    run("purge")

    with database.read():
        links = sorted(EventVenue.select(EventVenue.event, EventVenue.venue).tuples())
    assert links == [(event, venue)]
    assert row(Event, event).version == version + 1
    assert row(Venue, venue) is not None
    shown = client.get(f"/events/{event}", status=200).json
    assert shown["venue"]["id"] == venue
    assert [one["organizer"] for one in shown["organizer"]] == ["Ann"]
    assert client.get("/tags", status=200).json["tags"][0]["count"] == 1


def test_what_belongs_to_an_event_is_deleted_and_its_id_is_not_reused(client: Client, run: Run) -> None:
    id = trashed(client, "events", factories.event(client, description="secretword")["id"], 40)
    with database.write():
        submissions.add(id, "secret", "Ann", "ann@example.org", "2026-01-01 00:00:00")
        submissions.add_review(id, client.ids["editor"], "Which room?", "2026-01-01 00:00:00")

    run("purge")

    with database.read():
        assert not SearchText.select().where(SearchText.record == id).exists()
        assert (Submission.select().count(), Review.select().count()) == (0, 0)
        assert Record.get_or_none(Record.id == id) is not None
    assert factories.event(client)["id"] > id


def test_expired_idempotent_responses_are_deleted(client: Client, run: Run) -> None:
    for name, days in (("young", 0.5), ("old", 2)):  # a newer one would prune an older one
        with time_machine.travel(datetime.now(UTC) - timedelta(days=days), tick=False):
            client.post("/tags", {"name": name}, as_="admin", headers={"Idempotency-Key": name}, status=201)
    assert "1 old answers, " in run("purge", "--dry-run")[1]

    assert "1 old answers, " in run("purge")[1]
    with database.read():
        assert IdempotentResponse.select().count() == 1
    again = {"Idempotency-Key": "young"}
    client.post("/tags", {"name": "young"}, as_="admin", headers=again, status=201)


def test_many_records_are_deleted_in_short_transactions(
    client: Client, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "BATCH", 2)
    parent = 0
    for _ in range(5):
        parent = factories.event(client, post_parent=parent)["id"]
        trashed(client, "events", parent, 40)
    transactions = []
    run_write = database.run_write
    monkeypatch.setattr(database, "run_write", lambda work: transactions.append(1) or run_write(work))

    assert run("purge")[1].startswith("5 events")  # parents before their children
    assert len(transactions) >= 4


def test_contacts_of_visitors_are_deleted_after_the_decision(client: Client, run: Run) -> None:
    cases = [("publish", 31), ("publish", 29), ("pending", 31), ("draft", 31)]
    for number, (status, days) in enumerate(cases):
        id = factories.event(client, status=status)["id"]
        with database.write():
            sent = dates.text(datetime.now(UTC) - timedelta(days=days))
            submissions.add(id, str(number), "Ann", "ann@example.org", sent)

    assert run("purge", "--dry-run")[1].endswith("1 contacts would be deleted\n")
    assert run("purge")[1].endswith("1 contacts deleted\n")
    with database.read():
        kept = [(row.name, row.email) for row in Submission.select().order_by(Submission.event)]
    assert kept == [("", ""), *[("Ann", "ann@example.org")] * 3]
    assert run("purge")[1].endswith("0 contacts deleted\n")
