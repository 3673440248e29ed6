"""The tables in which imports remember sources and their records."""

from peewee import AutoField, CharField, ForeignKeyField, IntegerField, TextField

from calendar_api.database import fields
from calendar_api.database.models import Record, Table


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
