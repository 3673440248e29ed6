"""What the last writes say that they have changed."""

from peewee import Database
from playhouse.migrate import SchemaMigrator


def up(migrator: SchemaMigrator, db: Database) -> None:
    """One statement, so that it is done or not; a server may have stopped right after it was done."""
    if all(column.name != "text_changes" for column in db.get_columns("revision")):
        name = '"text_changes"' if db.param == "?" else "text_changes"
        db.execute_sql(f"ALTER TABLE revision ADD COLUMN {name} VARCHAR(1000) NOT NULL DEFAULT ''")
