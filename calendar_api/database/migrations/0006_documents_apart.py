"""Store apart what lists do not show, cluster links by their event, and drop redundant indexes."""

from peewee import CompositeKey, Database, FixedCharField, ForeignKeyField, IntegerField, Model, MySQLDatabase
from playhouse.migrate import SchemaMigrator

from calendar_api.database.fields import DocumentField, event_start

_COLUMNS = (
    ("event", "json_ld"), ("event", "calendar_lines"), ("venue", "json_ld"), ("organizer", "json_ld"),
)  # fmt: skip
#: Other indexes begin with the same column.
_INDEXES = (
    ("event", "author_id"), ("venue", "author_id"), ("organizer", "author_id"),
    ("idempotent_response", "user_id"),
    ("event_venue", "event_id"), ("event_venue", "venue_id"),
    ("event_organizer", "event_id"), ("event_organizer", "organizer_id"),
    ("event_term", "event_id"), ("event_term", "term_id"),
)  # fmt: skip


class Table(Model):
    class Meta:
        legacy_table_names = False


class Event(Table):
    pass


class Venue(Table):
    pass


class Organizer(Table):
    pass


class Term(Table):
    pass


class EventVenue(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False, index=False)
    venue = ForeignKeyField(Venue, on_delete="CASCADE", lazy_load=False, index=False)
    position = IntegerField()
    utc_start_date = event_start()

    class Meta:
        primary_key = CompositeKey("event", "venue")
        without_rowid = True
        indexes = ((("venue", "utc_start_date", "event"), False),)


class EventOrganizer(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False, index=False)
    organizer = ForeignKeyField(Organizer, on_delete="CASCADE", lazy_load=False, index=False)
    position = IntegerField()
    utc_start_date = event_start()

    class Meta:
        primary_key = CompositeKey("event", "organizer")
        without_rowid = True
        indexes = ((("organizer", "utc_start_date", "event"), False),)


class EventTerm(Table):
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False, index=False)
    term = ForeignKeyField(Term, on_delete="CASCADE", lazy_load=False, index=False)
    utc_start_date = event_start()
    counted_from_utc = FixedCharField(19, null=True)

    class Meta:
        primary_key = CompositeKey("event", "term")
        without_rowid = True
        indexes = ((("term", "utc_start_date", "event"), False), (("term", "counted_from_utc"), False))


def up(migrator: SchemaMigrator, db: Database) -> None:
    """Can be run again after an interruption."""
    for table, column in _COLUMNS:
        migrator.migrate(migrator.add_column(table, column, DocumentField(null=True)))
    for table, column in _INDEXES:
        migrator.migrate(migrator.drop_index(table, f"{table}_{column}"))
    if not isinstance(db, MySQLDatabase):  # InnoDB clusters every table by its primary key
        for model in (EventVenue, EventOrganizer, EventTerm):
            _cluster(model, migrator, db)


def _cluster(model: type[Model], migrator: SchemaMigrator, db: Database) -> None:
    table = model._meta.table_name
    for index in db.get_indexes(table):
        if not index.name.startswith("sqlite_"):
            migrator.migrate(migrator.drop_index(table, index.name))
    migrator.migrate(migrator.rename_table(table, "old_links"))
    with db.bind_ctx((model,), bind_refs=False, bind_backrefs=False):
        db.create_tables((model,))
    columns = ", ".join(field.column_name for field in model._meta.sorted_fields)
    db.execute_sql(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM old_links")  # noqa: S608 - names
    db.execute_sql("DROP TABLE old_links")
