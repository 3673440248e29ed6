"""Whose turn it is to write: the one row of `revision`, which every write transaction changes first.

On one server the lock of the row is the turn. A cluster has such a lock on each node, and of two transactions
that meet it takes back the one that comes second: a long one could lose to short ones again and again. One
that has lost therefore reserves the next turn, and the others wait until it has had it.
"""

from collections.abc import Callable
from typing import Any

RESERVED = 2000  # milliseconds; whoever needs longer may lose again, and reserves again

# Put together of constants alone; what a caller gives is bound (S608 looks for texts that are not).
_NOW = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)"
# One that ends too late was made on a node whose clock is ahead, and would otherwise hold for as long.
_MINE = f"(reserved_by = %s OR reserved_until NOT BETWEEN {_NOW} AND {_NOW} + {RESERVED})"
_TAKE = f"UPDATE revision SET number = LAST_INSERT_ID(number + 1), reserved_until = 0 WHERE {_MINE}"  # noqa: S608
# The row has to change all the same: a cluster knows by that that two transactions have met.
_TAKE_ALONE = (
    "UPDATE revision SET number = LAST_INSERT_ID(number), reserved_until = IF(reserved_until = 0, 1, 0) "  # noqa: S608
    f"WHERE {_MINE}"
)
_RESERVE = f"UPDATE revision SET reserved_by = %s, reserved_until = {_NOW} + {RESERVED} WHERE {_MINE}"  # noqa: S608
_RELEASE = "UPDATE revision SET reserved_until = 0 WHERE reserved_by = %s"

Execute = Callable[[str, tuple[Any, ...]], Any]


class NotYet(Exception):
    """Another writer has reserved the turn."""


def take(execute: Execute, writer: str, *, revises: bool) -> None:
    """Inside the transaction, before anything else; a turn that revises nothing leaves the number alone."""
    if not execute(_TAKE if revises else _TAKE_ALONE, (writer,)).rowcount:
        raise NotYet


def reserve(execute: Execute, writer: str) -> None:
    """In a short transaction of its own, which hardly ever meets another."""
    if not execute(_RESERVE, (writer, writer)).rowcount:
        raise NotYet


def release(execute: Execute, writer: str) -> None:
    """Let the others go on when the turn will not be taken after all."""
    execute(_RELEASE, (writer,))
