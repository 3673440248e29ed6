"""One row that every write transaction changes first."""

from peewee import BigIntegerField, Database, FixedCharField, IntegerField, Model
from playhouse.migrate import SchemaMigrator


class Revision(Model):
    id = IntegerField(primary_key=True)
    number = BigIntegerField()
    reserved_by = FixedCharField(32)
    reserved_until = BigIntegerField()

    class Meta:
        legacy_table_names = False


def up(migrator: SchemaMigrator, db: Database) -> None:
    with db.bind_ctx([Revision], bind_refs=False, bind_backrefs=False):
        db.create_tables([Revision])
        Revision.insert(id=1, number=0, reserved_by="", reserved_until=0).on_conflict_ignore().execute()
