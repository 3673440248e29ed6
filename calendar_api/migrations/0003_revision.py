"""One row that every write transaction changes first."""

from peewee import BigIntegerField, Database, IntegerField, Model
from playhouse.migrate import SchemaMigrator


class Revision(Model):
    id = IntegerField(primary_key=True)
    number = BigIntegerField()

    class Meta:
        legacy_table_names = False


def up(migrator: SchemaMigrator, db: Database) -> None:
    with db.bind_ctx([Revision], bind_refs=False, bind_backrefs=False):
        db.create_tables([Revision])
        Revision.insert(id=1, number=0).on_conflict_ignore().execute()
