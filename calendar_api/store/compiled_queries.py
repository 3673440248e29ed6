"""SQL that Peewee generates once and that is run many times: generating takes ten times as long as running.

A query is defined by a function that builds it. Its positional arguments, such as a model or a role, change
the SQL; its keyword arguments are parameters, or lists of parameters. Their values are passed to the database
unconverted: numbers, texts, booleans or None.
"""

import itertools
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any, TypeAlias, TypeVar, cast

import peewee
from peewee import AsIs, MySQLDatabase, Query

from calendar_api.database.models import PublishedRecord, Table

#: A value as the database stores it.
Value: TypeAlias = str | int | float | None
#: Values by the names of the columns.
Columns: TypeAlias = Mapping[str, object]
#: What a builder gets for a keyword argument: a parameter whose value is given when the query is run.
Param: TypeAlias = peewee.Value
#: A row with the columns of the model, as attributes.
Row = TypeVar("Row", bound=Table)
Item = TypeVar("Item")

_db = Table._meta.database


class CompiledQuery:
    """A query that is built by the function `build`."""

    def __init__(self, build: Callable[..., Query]) -> None:
        self.build = build

    def rows(self, *shape: object, **values: object) -> list[Any]:
        """Run a SELECT and return plain tuples."""
        return list(self.run(*shape, **values).fetchall())

    def ids(self, *shape: object, **values: object) -> set[int]:
        """Run a SELECT and return the integers of its only column."""
        return {int(id) for (id,) in self.rows(*shape, **values)}

    def number(self, *shape: object, **values: object) -> int:
        """Run a SELECT and return the only integer that it finds."""
        return int(self.rows(*shape, **values)[0][0])

    def objects(self, *shape: object, **values: object) -> list[Any]:
        """Run a SELECT and return named tuples."""
        statement, cursor = self._executed(shape, values)
        rows = cursor.fetchall()
        if not rows:
            return []
        if statement.row is None:
            statement.row = partial(tuple.__new__, _row_of(cursor))  # faster than its `_make`
        return list(map(statement.row, rows))

    def run(self, *shape: object, **values: object) -> Any:
        """Run the statement and return its cursor."""
        return self._executed(shape, values)[1]

    def run_for_each(self, *shape: object, values: Sequence[list[object]]) -> None:
        """Run the statement with each of these lists of `values`, its only keyword argument."""
        engine = _db.obj
        statement = _compiled(type(engine).__name__, self.build, shape, ("values",), (len(values[0]),))
        ordered = [statement.ordered(one) for one in values]
        # Peewee has no public `executemany`: this is what its `execute_sql` does around a statement.
        engine._log_query(statement.sql, ordered)
        with peewee.__exception_wrapper__:
            engine.cursor().executemany(statement.sql, ordered)

    def _executed(self, shape: tuple[object, ...], values: Mapping[str, object]) -> tuple["_Statement", Any]:
        given: list[object] = []
        sizes: list[int] = []
        for value in values.values():
            if type(value) is list:
                given += value
                sizes.append(len(value))
            else:
                given.append(value)
                sizes.append(-1)
        engine = _db.obj
        statement = _compiled(type(engine).__name__, self.build, shape, tuple(values), tuple(sizes))
        return statement, engine.execute_sql(statement.sql, statement.ordered(given))


@dataclass
class _Statement:
    """`positions` are indexes into the given values followed by the `fixed` ones.

    `row` makes named tuples; it is made for the first rows, because cursors take long to tell their columns.
    """

    sql: str
    positions: list[int]
    fixed: list[object]
    as_given: bool
    row: Callable[[Sequence[object]], object] | None = None

    def ordered(self, given: list[object]) -> list[object]:
        """The values in the order of the statement."""
        if self.as_given:
            return given
        given += self.fixed
        return [given[position] for position in self.positions]


class _Position:
    """Marks a parameter in generated SQL."""

    def __init__(self, number: int) -> None:
        self.number = number


def _row_of(cursor: Any) -> type[tuple[object, ...]]:
    return namedtuple("_row", [column[0] for column in cursor.description])


@lru_cache(maxsize=512)
def _compiled(
    engine: str,
    build: Callable[..., Query],
    shape: tuple[object, ...],
    names: tuple[str, ...],
    sizes: tuple[int, ...],
) -> _Statement:
    """The statement in the dialect of the current engine; `engine` is a part of the key of the cache."""
    numbers = itertools.count()
    parameters = {
        name: _parameter(numbers) if size < 0 else [_parameter(numbers) for _ in range(size)]
        for name, size in zip(names, sizes, strict=True)
    }
    return _statement(build(*shape, **parameters), next(numbers))


def _statement(query: Query, given: int) -> _Statement:
    sql, found = query.sql()
    fixed = [value for value in found if not isinstance(value, _Position)]
    after = itertools.count(given)
    positions = [value.number if isinstance(value, _Position) else next(after) for value in found]
    return _Statement(sql, positions, fixed, as_given=positions == list(range(given)))


def _parameter(numbers: Iterator[int]) -> Param:
    return AsIs(_Position(next(numbers)), converter=False)


def padded(values: Iterable[Item]) -> list[Item]:
    """Repeat the last value up to a length that is a power of two: lists for IN need few statements then."""
    given = list(values)
    return given + given[-1:] * ((1 << max(len(given) - 1, 0).bit_length()) - len(given))


def insert(model: type[Table], rows: Sequence[Columns]) -> None:
    """Insert rows, which must have the same columns."""
    names = tuple(rows[0]) if rows else ()
    values = [[row[name] for name in names] for row in rows]
    if len(values) == 1:
        _insert.run(model, names, values=values[0])
    elif values:
        _insert.run_for_each(model, names, values=values)


def upsert(model: type[Table], key: Sequence[str], columns: Columns) -> None:
    """Insert a row, or update the one that has the same values in the columns of the unique index `key`."""
    _upsert.run(model, tuple(key), tuple(columns), values=list(columns.values()))


def update(model: type[PublishedRecord], id: int, columns: Columns) -> None:
    """Change these columns of one record."""
    _update.run(model, tuple(columns), id=id, values=list(columns.values()))


def as_row(model: type[Row], columns: Columns, before: Row | None = None) -> Row:
    """The row as it is read after these columns were written."""
    names = {name: field.column_name for name, field in model._meta.fields.items()}
    same = {} if before is None else {name: getattr(before, name) for name in names.values()}
    written = {names[name]: value for name, value in columns.items()}
    return cast(Row, SimpleNamespace(**same | written))


@CompiledQuery
def _insert(model: type[Table], names: tuple[str, ...], *, values: list[Param]) -> Query:
    return model.insert(dict(zip(names, values, strict=True)))


@CompiledQuery
def _upsert(
    model: type[Table], key: tuple[str, ...], names: tuple[str, ...], *, values: list[Param]
) -> Query:
    # MySQL updates on a conflict with any unique index; SQLite has to be told which one.
    target = None if isinstance(_db.obj, MySQLDatabase) else [getattr(model, name) for name in key]
    changed = [getattr(model, name) for name in names if name not in key]
    row = dict(zip(names, values, strict=True))
    return model.insert(row).on_conflict(preserve=changed, conflict_target=target)


@CompiledQuery
def _update(model: type[PublishedRecord], names: tuple[str, ...], *, id: Param, values: list[Param]) -> Query:
    return model.update(dict(zip(names, values, strict=True))).where(model.id == id)
