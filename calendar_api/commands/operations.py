"""The commands `migrate`, `config` and `reindex`."""

import argparse
from functools import partial

from calendar_api import database
from calendar_api.commands import CommandError
from calendar_api.commands.terminal import Progress, print_json, print_rows
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.store import documents


def migrate_database(arguments: argparse.Namespace, config: Config) -> None:
    if arguments.make:
        try:
            written = migrate.write_migration(arguments.make)
        except migrate.MigrationError as error:
            raise CommandError(str(error)) from error
        print(f"wrote {written}" if written else "nothing to do: the migrations make what the models say")
    elif arguments.status:
        _list_migrations(arguments)
    else:
        with Progress("applying migrations") as progress:
            done = [f"applied {name}" for name in migrate.migrate()]
            rendered = documents.rewrite(config.site, partial(progress, "rendering documents"))
        if rendered:
            done.append(f"rendered {rendered} stored documents")
        print("\n".join(done) or "nothing to do: the database is up to date")


def _list_migrations(arguments: argparse.Namespace) -> None:
    if not database.exists():
        raise CommandError("There is no database yet. Run `calendar-api migrate`.")
    states = {True: "applied", False: "pending"}
    rows = [
        {"state": states[bool(one.applied)] if one.path else "unknown", "name": one.name}
        for one in database.run_read(migrate.status)
    ]
    print_rows(arguments, "{state}  {name}", rows)


def print_config(arguments: argparse.Namespace, config: Config) -> None:
    if arguments.json:
        print_json(config.values())
    else:
        print("\n".join(config.lines()))


def reindex(arguments: argparse.Namespace, config: Config) -> None:
    with Progress("rebuilding the search index"):
        rebuilt = database.reindex()
    if rebuilt is False:
        raise CommandError(
            "The search index cannot be built: it needs SQLite 3.34 or later with FTS5. Search works without "
            "it, but reads every text."
        )
    print("search index rebuilt" if rebuilt else "nothing to do: only SQLite has a search index")
