"""Which of the last writes changed nothing but the texts of one record (docs/decisions/0011).

They stand in the row `revision`, as "number:id" with spaces between, the last one first: the number is that
of the revision which the write has made. Other writes leave no word, nor do those of older releases; what is
not said of every write since a revision is not known.
"""

import re
from collections.abc import Callable
from typing import Any

MOST = 30

_ID = re.compile("[0-9]{1,19}")

Execute = Callable[..., Any]


def tell(execute: Execute, param: str, id: int) -> None:
    """At the end of a write transaction that changed nothing else."""
    row = execute("SELECT number, text_changes FROM revision").fetchone()
    if row is None:  # then nobody remembers anything either
        return
    number, before = row
    told = " ".join([f"{number}:{id}", *str(before).split()[: MOST - 1]])
    execute(f"UPDATE revision SET text_changes = {param}", (told,))  # noqa: S608 - a constant of the driver


def between(execute: Execute, before: int, now: int) -> frozenset[int] | None:
    """The records whose texts changed on the way from one revision to a later one.

    None if anything else may have changed.
    """
    if not 0 < now - before <= MOST:
        return None
    row = execute("SELECT text_changes FROM revision").fetchone()
    told = dict(entry.partition(":")[::2] for entry in str(row[0]).split()) if row else {}
    ids = [told.get(str(number), "") for number in range(before + 1, now + 1)]
    return frozenset(map(int, ids)) if all(map(_ID.fullmatch, ids)) else None
