"""The index of the events that go on over the end of a month, by over how many of them."""

from peewee import Database
from playhouse.migrate import SchemaMigrator


def up(migrator: SchemaMigrator, db: Database) -> None:
    """Servers have none, as before."""
    if db.param != "?":
        return
    db.execute_sql('DROP INDEX IF EXISTS "event_over_months"')
    db.execute_sql(
        'CREATE INDEX "event_months_gone_on" ON "event" ('
        "12 * (substr(utc_end_date, 1, 4) - substr(utc_start_date, 1, 4)) "
        "+ (substr(utc_end_date, 6, 2) - substr(utc_start_date, 6, 2)), "
        '"utc_start_date", "utc_end_date", "id") '
        "WHERE substr(utc_start_date, 1, 7) <> substr(utc_end_date, 1, 7)"
    )
