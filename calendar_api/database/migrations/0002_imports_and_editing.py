"""Create the tables of imports and of editing in the browser."""

from peewee import (
    AutoField,
    CharField,
    Database,
    FixedCharField,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)
from playhouse.migrate import SchemaMigrator

from calendar_api.database.fields import INSTANT


class Table(Model):
    class Meta:
        legacy_table_names = False


class Record(Table):
    id = AutoField()


class User(Table):
    id = AutoField()


class Event(Table):
    id = AutoField()


class ImportSource(Table):
    id = AutoField()
    kind = CharField(20)
    address = TextField()
    address_digest = FixedCharField(64, unique=True)
    last_run_utc = FixedCharField(INSTANT, null=True)
    etag = TextField()
    last_modified = TextField()
    runs = IntegerField(default=0)


class ImportItem(Table):
    id = AutoField()
    source = ForeignKeyField(ImportSource, on_delete="CASCADE", lazy_load=False, index=False)
    noun = CharField(20)
    foreign_id = TextField()
    key_digest = FixedCharField(64, unique=True)
    record = ForeignKeyField(Record, on_delete="CASCADE", lazy_load=False)
    digest = FixedCharField(64)
    fields = TextField()
    seen = IntegerField()
    gone = CharField(10, default="")

    class Meta:
        indexes = ((("source", "seen"), False),)


class EditingState(Table):
    id = IntegerField(primary_key=True)
    key = FixedCharField(64)
    submitter = ForeignKeyField(User, null=True, on_delete="SET NULL", lazy_load=False)


class Submission(Table):
    event = ForeignKeyField(Event, primary_key=True, on_delete="CASCADE", lazy_load=False)
    digest = FixedCharField(64, unique=True)
    name = CharField(255)
    email = CharField(255)
    created_utc = FixedCharField(INSTANT, index=True)


class Review(Table):
    id = AutoField()
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False)
    user = ForeignKeyField(User, null=True, on_delete="SET NULL", lazy_load=False)
    text = TextField()
    created_utc = FixedCharField(INSTANT)


_TABLES = (ImportSource, ImportItem, EditingState, Submission, Review)


def up(migrator: SchemaMigrator, db: Database) -> None:
    """Can be run again after an interruption."""
    with db.bind_ctx((Record, User, Event, *_TABLES), bind_refs=False, bind_backrefs=False):
        db.create_tables(_TABLES)
