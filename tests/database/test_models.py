"""Constraints: the database itself refuses rows that the code must never store."""

from collections.abc import Callable
from typing import Any

import peewee
import pytest

from calendar_api import database
from calendar_api.database.models import (
    ApplicationPassword,
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Image,
    Organizer,
    Record,
    SearchText,
    Term,
    User,
    Venue,
)

#: MariaDB calls a CHECK that fails operational.
REFUSED = (peewee.IntegrityError, peewee.OperationalError)
THEN = "2026-01-01 00:00:00"
PUBLISHED = {
    "author": 1, "status": "publish", "published_utc": THEN, "modified_utc": THEN, "description": "",
    "excerpt": "",
}  # fmt: skip
FLAGS = dict.fromkeys(
    ("show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed"), False
)
EVENT: dict[str, Any] = {
    **PUBLISHED, **FLAGS, "title": "Event", "all_day": False, "timezone": "UTC", "cost": "", "password": "",
    "start_date": THEN, "end_date": THEN, "utc_start_date": THEN, "utc_end_date": THEN,
    "event_status": "scheduled", "event_status_reason": "",
}  # fmt: skip
PLACES = ("address", "city", "country", "province", "state", "stateprovince", "zip", "phone", "website")
VENUE: dict[str, Any] = {
    **PUBLISHED, **dict.fromkeys(PLACES, ""), "venue": "Venue", "name_casefold": "venue",
    "show_map": True, "show_map_link": True,
}  # fmt: skip
ORGANIZER: dict[str, Any] = {
    **PUBLISHED, "organizer": "Organizer", "name_casefold": "organizer",
    "phone": "", "website": "", "email": "",
}  # fmt: skip
TERM: dict[str, Any] = {
    "taxonomy": "tribe_events_cat", "name": "Term", "name_folded": "term", "slug": "term", "description": "",
}  # fmt: skip
ROWS: dict[type[peewee.Model], tuple[str, dict[str, Any]]] = {
    Event: ("event", EVENT),
    Venue: ("venue", VENUE),
    Organizer: ("organizer", ORGANIZER),
    Term: ("category", TERM),
    Image: ("image", {"url": "https://example.org/a.png", "extension": "png"}),
}


def add(model: Any, **columns: Any) -> int:
    """A row that has nothing wrong with it but what `columns` say."""
    kind, row = ROWS[model]
    id = int(Record.create(kind=kind).id)
    if model is Term:
        row = {**row, "name_key": f"{id:064}"}
    if model is Event:
        row = {**row, "uid": str(id)}
    if model is Image:
        row = {**row, "url_digest": f"{id:064}"}
    model.insert({"id": id, **row, **columns}).execute()
    return id


TWO = peewee.SQL("2")  # past the field, which would make a true of it
SIX_DAYS_BEFORE = "2025-12-26 00:00:00"
PLACE = {"geo_lat": 50.0, "geo_lng": 10.0, "geo_x": 0.5, "geo_y": 0.5, "geo_z": 0.5}
PUBLISHED_BAD: tuple[dict[str, Any], ...] = (
    {"status": "future"}, {"status": ""}, {"status": None}, {"version": 0}, {"slug": ""}, {"author": 999},
    {"author": None}, {"image": 999}, {"published_utc": "2026-01-01"}, {"modified_utc": "2026-01-01 00:00"},
    {"description": None}, {"id": 999},
)  # fmt: skip
BAD: dict[Any, tuple[dict[str, Any], ...]] = {
    Event: (
        *PUBLISHED_BAD, {"title": ""}, {"title": None}, {"utc_end_date": SIX_DAYS_BEFORE}, {"parent": 999},
        {"start_date": "2026-01-01"}, {"end_date": ""}, {"utc_start_date": "2026-01-01 00:00"},
        {"timezone": None}, *({flag: TWO} for flag in ("all_day", *FLAGS)),
    ),
    Venue: (
        *PUBLISHED_BAD, {"venue": ""}, {"show_map": TWO}, {**PLACE, "geo_lat": 90.1},
        {**PLACE, "geo_lat": -91}, {**PLACE, "geo_lng": 180.1}, {**PLACE, "geo_lng": -181},
        {**PLACE, "geo_lng": None}, {**PLACE, "geo_lat": None}, {**PLACE, "geo_x": None},
        {"geo_lat": 50.0, "geo_lng": 10.0},
    ),
    Organizer: (*PUBLISHED_BAD, {"organizer": ""}),
    Term: ({"taxonomy": "category"}, {"parent": 999}, {"name": None}, {"id": 999}),
    Image: ({"id": 999}, {"url": None}),
}  # fmt: skip


def is_refused(write: Callable[..., object], *arguments: Any, **columns: Any) -> bool:
    """Whether the database refuses a write, which is taken back in any case."""
    with database.db.atomic() as savepoint:
        try:
            write(*arguments, **columns)
        except REFUSED:
            return True
        finally:
            savepoint.rollback()
    return False


@pytest.mark.parametrize("model", ROWS)
def test_good_row_is_stored_and_bad_ones_are_refused(model: Any, database_url: str) -> None:
    with database.write():
        assert [columns for columns in BAD[model] if not is_refused(add, model, **columns)] == []

        id = add(model)
        assert model.get_by_id(id).id == id


def test_other_bad_rows_are_refused(database_url: str) -> None:
    user = {"login": "new", "role": "author", "created_utc": THEN}
    password = {"user": 2, "name": "", "digest": "d" * 64, "created_utc": THEN}
    with database.write():
        known = ApplicationPassword.select().first()
        for columns in ({"role": "owner"}, {"role": ""}, {"role": None}, {"login": "admin"}, {"login": None}):
            assert is_refused(User.create, **{**user, **columns}), columns
        for columns in ({"digest": known.digest}, {"user": 999}):
            assert is_refused(ApplicationPassword.create, **{**password, **columns}), columns
        for kind in ("", None):
            assert is_refused(Record.create, kind=kind)
        assert not is_refused(User.create, **user)
        assert not is_refused(ApplicationPassword.create, **password)


def test_wrong_parents_are_refused(database_url: str) -> None:
    with database.write():
        for model in (Event, Term):
            id = add(model)
            assert is_refused(model.update(parent=id).where(model.id == id).execute), "its own parent"

        assert is_refused(add, Term, slug="tag", taxonomy="post_tag", parent=id)
        assert not is_refused(add, Term, slug="child", parent=id)


def test_second_row_of_a_unique_key_is_refused(database_url: str) -> None:
    keys = [*((model, "slug") for model in (Event, Venue, Organizer, Term)), (Image, "url_digest")]
    key = "k" * 64
    with database.write():
        for model, column in keys:
            add(model, **{column: key})
            assert is_refused(add, model, **{column: key}), (model, column)
        assert not is_refused(add, Term, slug=key, taxonomy="post_tag")

        known = Term.get(Term.slug == key).name_key
        assert is_refused(add, Term, slug="other", name_key=known)


LINKS: list[tuple[Any, Any, dict[str, Any]]] = [
    (EventVenue, Venue, {"position": 0}),
    (EventOrganizer, Organizer, {"position": 0}),
    (EventTerm, Term, {}),
]


@pytest.mark.parametrize(("link", "model", "more"), LINKS)
def test_link_to_nothing_or_twice_is_refused(
    link: Any, model: Any, more: dict[str, Any], database_url: str
) -> None:
    noun = model.__name__.lower()
    with database.write():
        event, other = add(Event), add(model)
        link.insert({"event": event, noun: other, **more}).execute()

        for row in ({"event": event, noun: other}, {"event": event, noun: 999}, {"event": 999, noun: other}):
            with pytest.raises(REFUSED):
                link.insert({**row, **more}).execute()


@pytest.mark.parametrize(("link", "model", "more"), LINKS)
def test_link_goes_with_either_end(link: Any, model: Any, more: dict[str, Any], database_url: str) -> None:
    noun = model.__name__.lower()
    with database.write():
        rows = [{"event": add(Event), noun: add(model, slug=f"{noun}-{n}"), **more} for n in range(3)]
        link.insert_many(rows).execute()

        Event.delete().where(Event.id == rows[0]["event"]).execute()
        model.delete().where(model.id == rows[1][noun]).execute()

        assert [row.event_id for row in link.select()] == [rows[2]["event"]]


def test_rows_are_kept_forgotten_or_gone_with_the_row_they_refer_to(database_url: str) -> None:
    with database.write():
        image = add(Image)
        event = add(Event, image=image, author=2)
        Image.delete().where(Image.id == image).execute()
        assert Event.get_by_id(event).image_id is None

        with pytest.raises(REFUSED):
            User.delete().where(User.id == 2).execute()
    with database.write():
        User.delete().where(User.id == 3).execute()
        assert ApplicationPassword.select().where(ApplicationPassword.user == 3).count() == 0


@pytest.mark.sqlite
def test_parent_that_goes_is_forgotten(database_url: str) -> None:
    with database.write():
        for model in (Event, Term):
            parent = add(model)
            child = add(model, parent=parent, slug="child")

            model.delete().where(model.id == parent).execute()

            assert model.get_by_id(child).parent_id is None


def test_search_text_belongs_to_a_record_once_a_field(database_url: str) -> None:
    with database.write():
        id = add(Event)
        SearchText.insert(record=id, field="all", folded="a").execute()

        for record in (id, 999):
            with pytest.raises(REFUSED):
                SearchText.insert(record=record, field="all", folded="b").execute()


def test_ids_never_come_back(database_url: str) -> None:
    with database.write():
        first = add(Event)
        Event.delete().where(Event.id == first).execute()

        assert add(Venue) == first + 1
