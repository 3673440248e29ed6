"""Statements that Peewee writes once: to write one takes ten times as long as to run it.

A statement is a function that builds a query. Its positional arguments are the shape of it, such as a model
or a role; its keyword arguments are values that are left open, or lists of them. What is given for them goes
to the database as it is, so it must be what the column holds: numbers, texts, truth values or None.
"""

import itertools
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from peewee import AsIs

from calendar_api.database.models import PublishedRecord, Table

Row = dict[str, Any]

#: SQLite before 3.32 takes 999 values with a statement, and a long filter has a dozen.
_TOGETHER = 64

_db: Any = Table._meta.database


class CompiledQuery:
    """A query by the function that builds it."""

    def __init__(self, build: Callable[..., Any]) -> None:
        self.build = build

    def rows(self, *shape: Any, **values: Any) -> list[Any]:
        """What a SELECT finds, as plain tuples."""
        return list(self.run(*shape, **values).fetchall())

    def objects(self, *shape: Any, **values: Any) -> list[Any]:
        """What a SELECT finds, as tuples whose values also have the names of the columns."""
        cursor = self.run(*shape, **values)
        return list(map(_row(_names(cursor))._make, cursor.fetchall()))

    def keyed(self, *shape: Any, **values: Any) -> list[tuple[Any, Any]]:
        """The same of all columns but the first, with the value of that one."""
        cursor = self.run(*shape, **values)
        make = _row(_names(cursor)[1:])._make
        return [(row[0], make(row[1:])) for row in cursor.fetchall()]

    def run(self, *shape: Any, **values: Any) -> Any:
        """The cursor of the statement with these values."""
        given: list[Any] = []
        sizes: list[int] = []
        for value in values.values():
            if type(value) is list:
                given += value
                sizes.append(len(value))
            else:
                given.append(value)
                sizes.append(-1)
        engine = _db.obj
        statement = _written(type(engine).__name__, self.build, shape, tuple(values), tuple(sizes))
        return engine.execute_sql(statement.sql, statement.ordered(given))


class Standing:
    """A SELECT that was put together for one caller, with the moment and the part of the page left open.

    Build it with `NOW`, `LIMIT` and `OFFSET` in it, and for a part of a list with `SINCE` and `UNTIL`.
    """

    def __init__(self, query: Any) -> None:
        self._statement = _statement(query, 5)

    def rows(self, now: str, limit: int = 0, offset: int = 0, since: str = "") -> list[Any]:
        given = self._statement.ordered([now, limit, offset, since, ""])
        return list(_db.obj.execute_sql(self._statement.sql, given).fetchall())

    def values(self, now: str, edges: Sequence[str]) -> list[Any]:
        """The only value that it finds from each edge to the next one, many of them by one statement."""
        one, stretches = self._statement, list(pairwise(edges))
        found: list[Any] = []
        for first in range(0, len(stretches), _TOGETHER):
            part = stretches[first : first + _TOGETHER]
            given = [value for ends in part for value in one.ordered([now, 0, 0, *ends])]
            every = ", ".join([f"({one.sql})"] * len(part))
            found += _db.obj.execute_sql(f"SELECT {every}", given).fetchone()
        return found


@dataclass(frozen=True)
class _Statement:
    """`places` says which value goes where: those that are given, in their order, and then the fixed ones."""

    sql: str
    places: list[int]
    fixed: list[Any]
    as_given: bool

    def ordered(self, given: list[Any]) -> list[Any]:
        """What the statement takes, in its order."""
        if self.as_given:
            return given
        given += self.fixed
        return [given[place] for place in self.places]


class _Place:
    """Stands for the value of this number."""

    def __init__(self, number: int) -> None:
        self.number = number


@lru_cache(maxsize=512)
def _written(
    engine: str,
    build: Callable[..., Any],
    shape: tuple[Any, ...],
    names: tuple[str, ...],
    sizes: tuple[int, ...],
) -> _Statement:
    """The statement in the dialect of this engine."""
    numbers = itertools.count()
    opened: dict[str, Any] = {
        name: _opened(numbers) if size < 0 else [_opened(numbers) for _ in range(size)]
        for name, size in zip(names, sizes, strict=True)
    }
    return _statement(build(*shape, **opened), next(numbers))


def _statement(query: Any, given: int) -> _Statement:
    """A query in which so many places are open."""
    sql, found = query.sql()
    fixed = [value for value in found if not isinstance(value, _Place)]
    after = itertools.count(given)
    places = [value.number if isinstance(value, _Place) else next(after) for value in found]
    return _Statement(sql, places, fixed, as_given=places == list(range(given)))


def _names(cursor: Any) -> tuple[str, ...]:
    return tuple([column[0] for column in cursor.description or ()])  # some drivers describe no row only


@lru_cache(maxsize=64)
def _row(names: tuple[str, ...]) -> Any:
    return namedtuple("_row", names)


def _opened(numbers: Iterator[int]) -> Any:
    return AsIs(_Place(next(numbers)), converter=False)


#: The places of `Standing`.
NOW, LIMIT, OFFSET, SINCE, UNTIL = (_opened(itertools.count(number)) for number in range(5))


def padded(values: Iterable[Any]) -> list[Any]:
    """The values of a list for IN, the last one repeated up to a power of two, so that few statements do."""
    given = list(values)
    return given + given[-1:] * ((1 << max(len(given) - 1, 0).bit_length()) - len(given))


def insert(model: type[Table], rows: Iterable[Row]) -> None:
    """Add these rows, which have the same columns, in one statement; nothing for none."""
    given = list(rows)
    if given:
        names = tuple(given[0])
        _INSERT.run(model, names, len(given), values=[row[name] for row in given for name in names])


def update(model: type[PublishedRecord], id: int, columns: Row) -> None:
    """Change these columns of one record."""
    names = tuple(columns)
    _UPDATE.run(model, names, id=id, values=[columns[name] for name in names])


def _insert(model: type[Table], names: tuple[str, ...], count: int, *, values: list[Any]) -> Any:
    width = len(names)
    rows = [dict(zip(names, values[at * width : (at + 1) * width], strict=True)) for at in range(count)]
    return model.insert_many(rows)


def _update(model: type[PublishedRecord], names: tuple[str, ...], *, id: Any, values: list[Any]) -> Any:
    return model.update(dict(zip(names, values, strict=True))).where(model.id == id)


_INSERT = CompiledQuery(_insert)
_UPDATE = CompiledQuery(_update)
