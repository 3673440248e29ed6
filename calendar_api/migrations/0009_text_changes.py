"""What the last writes say that they have changed."""

from peewee import SQL, CharField, Database
from playhouse.migrate import SchemaMigrator, migrate


def up(migrator: SchemaMigrator, db: Database) -> None:
    """A server may have stopped right after it was done."""
    if all(column.name != "text_changes" for column in db.get_columns("revision")):
        field = CharField(1000, default="", constraints=[SQL("DEFAULT ''")])
        migrate(migrator.add_column("revision", "text_changes", field))
