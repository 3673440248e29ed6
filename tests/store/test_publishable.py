"""Ids, dates, statuses and trash of events, venues and organizers."""

from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from calendar_api import database
from calendar_api.database.models import Event, Organizer, PublishedRecord, Record, SearchText, Venue
from calendar_api.domain.errors import Forbidden, InvalidParameters, NotFound
from calendar_api.store import publishable
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory

BERLIN = ZoneInfo("Europe/Berlin")
NOW = "2026-06-15 12:00:00"


def test_record_of_another_kind_is_not_found(client: Client, caller: CallerFactory) -> None:
    event = factories.event(client)

    with database.read():
        assert publishable.by_id(Event, event["id"], caller(None, "2099-01-01 00:00:00")).id == event["id"]
        for model, noun in ((Venue, "venue"), (Organizer, "organizer")):
            with pytest.raises(NotFound) as error:
                publishable.by_id(model, event["id"], caller("admin"))
            assert error.value.code == f"rest-{noun}-not-found"


@pytest.mark.parametrize("slug", ["concert", "CONCERT", "Concert"])
def test_record_by_slug(client: Client, caller: CallerFactory, slug: str) -> None:
    event = factories.event(client, slug="concert", status="private")

    with database.read():
        assert publishable.by_slug(Event, slug, caller("admin")).id == event["id"]
        with pytest.raises(NotFound):
            publishable.by_slug(Event, slug, caller("author"))


def test_created_gives_out_an_id_that_is_of_the_kind(caller: CallerFactory) -> None:
    with database.write():
        rows = [
            publishable.created(model, {}, caller("author"), UTC, "title")
            for model in (Event, Venue, Organizer)
        ]

    with database.read():
        assert [Record.get_by_id(row["id"]).kind for row in rows] == ["event", "venue", "organizer"]
        assert len({row["id"] for row in rows}) == 3


def test_created_columns(caller: CallerFactory) -> None:
    author = caller("author")

    with database.write():
        row = publishable.created(Event, {"description": "Text"}, author, UTC, "the-title")

    row.pop("id")
    assert row == {
        "author": author.id,
        "published_utc": NOW,
        "modified_utc": NOW,
        "description": "Text",
        "excerpt": "",
        "image": None,
        "version": 1,
        "status": "publish",
        "slug": "the-title",
        "slug_before_trash": None,
        "trashed_utc": None,
    }


@pytest.mark.parametrize(
    ("fields", "utc"),
    [
        ({}, None),
        ({"date": "2026-07-01 12:00:00"}, "2026-07-01 10:00:00"),
        ({"date_utc": "2026-07-01 12:00:00"}, "2026-07-01 12:00:00"),
        ({"date": "2026-07-01 12:00:00", "date_utc": "2020-01-01"}, "2026-07-01 10:00:00"),
        ({"date": "2026-07-01T12:00:00Z"}, "2026-07-01 12:00:00"),
        ({"date_utc": "2026-07-01T12:00:00+05:00"}, "2026-07-01 07:00:00"),
        ({"date": "tomorrow 9am"}, "2026-06-16 07:00:00"),
        ({"date_utc": "tomorrow 9am"}, "2026-06-16 09:00:00"),
    ],
)
def test_published_date_in_utc(caller: CallerFactory, fields: dict[str, Any], utc: str | None) -> None:
    assert publishable.published(fields, caller("admin"), BERLIN) == utc


def test_moment_that_the_zone_lacks_is_an_invalid_parameter(caller: CallerFactory) -> None:
    with pytest.raises(InvalidParameters) as error:
        publishable.moment("start_date", "9999-12-30T23:59:59Z", BERLIN, caller("admin"))

    assert list(error.value.problems) == ["start_date"]


@pytest.mark.parametrize(
    ("old", "new", "slug", "before", "expected"),
    [
        ("publish", "draft", "a", None, {"status": "draft", "slug": "a", "slug_before_trash": None}),
        ("publish", "trash", "a", None,
         {"status": "trash", "slug": "a__trashed", "slug_before_trash": "a", "trashed_utc": NOW}),
        ("draft", "trash", None, None,
         {"status": "trash", "slug": None, "slug_before_trash": None, "trashed_utc": NOW}),
        ("trash", "trash", "a__trashed", "a",
         {"status": "trash", "slug": "a__trashed", "slug_before_trash": "a"}),
        ("trash", "publish", "a__trashed", "a",
         {"status": "publish", "slug": "a", "slug_before_trash": None, "trashed_utc": None}),
        ("trash", "draft", None, None,
         {"status": "draft", "slug": None, "slug_before_trash": None, "trashed_utc": None}),
        ("publish", "trash", "x" * 191, None,
         {"status": "trash", "slug": "x" * 182 + "__trashed", "slug_before_trash": "x" * 191,
          "trashed_utc": NOW}),
    ],
)  # fmt: skip
def test_moved_between_statuses(
    caller: CallerFactory, old: str, new: str, slug: str | None, before: str | None, expected: dict[str, Any]
) -> None:
    with database.read():
        assert publishable.status_change(Event, 1, slug, before, old, new, NOW) == expected


@pytest.mark.parametrize("model", [Event, Venue, Organizer])
def test_trashed_counts_a_version_and_keeps_the_rest(
    client: Client, caller: CallerFactory, model: type[PublishedRecord]
) -> None:
    noun = publishable.NOUNS[model]
    made = getattr(factories, noun)(client)

    with database.write():
        record = publishable.by_id(model, made["id"], caller("admin"))
        gone = publishable.trashed(model, record, NOW)

    assert (gone.status, gone.trashed_utc, gone.modified_utc) == ("trash", NOW, NOW)
    assert (gone.version, gone.published_utc) == (record.version + 1, record.published_utc)
    assert gone.slug == f"{made['slug']}__trashed"


def test_changed_without_fields_counts_a_version_only(client: Client, caller: CallerFactory) -> None:
    made = factories.event(client, "author", slug="a")

    with database.read():
        record = Event.get_by_id(made["id"])
        row = publishable.changed(Event, record, {}, caller("author"), UTC, "Title")

    assert row == {
        "modified_utc": NOW, "version": 2, "status": "publish", "slug": "a", "slug_before_trash": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("login", "fields", "allowed"),
    [
        ("admin", {"author": 1}, True),
        ("editor", {"author": 999}, True),
        ("author", {}, True),
        ("author", {"author": None}, False),
        ("contributor", {"author": 1}, False),
    ],
)
def test_right_to_name_an_author(
    caller: CallerFactory, login: str, fields: dict[str, Any], allowed: bool
) -> None:
    if allowed:
        publishable.require_author_right(fields, caller(login))
        return
    with pytest.raises(Forbidden) as error:
        publishable.require_author_right(fields, caller(login))
    assert error.value.status == 403


def test_author_of_the_record_may_be_named_by_whoever_edits_it(client: Client, caller: CallerFactory) -> None:
    made = factories.event(client, "author")

    with database.read():
        record = Event.get_by_id(made["id"])
        publishable.require_author_right({"author": record.author_id}, caller("author"), record)
        with pytest.raises(Forbidden):
            publishable.require_author_right({"author": record.author_id + 1}, caller("author"), record)


def test_problems_of_author_and_image_together(caller: CallerFactory) -> None:
    fields = {"author": 999_999, "image": 999_999}

    with database.read():
        assert sorted(publishable.problems(fields, caller("admin"))) == ["author", "image"]
        assert sorted(publishable.problems(fields, caller("author"))) == ["image"]
        assert publishable.problems({}, caller("admin")) == {}


def test_search_text_is_replaced_without_empty_fields(client: Client) -> None:
    made = factories.venue(client)

    with database.write():
        publishable.write_search_text(made["id"], {"venue": "a", "city": "b", "zip": ""})
        publishable.write_search_text(made["id"], {"venue": "c", "city": "", "phone": ""})
        rows = SearchText.select().where(SearchText.record == made["id"])

        assert [(row.field, row.folded) for row in rows] == [("venue", "c")]
