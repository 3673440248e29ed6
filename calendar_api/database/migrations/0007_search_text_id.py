"""Searched texts get a number, which an index can call them by; on a server they are kept as bytes."""

from peewee import (
    AutoField,
    CharField,
    Database,
    ForeignKeyField,
    Model,
    MySQLDatabase,
    TextField,
)
from playhouse.migrate import SchemaMigrator


class Record(Model):
    id = AutoField()

    class Meta:
        legacy_table_names = False


class SearchText(Model):
    id = AutoField()
    record = ForeignKeyField(Record, on_delete="CASCADE", lazy_load=False, index=False)
    field = CharField(16)
    folded = TextField()

    class Meta:
        legacy_table_names = False
        table_name = "search_text"
        indexes = ((("record", "field"), True),)


def up(migrator: SchemaMigrator, db: Database) -> None:
    if isinstance(db, MySQLDatabase):
        # One statement, so that it is done or not; the texts stay in the order of their records.
        db.execute_sql(
            "ALTER TABLE search_text ADD COLUMN id INTEGER NOT NULL AUTO_INCREMENT UNIQUE FIRST, "
            "MODIFY folded LONGBLOB NOT NULL"
        )
        return
    db.execute_sql("DROP INDEX search_text_record_id")
    db.execute_sql("ALTER TABLE search_text RENAME TO search_text_before")
    with db.bind_ctx([Record, SearchText], bind_refs=False, bind_backrefs=False):
        db.create_tables([SearchText])
    db.execute_sql(
        "INSERT INTO search_text (record_id, field, folded) "
        "SELECT record_id, field, folded FROM search_text_before ORDER BY record_id, field"
    )
    db.execute_sql("DROP TABLE search_text_before")
