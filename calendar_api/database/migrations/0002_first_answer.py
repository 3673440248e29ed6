"""Answers to POSTs with an Idempotency-Key."""

from peewee import CompositeKey, Database, FixedCharField, ForeignKeyField, Model, TextField
from playhouse.migrate import SchemaMigrator


class User(Model):
    class Meta:
        legacy_table_names = False


class FirstAnswer(Model):
    user = ForeignKeyField(User, on_delete="CASCADE", lazy_load=False)
    key_digest = FixedCharField(64)
    request_digest = FixedCharField(64)
    body = TextField()
    headers = TextField()
    created_utc = FixedCharField(19, index=True)

    class Meta:
        legacy_table_names = False
        table_name = "first_answer"
        primary_key = CompositeKey("user", "key_digest")


def up(migrator: SchemaMigrator, db: Database) -> None:
    with db.bind_ctx([User, FirstAnswer], bind_refs=False, bind_backrefs=False):
        db.create_tables([FirstAnswer])
