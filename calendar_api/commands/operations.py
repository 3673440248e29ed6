"""The commands of whoever keeps the service running: `backup`, `restore`, `check`, `reindex`, `purge`."""

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from calendar_api import database
from calendar_api.commands import backup, check
from calendar_api.commands.common import command, reading, refused, require_database
from calendar_api.config import Config
from calendar_api.domain import dates
from calendar_api.middleware import access_log
from calendar_api.store import idempotency, trash

BATCH = 100  # records in one write transaction: others wait only so long


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    save = command(commands, "backup", _backup, "Write a verified backup; the server may go on.")
    save.add_argument("file", type=Path, metavar="FILE")
    save.add_argument("--force", action="store_true", help="replace FILE if it is there")
    back = command(commands, "restore", _restore, "Put a backup in the place of the database.")
    back.add_argument("file", type=Path, metavar="FILE")
    back.add_argument("--yes", action="store_true", help="do not ask")
    command(commands, "check", _check, "List all problems of the installation, and how to fix them.")
    command(commands, "reindex", _reindex, "Make the index of the search anew.")
    purge = command(commands, "purge", _purge, "Delete for good what has lain in the trash.")
    purge.add_argument("--days", type=_days, default=30, metavar="N", help="for so long, default 30")
    purge.add_argument("--dry-run", action="store_true", help="only say what would go")


def _days(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 6):
        raise argparse.ArgumentTypeError(f"must be a number of days, 0 or more, not {value!r}")
    return int(value)


def _backup(arguments: argparse.Namespace, config: Config) -> int:
    require_database()
    size = backup.save(config.database_url, arguments.file, force=arguments.force)
    print(f"{arguments.file}: {size} bytes, read back and whole")
    return 0


def _restore(arguments: argparse.Namespace, config: Config) -> int:
    if backup.present(config.database_url) and not arguments.yes and not _agreed(arguments.file):
        return refused("Nothing was restored; --yes answers the question beforehand.")
    done = backup.restore(config.database_url, arguments.file, datetime.now(UTC))
    access_log.audit_command(config.log, "database_restored", file=arguments.file.name)
    print(f"restored from {arguments.file}")
    if done.aside is not None:
        print(f"the database that was there is now {done.aside}")
    if done.outdated:
        print("the backup is of an older release: run `calendar-api migrate`")
    return 0


def _agreed(file: Path) -> bool:
    if not sys.stdin.isatty():
        return False
    print("The database that is there will be kept under another name, and served no more.")
    return input(f"Restore {file}? Type yes: ").strip() == "yes"


def _check(arguments: argparse.Namespace, config: Config) -> int:
    findings = check.run(config)
    for finding in findings:
        print(f"{finding.severity}: {finding.text}\n    {finding.fix}")
    if software := database.software():
        print(f"database: {software}")
    critical = sum(finding.critical for finding in findings)
    print(f"{critical} critical, {len(findings) - critical} advisory")
    return 1 if critical else 0


def _reindex(arguments: argparse.Namespace, config: Config) -> int:
    require_database()
    made = database.reindex()
    if made is False:
        return refused(
            "No index could be made: this SQLite lacks FTS5 with trigrams, which 3.34 and later have. The "
            "search works without, by reading every text."
        )
    print("the index of the search was made anew" if made else "nothing to do: a server searches without one")
    return 0


def _purge(arguments: argparse.Namespace, config: Config) -> int:
    now = datetime.now(UTC)
    before = dates.text(now - timedelta(days=arguments.days))
    answers_before = dates.text(now - idempotency.KEPT)
    counts = {}
    for kind in trash.MODELS:
        counts[kind] = (
            len(reading(partial(trash.due, kind, before)))
            if arguments.dry_run
            else _in_batches(partial(trash.purge, kind, before, BATCH))
        )
    counts["old answers"] = (
        reading(partial(trash.expired_answers, answers_before))
        if arguments.dry_run
        else _in_batches(partial(trash.purge_answers, answers_before, BATCH))
    )
    if not arguments.dry_run and any(counts.values()):
        access_log.audit_command(
            config.log, "purged", **{name.replace(" ", "_"): number for name, number in counts.items()}
        )
    verb = "would be deleted" if arguments.dry_run else "deleted for good"
    print(f"{', '.join(f'{number} {name}' for name, number in counts.items())} {verb}")
    return 0


def _in_batches(work: Callable[[], int]) -> int:
    """All of it, a short write transaction at a time."""
    require_database()
    total = 0
    while done := database.run_write(work):
        total += done
    return total
