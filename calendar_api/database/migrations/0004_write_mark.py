"""What a write leaves behind to tell that it was committed."""

from peewee import BigIntegerField, Database, FixedCharField, Model
from playhouse.migrate import SchemaMigrator


class WriteMark(Model):
    token = FixedCharField(32, primary_key=True)
    number = BigIntegerField(index=True)

    class Meta:
        legacy_table_names = False
        table_name = "write_mark"


def up(migrator: SchemaMigrator, db: Database) -> None:
    with db.bind_ctx([WriteMark], bind_refs=False, bind_backrefs=False):
        db.create_tables([WriteMark])
