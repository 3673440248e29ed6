"""Add passwords of users, and the tables of editing in the browser."""

from peewee import AutoField, CharField, Database, FixedCharField, ForeignKeyField, Model, TextField
from playhouse.migrate import SchemaMigrator

from calendar_api.database.fields import INSTANT


class Table(Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    id = AutoField()


class Event(Table):
    id = AutoField()


class Session(Table):
    id = AutoField()
    user = ForeignKeyField(User, on_delete="CASCADE", lazy_load=False)
    digest = FixedCharField(64, unique=True)
    created_utc = FixedCharField(INSTANT)
    expires_utc = FixedCharField(INSTANT, index=True)


class Invitation(Table):
    user = ForeignKeyField(User, primary_key=True, on_delete="CASCADE", lazy_load=False)
    digest = FixedCharField(64, unique=True)
    expires_utc = FixedCharField(INSTANT)


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


#: Peewee would rebuild the table for each column, and leave out the CHECK.
_COLUMNS = {"password": "VARCHAR(200)", "last_active_utc": f"CHAR({INSTANT})"}
_TABLES = (Session, Invitation, Submission, Review)


def up(migrator: SchemaMigrator, db: Database) -> None:
    """Can be run again after an interruption."""
    for name, definition in _COLUMNS.items():
        column = name.join(db.quote)
        db.execute_sql(f"ALTER TABLE {'user'.join(db.quote)} ADD COLUMN {column} {definition}")
    with db.bind_ctx((User, Event, *_TABLES), bind_refs=False, bind_backrefs=False):
        db.create_tables(_TABLES)
