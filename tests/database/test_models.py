"""The database itself refuses what no code may store, whatever forgot to check it."""

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
    if model is Image:
        row = {**row, "url_digest": f"{id:064}"}
    model.insert({"id": id, **row, **columns}).execute()
    return id


@pytest.mark.parametrize("model", ROWS)
def test_good_row_is_stored(model: Any, database_url: str) -> None:
    with database.write():
        id = add(model)

        assert model.get_by_id(id).id == id


TWO = peewee.SQL("2")  # past the field, which would make a true of it
SIX_DAYS_BEFORE = "2025-12-26 00:00:00"
PLACE = {"geo_lat": 50.0, "geo_lng": 10.0, "geo_x": 0.5, "geo_y": 0.5, "geo_z": 0.5}
PUBLISHED_BAD: tuple[dict[str, Any], ...] = (
    {"status": "future"},
    {"status": ""},
    {"status": None},
    {"version": 0},
    {"version": -1},
    {"slug": ""},
    {"author": 999},
    {"author": None},
    {"image": 999},
    {"published_utc": "2026-01-01"},
    {"modified_utc": "2026-01-01 00:00"},
    {"description": None},
    {"id": 999},
)
BAD: list[tuple[Any, dict[str, Any]]] = [
    *((model, columns) for model in (Event, Venue, Organizer) for columns in PUBLISHED_BAD),
    (Event, {"title": ""}),
    (Event, {"title": None}),
    (Event, {"utc_end_date": SIX_DAYS_BEFORE}),
    (Event, {"start_date": "2026-01-01"}),
    (Event, {"end_date": ""}),
    (Event, {"utc_start_date": "2026-01-01 00:00"}),
    (Event, {"timezone": None}),
    *((Event, {flag: TWO}) for flag in ("all_day", *FLAGS)),
    (Event, {"parent": 999}),
    (Venue, {"venue": ""}),
    (Venue, {**PLACE, "geo_lat": 90.1}),
    (Venue, {**PLACE, "geo_lat": -91}),
    (Venue, {**PLACE, "geo_lng": 180.1}),
    (Venue, {**PLACE, "geo_lng": -181}),
    (Venue, {**PLACE, "geo_lng": None}),
    (Venue, {**PLACE, "geo_lat": None}),
    (Venue, {**PLACE, "geo_x": None}),
    (Venue, {"geo_lat": 50.0, "geo_lng": 10.0}),
    (Venue, {"show_map": TWO}),
    (Organizer, {"organizer": ""}),
    (Term, {"taxonomy": "category"}),
    (Term, {"parent": 999}),
    (Term, {"name": None}),
    (Term, {"id": 999}),
    (Image, {"id": 999}),
    (Image, {"url": None}),
]


@pytest.mark.parametrize(("model", "columns"), BAD)
def test_bad_row_is_refused(model: Any, columns: dict[str, Any], database_url: str) -> None:
    with database.write(), pytest.raises(REFUSED):
        add(model, **columns)


@pytest.mark.parametrize("model", [Event, Term])
def test_row_that_is_its_own_parent_is_refused(model: Any, database_url: str) -> None:
    with database.write():
        id = add(model)

        with pytest.raises(REFUSED):
            model.update(parent=id).where(model.id == id).execute()


def test_tag_has_no_parent(database_url: str) -> None:
    with database.write():
        parent = add(Term)

        with pytest.raises(REFUSED):
            add(Term, taxonomy="post_tag", parent=parent)


@pytest.mark.parametrize("model", [Event, Venue, Organizer, Term])
def test_double_slug_is_refused(model: Any, database_url: str) -> None:
    with database.write():
        add(model, slug="same")

        with pytest.raises(REFUSED):
            add(model, slug="same")


def test_category_and_tag_may_share_a_slug(database_url: str) -> None:
    with database.write():
        ids = [add(Term, taxonomy="tribe_events_cat"), add(Term, taxonomy="post_tag")]

        assert Term.select().where(Term.id.in_(ids)).count() == 2


@pytest.mark.parametrize(("model", "column"), [(Term, "name_key"), (Image, "url_digest")])
def test_double_key_is_refused(model: Any, column: str, database_url: str) -> None:
    with database.write():
        add(model, slug="one", **{column: "k" * 64}) if model is Term else add(model, **{column: "k" * 64})

        with pytest.raises(REFUSED, match=column):
            add(model, **{column: "k" * 64})


@pytest.mark.parametrize("kind", ["", None])
def test_record_without_a_kind_is_refused(kind: str | None, database_url: str) -> None:
    with database.write(), pytest.raises(REFUSED):
        Record.create(kind=kind)


@pytest.mark.parametrize(
    "columns",
    [{"role": "owner"}, {"role": ""}, {"role": None}, {"login": "admin"}, {"login": None}],
)
def test_bad_user_is_refused(columns: dict[str, Any], database_url: str) -> None:
    with database.write(), pytest.raises(REFUSED):
        User.create(**{"login": "new", "role": "author", "created_utc": THEN, **columns})


def test_double_digest_of_a_password_is_refused(database_url: str) -> None:
    with database.write():
        known = ApplicationPassword.select().first()

        with pytest.raises(REFUSED):
            ApplicationPassword.create(user=2, name="", digest=known.digest, created_utc=THEN)


def test_password_of_nobody_is_refused(database_url: str) -> None:
    with database.write(), pytest.raises(REFUSED):
        ApplicationPassword.create(user=999, name="", digest="d" * 64, created_utc=THEN)


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


def test_image_that_goes_is_forgotten(database_url: str) -> None:
    with database.write():
        image = add(Image)
        event = add(Event, image=image)

        Image.delete().where(Image.id == image).execute()

        assert Event.get_by_id(event).image_id is None


@pytest.mark.sqlite
@pytest.mark.parametrize("model", [Event, Term])
def test_parent_that_goes_is_forgotten(model: Any, database_url: str) -> None:
    with database.write():
        parent = add(model)
        child = add(model, parent=parent, slug="child")

        model.delete().where(model.id == parent).execute()

        assert model.get_by_id(child).parent_id is None


@pytest.mark.mariadb
@pytest.mark.parametrize("model", [Event, Term])
def test_parent_cannot_go_before_its_children(model: Any, database_url: str) -> None:
    """It cannot both do as SQLite and refuse a row that is its own parent."""
    with database.write():
        parent = add(model)
        add(model, parent=parent, slug="child")

        with pytest.raises(REFUSED):
            model.delete().where(model.id == parent).execute()


def test_author_of_a_record_cannot_go(database_url: str) -> None:
    with database.write():
        add(Event, author=2)

        with pytest.raises(REFUSED):
            User.delete().where(User.id == 2).execute()


def test_passwords_go_with_their_user(database_url: str) -> None:
    with database.write():
        User.delete().where(User.id == 2).execute()

        assert ApplicationPassword.select().where(ApplicationPassword.user == 2).count() == 0


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


def test_plain_fields_are_the_text_columns_without_a_rule_of_their_own() -> None:
    assert Venue.PLAIN_FIELDS == (
        "address", "city", "country", "province", "state", "zip", "phone", "website",
    )  # fmt: skip
    assert Organizer.PLAIN_FIELDS == ("phone", "website", "email")
