"""Hints on which condition of a query to evaluate first. Without statistics, SQLite often guesses wrong.

It considers every indexed column selective, and would read half of a table for the few records that another
condition names.
"""

from collections.abc import Iterable
from typing import TypeAlias

from peewee import SQL, EnclosedNodeList, Expression, NodeList

#: A condition of a WHERE.
Clause: TypeAlias = Expression | NodeList


class Leading(Expression):  # type: ignore[misc]  # Peewee has no types
    """A selective condition on the id or a name: to be evaluated first, see `led`."""


def leading(clause: Expression) -> Leading:
    return Leading(clause.lhs, clause.op, clause.rhs)


def every(clauses: Iterable[Clause]) -> NodeList:
    """Join conditions by AND on one level: SQLite's parser allows only some 70 nested parentheses."""
    return NodeList(tuple(clauses), glue=" AND ", parens=True)


def led(clauses: Iterable[Clause]) -> list[Clause]:
    """The same conditions; if one of them is leading, no index is used for the others."""
    given = list(clauses)
    if not any(isinstance(clause, Leading) for clause in given):
        return given
    return [clause if isinstance(clause, Leading) else unindexed(clause) for clause in given]


def first(few: Expression, *others: Clause) -> list[Clause]:
    """These conditions, of which `few` is the leading one."""
    return led((leading(few), *others))


def unindexed(clause: Clause) -> NodeList:
    """The same condition, for which SQLite uses no index."""
    return NodeList((SQL("+"), EnclosedNodeList([clause])))
