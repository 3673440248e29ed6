"""Databases that were made before the first release; `restore` gives them the tables of this one."""

from pathlib import Path
from urllib.parse import quote

from calendar_api import database
from calendar_api.commands import copy
from calendar_api.database import migrate
from calendar_api.database.sqlite import file_copy
from calendar_api.store import events

#: Names of tables, names of columns, and the values of columns that were missing, before the first release.
_OLD_TABLES = {"idempotent_response": "first_answer"}
_OLD_COLUMNS = {"name_casefold": "name_caseless"}
_NEW_COLUMNS = {
    "session_epoch": "0", "uid": "new_uid()", "sequence": "0", "event_status": "'scheduled'",
    "event_status_reason": "''",
}  # fmt: skip


def rebuild(file: Path) -> None:
    """Replace a database that was made before the first release by one of this release with its rows."""
    old = file.rename(f"{file}.old")
    with database.using(database.engine(f"sqlite:///{quote(str(file))}")):
        migrate.migrate()
        database.open_connection()
        database.db.register_function(events.new_uid, "new_uid", 0)
        execute = database.db.execute_sql
        execute("ATTACH ? AS old", (str(old),))
        # A running service accepts a replaced file by this number.
        execute(f"PRAGMA user_version = {execute('PRAGMA old.user_version').fetchone()[0]}")
        tables = [model._meta.table_name for model in copy.COPIED] + ["failed_attempt"]
        with database.bulk_load():
            for table, columns in migrate.columns(tables).items():
                for source in {table, _OLD_TABLES.get(table, table)}:
                    _copy(source, table, columns)
        database.close_connection()
    file_copy.make_single(file)


def _copy(source: str, table: str, columns: set[str]) -> None:
    """Copy the rows of the table that had the name `source`, if there is one."""
    execute = database.db.execute_sql
    before = {row[1] for row in execute(f'PRAGMA old.table_info("{source}")')}
    values = {}
    for column in sorted(columns if before else ()):
        names = [name for name in (column, _OLD_COLUMNS.get(column)) if name in before]
        values[f'"{column}"'] = f'"{names[0]}"' if names else _NEW_COLUMNS.get(column, "NULL")
    if values:
        into, found = ", ".join(values), ", ".join(values.values())
        execute(f'INSERT INTO "{table}" ({into}) SELECT {found} FROM old."{source}"')  # noqa: S608 - names from the schema
