"""The tables of editing in the browser; links of visitors are stored as digests (docs/editing.md)."""

from peewee import AutoField, CharField, ForeignKeyField, IntegerField, TextField

from calendar_api.database import fields
from calendar_api.database.models import Event, Table, User


class EditingState(Table):
    """One row: the key that signs sessions, links and forms, and the user who owns what visitors submit."""

    id = IntegerField(primary_key=True)
    key = fields.digest()
    submitter = ForeignKeyField(User, null=True, on_delete="SET NULL", lazy_load=False)


class Submission(Table):
    """An event from a visitor; `digest` is of the secret in the link with which they change it."""

    event = ForeignKeyField(Event, primary_key=True, on_delete="CASCADE", lazy_load=False)
    digest = fields.digest(unique=True)
    name = CharField(255)
    email = CharField(255)
    created_utc = fields.utc(index=True)


class Review(Table):
    """The message with which a moderator has returned an event."""

    id = AutoField()
    event = ForeignKeyField(Event, on_delete="CASCADE", lazy_load=False)
    user = ForeignKeyField(User, null=True, on_delete="SET NULL", lazy_load=False)
    text = TextField()
    created_utc = fields.utc()
