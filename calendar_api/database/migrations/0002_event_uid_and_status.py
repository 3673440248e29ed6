"""Add the uid, the sequence and the status of events, and the slugs that records had before."""

from uuid import uuid4

from peewee import CharField, CompositeKey, Database, ForeignKeyField, Model
from playhouse.migrate import SchemaMigrator


class Record(Model):
    class Meta:
        legacy_table_names = False


class FormerSlug(Model):
    kind = CharField(40)
    slug = CharField(191)
    record = ForeignKeyField(Record, on_delete="CASCADE", lazy_load=False)

    class Meta:
        legacy_table_names = False
        primary_key = CompositeKey("kind", "slug")


class Event(Model):
    uid = CharField(255)

    class Meta:
        legacy_table_names = False


#: Peewee would rebuild the table for each column, and leave out the CHECK.
_COLUMNS = {
    "uid": "VARCHAR(255) NOT NULL DEFAULT ''",
    "sequence": "INTEGER NOT NULL DEFAULT '0'",
    "event_status": "VARCHAR(10) NOT NULL DEFAULT 'scheduled' "
    "CHECK (event_status IN ('scheduled', 'canceled', 'postponed'))",
    "event_status_reason": "VARCHAR(1000) NOT NULL DEFAULT ''",
}


def up(migrator: SchemaMigrator, db: Database) -> None:
    """Can be run again after an interruption."""
    for name, definition in _COLUMNS.items():
        db.execute_sql(f"ALTER TABLE event ADD COLUMN {name.join(db.quote)} {definition}")
    with db.bind_ctx((Record, FormerSlug, Event), bind_refs=False, bind_backrefs=False):
        db.create_tables((FormerSlug,))
        with db.atomic():
            for (id,) in list(Event.select(Event.id).where(Event.uid == "").tuples()):
                db.execute_sql(
                    f"UPDATE event SET uid = {db.param} WHERE id = {db.param}",  # noqa: S608 - no values
                    (str(uuid4()), id),
                )
    migrator.migrate(migrator.add_index("event", ("uid",), unique=True))
