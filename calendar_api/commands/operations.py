"""The commands `migrate`, `config`, `reindex` and `purge`."""

import argparse
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from calendar_api import database
from calendar_api.commands import CommandError
from calendar_api.commands.terminal import Progress, print_json, print_rows
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.domain import dates
from calendar_api.middleware import access_log
from calendar_api.store import document_upkeep, idempotency, trash

BATCH = 100  # records per write transaction, so that other writers need not wait long


def migrate_database(arguments: argparse.Namespace, config: Config) -> None:
    """Raises CommandError if no migration can be written, and what migrating raises."""
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
            rendered = document_upkeep.rewrite(config.site, partial(progress, "rendering documents"))
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
    """Raises CommandError if this SQLite has no full-text search."""
    with Progress("rebuilding the search index"):
        rebuilt = database.reindex()
    if rebuilt is False:
        raise CommandError(
            "The search index cannot be built: it needs SQLite 3.34 or later with FTS5. Search works without "
            "it, but reads every text."
        )
    print("search index rebuilt" if rebuilt else "nothing to do: only SQLite has a search index")


def purge(arguments: argparse.Namespace, config: Config) -> None:
    """Delete what has been in the trash for long, expired answers and old contacts."""
    now = datetime.now(UTC)
    trashed_before = dates.text(now - timedelta(days=arguments.days))
    answered_before = dates.text(now - idempotency.EXPIRY)
    counts = {}
    if arguments.dry_run:
        for kind in trash.MODELS:
            counts[kind] = len(database.run_read(partial(trash.due, kind, trashed_before)))
        counts["old answers"] = database.run_read(partial(trash.expired_answers, answered_before))
        counts["contacts"] = len(database.run_read(partial(trash.due_contacts, trashed_before)))
    else:
        with Progress("purging") as progress:
            for kind in trash.MODELS:
                counts[kind] = _in_batches(partial(trash.purge, kind, trashed_before, BATCH), progress)
            counts["old answers"] = _in_batches(
                partial(trash.purge_answers, answered_before, BATCH), progress
            )
            counts["contacts"] = _in_batches(partial(trash.purge_contacts, trashed_before, BATCH), progress)
        if any(counts.values()):
            fields = {name.replace(" ", "_"): number for name, number in counts.items()}
            access_log.audit_command(config.log, "purged", **fields)
    result = "would be deleted" if arguments.dry_run else "deleted"
    print(f"{', '.join(f'{number} {name}' for name, number in counts.items())} {result}")


def _in_batches(work: Callable[[], int], progress: Progress) -> int:
    """Repeat `work` in write transactions of its own until it returns 0; return the sum."""
    total = 0
    while done := database.run_write(work):
        total += done
        progress("purging", progress.done + done)
    return total
