"""`calendar-api purge`: delete what has been in the trash for long, expired answers and old contacts."""

import argparse
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from calendar_api import database
from calendar_api.config import Config
from calendar_api.domain import dates
from calendar_api.middleware import access_log
from calendar_api.store import idempotency, trash

BATCH = 100  # records per write transaction, so that other writers need not wait long


def purge(arguments: argparse.Namespace, config: Config) -> None:
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
        for kind in trash.MODELS:
            counts[kind] = _in_batches(partial(trash.purge, kind, trashed_before, BATCH))
        counts["old answers"] = _in_batches(partial(trash.purge_answers, answered_before, BATCH))
        counts["contacts"] = _in_batches(partial(trash.purge_contacts, trashed_before, BATCH))
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
