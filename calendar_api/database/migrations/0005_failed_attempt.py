"""Guesses at logins and passwords, to be slowed down."""

from peewee import Database, FixedCharField, IntegerField, Model
from playhouse.migrate import SchemaMigrator


class FailedAttempt(Model):
    key_digest = FixedCharField(64, primary_key=True)
    failures = IntegerField()
    since_utc = FixedCharField(19)
    blocks = IntegerField()
    blocked_until_utc = FixedCharField(19)
    forgotten_utc = FixedCharField(19, index=True)

    class Meta:
        legacy_table_names = False
        table_name = "failed_attempt"


def up(migrator: SchemaMigrator, db: Database) -> None:
    with db.bind_ctx([FailedAttempt], bind_refs=False, bind_backrefs=False):
        db.create_tables([FailedAttempt])
