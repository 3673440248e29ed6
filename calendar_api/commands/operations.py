"""The commands `backup`, `restore`, `copy`, `check`, `reindex` and `purge`."""

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from calendar_api import database
from calendar_api.commands import CommandError, backup, check, copy
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.domain import dates
from calendar_api.middleware import access_log
from calendar_api.store import documents, idempotency, trash

PURGE_BATCH = 100  # records per write transaction, so that other writers need not wait long


def require_database() -> None:
    """Raise DatabaseUnavailable unless the database exists and has the schema of this release."""
    reason = migrate.unavailable_reason()
    if reason is not None:
        raise reason


def backup_database(arguments: argparse.Namespace, config: Config) -> None:
    size = backup.save(config.database_url, arguments.file, force=arguments.force)
    print(f"{arguments.file}: {size} bytes, verified")


def restore_database(arguments: argparse.Namespace, config: Config) -> None:
    if backup.present(config.database_url) and not arguments.yes and not _confirmed(arguments):
        raise CommandError("Nothing was restored. Use --yes to restore without confirmation.")
    done = backup.restore(config.database_url, arguments.file, datetime.now(UTC))
    access_log.audit_command(config.log, "database_restored", file=arguments.file.name)
    print(f"restored from {arguments.file}")
    if done.aside is not None:
        print(f"the previous database is now {done.aside}")
    if done.outdated:
        print("the backup is of an older release: run `calendar-api migrate`")
    else:
        documents.rewrite(config.site)


def _confirmed(arguments: argparse.Namespace) -> bool:
    if not sys.stdin.isatty():
        return False
    print("The current database will be renamed and no longer used.")
    return input(f"Restore {arguments.file}? Type yes: ").strip() == "yes"


def copy_database(arguments: argparse.Namespace, config: Config) -> None:
    tables = copy.run(arguments.to, _print_progress if sys.stderr.isatty() else lambda *done: None)
    for table in tables:
        print(f"{table.table:<20} {table.rows:>9}  {table.digest[:16]}")
    rows = sum(table.rows for table in tables)
    print(f"copied {rows} rows of {len(tables)} tables; every table was read back and is equal")


def _print_progress(table: str, done: int, total: int) -> None:
    end = "\n" if done >= total else ""
    print(f"\r{table:<20} {done:>9} of {total}", end=end, file=sys.stderr, flush=True)


def check_setup(arguments: argparse.Namespace, config: Config) -> int:
    findings = check.run(config)
    for finding in findings:
        print(f"{finding.severity}: {finding.text}\n    {finding.fix}")
    if software := database.software():
        print(f"database: {software}")
    critical = sum(finding.critical for finding in findings)
    print(f"{critical} critical, {len(findings) - critical} advisory")
    return 1 if critical else 0


def reindex(arguments: argparse.Namespace, config: Config) -> None:
    rebuilt = database.reindex()
    if rebuilt is False:
        raise CommandError(
            "The search index cannot be built: it needs SQLite 3.34 or later with FTS5. Search works without "
            "it, but reads every text."
        )
    print("search index rebuilt" if rebuilt else "nothing to do: only SQLite has a search index")


def purge(arguments: argparse.Namespace, config: Config) -> None:
    now = datetime.now(UTC)
    trashed_before = dates.text(now - timedelta(days=arguments.days))
    answered_before = dates.text(now - idempotency.EXPIRY)
    counts = {}
    if arguments.dry_run:
        for kind in trash.MODELS:
            counts[kind] = len(database.run_read(partial(trash.due, kind, trashed_before)))
        counts["old answers"] = database.run_read(partial(trash.expired_answers, answered_before))
    else:
        for kind in trash.MODELS:
            counts[kind] = _in_batches(partial(trash.purge, kind, trashed_before, PURGE_BATCH))
        counts["old answers"] = _in_batches(partial(trash.purge_answers, answered_before, PURGE_BATCH))
        if any(counts.values()):
            fields = {name.replace(" ", "_"): number for name, number in counts.items()}
            access_log.audit_command(config.log, "purged", **fields)
    result = "would be deleted" if arguments.dry_run else "deleted"
    print(f"{', '.join(f'{number} {name}' for name, number in counts.items())} {result}")


def _in_batches(work: Callable[[], int]) -> int:
    """Repeat `work` in write transactions of its own until it returns 0; return the sum."""
    total = 0
    while done := database.run_write(work):
        total += done
    return total
