"""A transaction is run until it is through: after a deadlock, a lost line, a node that has gone.

All of it is run again, with growing pauses of random length, so that those who met do not meet again.
"""

import random
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from calendar_api.database import diagnostics
from calendar_api.database.mysql import errors as mysql_errors
from calendar_api.database.mysql import turns as mysql_turns
from calendar_api.database.mysql.connection import MysqlConnectionState
from calendar_api.domain.errors import DatabaseUnavailable
from calendar_api.domain.translation import message

Result = TypeVar("Result")

PATIENCE = 5.0  # seconds from the first try to the last
LONGEST_PAUSE = 1.0
WAITING = 0.03  # seconds until a writer looks again whether it is its turn; sooner the longer it has waited
CROSSED = 5  # tries while others are storing what this one wants to store


class Committed(Exception):
    """The try before was committed, although its answer did not arrive."""


class Unsettled(DatabaseUnavailable):
    """The answer to a commit was lost, and nobody could be asked in time."""

    def __init__(self) -> None:
        super().__init__(
            message(
                "The database was lost while storing: look whether the change is there before you send it "
                "again, or send it with the same Idempotency-Key."
            )
        )


class Tried(Protocol):
    """What a trial needs of the database."""

    here: MysqlConnectionState
    driver_error: Any

    def check_out(self) -> None: ...

    def give_up_host(self) -> None: ...

    def execute_sql(self, sql: str, params: Any = None) -> Any: ...


def run(db: Tried, transaction: Callable[[], Any], work: Callable[[], Result]) -> Result:
    """What `work` returns in the transaction that went through; raises the last error, or Unsettled."""
    here, began, tries = db.here, time.monotonic(), 0
    result: Result
    here.lost, here.reserving, here.writer = None, False, secrets.token_hex(16)
    try:
        while True:
            started = time.monotonic()
            try:
                if here.reserving:
                    db.check_out()
                    mysql_turns.reserve(db.execute_sql, here.writer)
                with transaction():
                    result = work()
                here.reserving = False  # it was a part of what is committed now
                return result
            except Committed:
                return result
            except mysql_turns.NotYet as error:
                pause = random.uniform(0, WAITING / (1 + time.monotonic() - began))  # noqa: S311 - no secret
                if time.monotonic() + pause > began + PATIENCE:
                    raise mysql_errors.busy() from error
            except Exception as error:
                tries += 1
                pause = random.uniform(0, min(LONGEST_PAUSE, 0.005 * 2**tries))  # noqa: S311 - no secret
                now = time.monotonic()
                # A server that hangs makes the next try wait as long as this one.
                silent = now - started if _is_lost(db, error) else 0.0
                if not _worth_another(db, error, tries) or now + pause + silent > began + PATIENCE:
                    if here.lost is None:
                        raise
                    raise Unsettled from error
            time.sleep(pause)
    finally:
        if here.reserving:
            with suppress(Exception):  # it is over in a moment anyway
                db.check_out()
                mysql_turns.release(db.execute_sql, here.writer)


def _is_lost(db: Tried, error: BaseException) -> bool:
    """Whether there is no connection any more, or none could be made."""
    first = diagnostics.first_error(error, db.driver_error)
    return first is not None and mysql_errors.code(first) in mysql_errors.ELSEWHERE


def _worth_another(db: Tried, error: BaseException, tries: int) -> bool:
    """Clean up after an error; whether the transaction may go through when it is run again."""
    first = diagnostics.first_error(error, db.driver_error)
    if first is None:
        return False
    code, here = mysql_errors.code(first), db.here
    if here.committing and code not in mysql_errors.REFUSED:  # those say that it was taken back
        here.lost = here.mark
    here.committing = False
    if code in mysql_errors.ELSEWHERE:
        db.give_up_host()
    if code in mysql_errors.REFUSED and here.writing:
        here.reserving = True
    if code in mysql_errors.CROSSED:
        return tries < CROSSED
    return code in mysql_errors.AGAIN
