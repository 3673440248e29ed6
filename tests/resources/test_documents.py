"""Stored documents: what they hold, and responses when they cannot be used (docs/decisions/0013)."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import time_machine

from calendar_api import database
from calendar_api.commands import check
from calendar_api.config import Config
from calendar_api.database.models import Event, Organizer, Term, Venue
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.representations.documents import VERSION
from calendar_api.store import document_upkeep, documents
from tests import factories, uids
from tests.client import Client, ClientWith

MODELS = (Event, Venue, Organizer, Term)
SITE = SiteSettings("UTC", "$")
IMAGE = "https://pics.example.org/a.png"
TEXTS = {"description": "<p>A & <b>B</b> “ü” \\u0001</p>", "excerpt": "Short", "image": IMAGE}

DAMAGES: dict[str, Callable[[bytes], object]] = {
    "missing": lambda document: None, "empty": lambda document: b"",
    "other version": lambda document: b"0" + document[1:], "cut": lambda document: document[:-1],
    "one byte changed": lambda document: document[:40] + b"?" + document[41:],
    "without its end": lambda document: b"{}", "text": lambda document: "{}",
}  # fmt: skip

VEVENT = re.compile(rb"BEGIN:VEVENT.*?END:VEVENT", re.DOTALL)
#: Version and SHA-256 of the documents of `everything`.
DIGEST = (7, "4f6beb714e8e4f26473606ecf9dff0ebc4178a3d76638290b5a47f516e960980")


@pytest.fixture
def paths(client: Client) -> list[str]:
    """Reads that show every kind of record, and of nested record."""
    event = everything(client)
    own = [f"/events/{event['id']}", f"/events/by-slug/{event['slug']}", f"/venues/{event['venue']['id']}"]
    nouns = ("events", "venues", "organizers", "categories", "tags")
    lists = ("/events?status=publish,future", "/events.ics?status=publish,future", "/events?per_page=1")
    return [*own, *(f"/{noun}" for noun in nouns), *lists]


def everything(client: Client) -> dict[str, Any]:
    """Events with all that an event can show; one is scheduled, and one has a password."""
    parent = factories.event(client, title="Parent", slug="parent", password="secret", **TEXTS)
    fields = {
        "cost": ["0", "€ 12"], "post_parent": parent["id"], "categories": ["Jazz"], "tags": ["open air"],
        "venue": {"venue": "Hall", "city": "Rome", "geo_lat": 41.9, "geo_lng": 12.5, **TEXTS},
        "organizer": {"organizer": "Club", "email": "a@example.org", **TEXTS}, **TEXTS,
    }  # fmt: skip
    factories.event(client, title="Later", slug="later", date="2099-01-01 00:00:00")
    return factories.event(client, title="Concert <1>", slug="concert", **fields)


def bodies(client: Client, paths: list[str]) -> list[bytes]:
    return [client.get(path, as_=as_).body for path in paths for as_ in (None, "admin")]


def store(change: Callable[[bytes], object]) -> None:
    """Change all documents."""
    with database.write():
        for model in MODELS:
            for row in model.select():
                columns = documents.render(model, row, SITE)
                changed = {name: change(getattr(row, name)) for name in columns}
                model.update(changed).where(model.id == row.id).execute()


def found(url: str, **settings: Any) -> list[str]:
    with database.db.connection_context():
        return [finding.text for finding in check.run(Config(database_url=url, **settings))]


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_record_is_rendered_from_its_row_without_a_usable_document(
    client: Client, paths: list[str], damage: Callable[[bytes], object]
) -> None:
    before = bodies(client, paths)
    store(damage)
    assert bodies(client, paths) == before


@pytest.mark.parametrize(("as_", "query"), [(None, ""), ("admin", "?status=publish,future")])
def test_calendar_of_documents_is_the_one_of_records(client: Client, as_: str | None, query: str) -> None:
    """A list is made of the lines in documents, a single event of its record."""
    everything(client)
    ids = [event["id"] for event in client.get(f"/events{query}", as_=as_).json["events"]]
    listed = client.get(f"/events.ics{query}", as_=as_).body
    alone = [client.get(f"/events/{id}.ics", as_=as_, status=200).body for id in ids]
    assert len(ids) > 1
    assert [event for file in alone for event in VEVENT.findall(file)] == VEVENT.findall(listed)


def test_update_of_a_record_without_a_document_stores_one(client: Client) -> None:
    id = factories.event(client)["id"]
    store(lambda document: None)
    client.patch(f"/events/{id}", {"title": "Other"}, as_="admin", status=200)
    with database.read():
        row = Event.get_by_id(id)
        rendered = documents.render(Event, row, SITE)
        assert {name: getattr(row, name) for name in rendered} == rendered


def test_documents_of_other_settings_are_not_used_until_they_are_rendered_again(
    client_with: ClientWith, paths: list[str], config: Config
) -> None:
    settings = {"timezone": "Europe/Berlin", "currency_symbol": "CHF"}
    berlin, database_url = client_with(cache=0, **settings), config.database_url
    shown = bodies(berlin, paths)
    assert any("have no document for these settings" in text for text in found(database_url, **settings))

    site = replace(config, **settings).site
    assert (document_upkeep.rewrite(site), document_upkeep.rewrite(site)) == (7, 0)
    assert bodies(berlin, paths) == shown
    assert not any("document" in text for text in found(database_url, **settings))
    assert shown != bodies(client_with(cache=0, currency_symbol="CHF"), paths)


def test_check_finds_documents_and_counts_unlike_the_rows(client: Client, database_url: str) -> None:
    venue = factories.venue(client)["id"]
    term = factories.event(client, tags=["jazz"])["tags"][0]["id"]
    assert not any("differ" in text or "terms" in text for text in found(database_url))
    with database.write():
        Venue.update(city="Rome").where(Venue.id == venue).execute()
        Term.update(counted=5).execute()
    assert f"The stored documents of 1 records differ from their rows: [{venue}]." in found(database_url)
    assert f"The stored number of events is wrong for the terms [{term}]." in found(database_url)


def test_version_is_increased_when_documents_change(client: Client) -> None:
    """If this fails: increase `documents.VERSION`, so that no older document is used, and set both here."""
    with time_machine.travel("2026-11-22 12:00:00 +0000", tick=False), uids.numbered():
        everything(client)
        with database.read():
            rows = [(model, row) for model in MODELS for row in model.select().order_by(model.id)]
            rendered = [documents.render(model, row, SITE) for model, row in rows]
    digest = hashlib.sha256(repr(rendered).encode()).hexdigest()
    assert (VERSION, digest) == DIGEST
