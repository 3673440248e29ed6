"""What a query is to begin with, where SQLite would guess wrong: it knows nothing of what the tables hold.

It takes any column that an index begins with for a good one, and so would read half of a table to find the
few records that another condition names.
"""

from collections.abc import Iterable
from typing import Any

from peewee import SQL, EnclosedNodeList, Expression, NodeList


class Leading(Expression):  # type: ignore[misc]  # Peewee has no types
    """A condition on the id that few records meet: they are to be found first, see `led`."""


def leading(clause: Expression) -> Leading:
    return Leading(clause.lhs, clause.op, clause.rhs)


def every(clauses: Iterable[Any]) -> Any:
    """All conditions joined by AND on one level: SQLite's parser allows only some 70 nested parentheses."""
    return NodeList(tuple(clauses), glue=" AND ", parens=True)


def led(clauses: Iterable[Any]) -> list[Any]:
    """The same conditions; beside a leading one, the others are not looked for in indexes."""
    given = list(clauses)
    if not any(isinstance(clause, Leading) for clause in given):
        return given
    return [clause if isinstance(clause, Leading) else unindexed(clause) for clause in given]


def first(few: Expression, *others: Any) -> list[Any]:
    """These conditions, of which the first one, on ids or names, is met by few records."""
    return led((leading(few), *others))


def unindexed(clause: Any) -> Any:
    """The same condition, for which SQLite looks for no index."""
    return NodeList((SQL("+"), EnclosedNodeList([clause])))
