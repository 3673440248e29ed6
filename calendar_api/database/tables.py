"""The tables of imports and of editing (docs/editing.md), and the list of all tables."""

from peewee import AutoField, CharField, ForeignKeyField, IntegerField, TextField

from calendar_api.database import fields, models
from calendar_api.database.models import Event, Record, Table, User


class ImportSource(Table):
    """Where `calendar-api import` has read records: a file or an address."""

    id = AutoField()
    kind = CharField(20)
    address = TextField()
    address_digest = fields.digest(unique=True)
    last_run_utc = fields.utc(null=True)  # the last one that was complete
    etag = TextField()
    last_modified = TextField()
    runs = IntegerField(default=0)


class ImportItem(Table):
    """What is known of a record of a source; it stays when the record is purged.

    `digest` is of the whole item as it was applied last, `fields` JSON with the digests of each field: as the
    source sent it, and as it was stored here.
    """

    id = AutoField()
    source = ForeignKeyField(ImportSource, on_delete="CASCADE", lazy_load=False, index=False)
    noun = CharField(20)
    foreign_id = TextField()
    key_digest = fields.digest(unique=True)  # of source, noun and foreign id
    record = ForeignKeyField(Record, on_delete="CASCADE", lazy_load=False)
    digest = fields.digest()
    fields = TextField()
    seen = IntegerField()  # the number of the source's last run that had it
    gone = CharField(10, default="")  # what was done because it was gone: "", trash or cancel

    class Meta:
        indexes = ((("source", "seen"), False),)


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


#: All tables, each after those that it refers to.
TABLES: tuple[type[Table], ...] = (
    User, models.ApplicationPassword, Record, models.SearchText, models.FormerSlug, models.Image,
    models.Term, models.Venue, models.Organizer, Event, models.EventVenue, models.EventOrganizer,
    models.EventTerm, models.IdempotentResponse, models.Revision, models.CommitToken, models.FailedAttempt,
    ImportSource, ImportItem, EditingState, Submission, Review,
)  # fmt: skip
