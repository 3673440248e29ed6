"""Run a transaction again after a deadlock, a lost connection or a failed node.

The whole transaction is repeated, after random pauses of growing length, for at most PATIENCE.
"""

import random
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeVar

from calendar_api.database.errors import first_error
from calendar_api.database.mysql import errors
from calendar_api.domain.errors import DatabaseUnavailable
from calendar_api.domain.translation import message

if TYPE_CHECKING:
    from calendar_api.database.mysql.engine import Mysql

Result = TypeVar("Result")

PATIENCE = 5.0  # seconds from the first attempt to the last
LONGEST_PAUSE = 1.0  # seconds
DUPLICATE_ATTEMPTS = 5  # attempts while other transactions store conflicting rows


class Committed(Exception):
    """Raised inside an attempt: the one before was committed, although its reply was lost."""


class CommitUnknown(DatabaseUnavailable):
    """The reply to a commit was lost, and the database could not be asked in time."""

    def __init__(self) -> None:
        super().__init__(
            message(
                "The database was lost while storing: look whether the change is there before you send it "
                "again, or send it with the same Idempotency-Key."
            )
        )


def run(
    db: "Mysql", transaction: Callable[[], AbstractContextManager[None]], work: Callable[[], Result]
) -> Result:
    """Return what `work` returns in the transaction that succeeds; raise the last error, or CommitUnknown."""
    deadline, attempts = time.monotonic() + PATIENCE, 0
    db.thread.uncertain = None
    result: Result
    while True:
        started = time.monotonic()
        try:
            with transaction():
                result = work()
            return result
        except Committed:
            return result
        except Exception as error:
            attempts += 1
            first = first_error(error, db.driver_error)
            code = None if first is None else errors.code(first)
            _clean_up(db, code)
            pause = random.uniform(0, min(LONGEST_PAUSE, 0.005 * 2**attempts))  # noqa: S311 - no secret
            now = time.monotonic()
            # With a server that does not respond, the next attempt takes as long as this one.
            expected = now - started if code in errors.CONNECTION_LOST else 0.0
            retryable = code in errors.RETRYABLE or (
                code in errors.DUPLICATE and attempts < DUPLICATE_ATTEMPTS
            )
            if not retryable or now + pause + expected > deadline:
                if db.thread.uncertain is None:
                    raise
                raise CommitUnknown from error
        time.sleep(pause)


def _clean_up(db: "Mysql", code: int | None) -> None:
    """Note whether the transaction may have been committed, and leave a host that was lost."""
    if code is None:
        return
    thread = db.thread
    if thread.committing and code != errors.DEADLOCK:  # after a deadlock it was certainly rolled back
        thread.uncertain = thread.token
    thread.committing = False
    if code in errors.CONNECTION_LOST:
        db.avoid_host()
