"""Links that say when their event starts, and from when it counts for a term; indexes that lists need."""

from typing import Any

from peewee import (
    BooleanField,
    Case,
    CharField,
    CompositeKey,
    Database,
    FixedCharField,
    ForeignKeyField,
    IntegerField,
    Model,
    fn,
)
from playhouse.migrate import SchemaMigrator

START = "CHAR(19) NOT NULL DEFAULT ''"
COLUMNS = (
    ("event_term", "utc_start_date", START),
    ("event_term", "counted_from_utc", "CHAR(19)"),
    ("term", "counted", "INTEGER NOT NULL DEFAULT 0"),
    ("event_venue", "utc_start_date", START),
    ("event_organizer", "utc_start_date", START),
)
#: What the new indexes begin with; the last two columns were an index of their own.
REPLACED = (
    ("event", "event_hide_from_listings_status_utc_start_date_id"),
    ("event_term", "event_term_term_id_event_id"),
    ("event_venue", "event_venue_venue_id_event_id"),
    ("event_organizer", "event_organizer_organizer_id_event_id"),
)


class Table(Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    pass


class Event(Table):
    id = IntegerField(primary_key=True)
    author = ForeignKeyField(User)
    status = CharField(10)
    published_utc = FixedCharField(19)
    utc_start_date = FixedCharField(19)
    utc_end_date = FixedCharField(19)
    hide_from_listings = BooleanField()
    featured = BooleanField()
    ticketed = BooleanField()
    password = CharField(200)


class Term(Table):
    id = IntegerField(primary_key=True)
    counted = IntegerField()


class EventTerm(Table):
    event = ForeignKeyField(Event)
    term = IntegerField(column_name="term_id")
    utc_start_date = FixedCharField(19)
    counted_from_utc = FixedCharField(19, null=True)

    class Meta:
        table_name = "event_term"
        primary_key = CompositeKey("event", "term")


class EventVenue(Table):
    event = ForeignKeyField(Event)
    venue = IntegerField(column_name="venue_id")
    utc_start_date = FixedCharField(19)

    class Meta:
        table_name = "event_venue"
        primary_key = CompositeKey("event", "venue")


class EventOrganizer(Table):
    event = ForeignKeyField(Event)
    organizer = IntegerField(column_name="organizer_id")
    utc_start_date = FixedCharField(19)

    class Meta:
        table_name = "event_organizer"
        primary_key = CompositeKey("event", "organizer")


TABLES = (Event, Term, EventTerm, EventVenue, EventOrganizer)


def up(migrator: SchemaMigrator, db: Database) -> None:
    """Each step looks whether it was done already, so that all can be run again."""
    for table, column, kind in COLUMNS:
        if all(known.name != column for known in db.get_columns(table)):
            quote = '"' if db.param == "?" else "`"
            db.execute_sql(f"ALTER TABLE {table} ADD COLUMN {quote}{column}{quote} {kind}")
    with db.bind_ctx(TABLES, bind_refs=False, bind_backrefs=False):
        _fill()
        for index in _indexes():
            db.execute(index)
    for table, name in REPLACED:
        if any(index.name == name for index in db.get_indexes(table)):
            db.execute_sql(f"DROP INDEX {name}" + ("" if db.param == "?" else f" ON {table}"))
    # What is remembered of one database must not fit another that takes its name and its place.
    any_number = "ABS(RANDOM() % 1099511627776)" if db.param == "?" else "FLOOR(RAND() * 1099511627776)"
    db.execute_sql(f"UPDATE revision SET number = number + {any_number}")  # noqa: S608 - constants


def _fill() -> None:
    for link in (EventVenue, EventOrganizer, EventTerm):
        of_event = Event.select(Event.utc_start_date).where(Event.id == link.event)
        link.update(utc_start_date=of_event).execute()
    public = (Event.status == "publish") & (Event.password == "")
    counted = Event.select(Case(None, [(public, Event.published_utc)], None))
    EventTerm.update(counted_from_utc=counted.where(Event.id == EventTerm.event)).execute()
    links = EventTerm.select(fn.COUNT(EventTerm.event)).where(
        EventTerm.term == Term.id, EventTerm.counted_from_utc.is_null(False)
    )
    Term.update(counted=links).execute()


def _indexes() -> list[Any]:
    return [
        Event.index(
            Event.hide_from_listings, Event.status, Event.utc_start_date, Event.id, Event.utc_end_date,
            Event.published_utc, Event.featured, Event.ticketed, Event.author, Event.password, safe=True,
        ),
        Event.index(Event.status, Event.published_utc, safe=True),
        EventTerm.index(EventTerm.term, EventTerm.utc_start_date, EventTerm.event, safe=True),
        EventTerm.index(EventTerm.term, EventTerm.counted_from_utc, safe=True),
        EventVenue.index(EventVenue.venue, EventVenue.utc_start_date, EventVenue.event, safe=True),
        EventOrganizer.index(
            EventOrganizer.organizer, EventOrganizer.utc_start_date, EventOrganizer.event, safe=True
        ),
    ]  # fmt: skip
