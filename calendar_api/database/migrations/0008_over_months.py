"""An index of the events that go on over the end of a month, in the place of one of all ends."""

from peewee import Database
from playhouse.migrate import SchemaMigrator

REPLACED = "event_hide_from_listings_status_utc_end_date_id"


def up(migrator: SchemaMigrator, db: Database) -> None:
    """Servers have no indexes of a part of the rows; no list is read by all ends there either."""
    on_sqlite = db.param == "?"
    if on_sqlite:
        db.execute_sql(
            'CREATE INDEX "event_over_months" ON "event" ("utc_end_date", "utc_start_date", "id") '
            "WHERE substr(utc_start_date, 1, 7) <> substr(utc_end_date, 1, 7)"
        )
    if any(index.name == REPLACED for index in db.get_indexes("event")):
        db.execute_sql(f"DROP INDEX {REPLACED}" + ("" if on_sqlite else " ON event"))
