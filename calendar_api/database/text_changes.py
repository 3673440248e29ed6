"""Which of the last writes changed only the texts of one record (docs/decisions/0011).

The row `revision` lists them as "number:id", separated by spaces, the last one first; the number is that
of the revision after the write. Other writes leave no entry.
"""

import re
from collections.abc import Callable
from typing import Any

MOST = 30

_ID = re.compile("[0-9]{1,19}")

Execute = Callable[..., Any]


def tell(execute: Execute, param: str, id: int) -> None:
    """Add an entry, at the end of a write transaction."""
    row = execute("SELECT number, text_changes FROM revision").fetchone()
    if row is None:
        return
    number, before = row
    told = " ".join([f"{number}:{id}", *str(before).split()[: MOST - 1]])
    execute(f"UPDATE revision SET text_changes = {param}", (told,))  # noqa: S608 - a constant of the driver


def between(execute: Execute, before: int, now: int) -> frozenset[int] | None:
    """Return the ids of the records whose texts changed in between; None if more may have changed."""
    if not 0 < now - before <= MOST:
        return None
    row = execute("SELECT text_changes FROM revision").fetchone()
    told = dict(entry.partition(":")[::2] for entry in str(row[0]).split()) if row else {}
    ids = [told.get(str(number), "") for number in range(before + 1, now + 1)]
    return frozenset(map(int, ids)) if all(map(_ID.fullmatch, ids)) else None
