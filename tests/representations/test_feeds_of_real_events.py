"""All formats of events as the service lists them."""

from typing import Any

import feedparser
import pytest

from calendar_api.representations import csv_files, icalendar, schema_org, syndication
from tests import factories
from tests.client import Client
from tests.representations.feed_events import feed


@pytest.fixture
def records(client: Client) -> list[dict[str, Any]]:
    """One event with everything, one with nothing, and one that a password protects."""
    factories.event(
        client, title="Tango <b>&amp; more</b> <webdev>", description='one\n\ntwo <img src=x onerror="x()">',
        cost="€10", website="https://x/?a=1&b=2", image="https://x/poster.png", tags=["a & b"],
        venue={"venue": "Hall, west", "city": "Ulm <script"}, organizer={"organizer": "Ann & Bob"},
    )  # fmt: skip
    factories.event(client, title="Nothing", all_day=True)
    factories.event(
        client, title="Secret", password="x", description="inside", cost="€12", tags=["hidden"],
        venue={"venue": "Cellar"}, organizer={"organizer": "Nobody"}, image="https://x/secret.png",
        website="https://secret.example",
    )  # fmt: skip
    extra = {
        "uid": "u",
        "event_status": "scheduled",
        "event_status_reason": "",
        "parent_uid": "",
        "sequence": 0,
    }
    listed = client.get("/events", status=200).json["events"]
    return [{**extra, **record} for record in sorted(listed, key=lambda record: int(record["id"]))]


def unfolded(calendar: bytes) -> bytes:
    return calendar.replace(b"\r\n ", b"").replace(b"\\,", b",")


def test_every_format_has_every_event_and_nothing_that_is_protected(records: list[dict[str, Any]]) -> None:
    contents = [
        syndication.rss(records, feed()), syndication.atom(records, feed()), csv_files.events(records),
        schema_org.graph(records), unfolded(icalendar.calendar(records, feed())),
    ]  # fmt: skip

    assert len(records) == 3
    for content in contents:
        text = content.decode()
        assert all(found in text for found in ("Nothing", "Secret", "Hall, west", "poster.png"))
        assert not any(
            found in text for found in ("inside", "€12", "hidden", "Cellar", "Nobody", "secret.", "onerror")
        )
    for content in contents[:2]:
        found = feedparser.parse(content)
        assert not found.bozo
        assert [tag.term for tag in found.entries[0].tags] == ["a & b"]
        assert found.entries[0].ev_location == "Hall, west, Ulm <script"


def test_venues_and_organizers_of_the_service(client: Client, records: list[dict[str, Any]]) -> None:
    venues = client.get("/venues", status=200).json["venues"]
    organizers = client.get("/organizers", status=200).json["organizers"]

    assert b'\r\n"Hall, west",,,,,Ulm <script,' in csv_files.venues(venues)
    assert b"\r\nAnn & Bob," in csv_files.organizers(organizers)
