"""Statements that Peewee writes once: to write one takes ten times as long as to run it.

A statement is a function that builds a query. Its positional arguments are the shape of it, such as a model
or a role; its keyword arguments are values that are left open, or lists of them. What is given for them goes
to the database as it is, so it must be what the column holds: numbers, texts, truth values or None.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from peewee import AsIs

from calendar_api.models import Published, Table

Row = dict[str, Any]
Open = dict[str, Any]

_db: Any = Table._meta.database


class Prepared:
    """A query by the function that builds it."""

    def __init__(self, build: Callable[..., Any]) -> None:
        self.build = build

    def rows(self, *shape: Any, **values: Any) -> list[Any]:
        """What a SELECT finds, as plain tuples."""
        return list(self.run(*shape, **values).fetchall())

    def run(self, *shape: Any, **values: Any) -> Any:
        """The cursor of the statement with these values."""
        sizes = tuple((name, len(value) if type(value) is list else -1) for name, value in values.items())
        sql, places = _written(type(_db.obj).__name__, self.build, shape, sizes)
        return _db.execute_sql(sql, [place.taken_from(values) for place in places])


class _Place:
    """Where a value goes; in a list of values, the one at `index`."""

    def __init__(self, name: str, index: int | None) -> None:
        self.name = name
        self.index = index

    def taken_from(self, values: Mapping[str, Any]) -> Any:
        value = values[self.name]
        return value if self.index is None else value[self.index]


class _Fixed:
    """A value that belongs to the statement itself."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def taken_from(self, values: Mapping[str, Any]) -> Any:
        return self.value


@lru_cache(maxsize=512)
def _written(
    engine: str, build: Callable[..., Any], shape: tuple[Any, ...], sizes: tuple[tuple[str, int], ...]
) -> tuple[str, list[_Place | _Fixed]]:
    """The statement in the dialect of this engine, and what goes to each of its places."""
    opened: Open = {
        name: _opened(name, None) if size < 0 else [_opened(name, index) for index in range(size)]
        for name, size in sizes
    }
    sql, found = build(*shape, **opened).sql()
    return sql, [place if isinstance(place, _Place) else _Fixed(place) for place in found]


def _opened(name: str, index: int | None) -> Any:
    return AsIs(_Place(name, index), converter=False)


def filled(values: Iterable[Any]) -> list[Any]:
    """The values of a list for IN, the last one repeated up to a power of two, so that few statements do."""
    given = list(values)
    return given + given[-1:] * ((1 << max(len(given) - 1, 0).bit_length()) - len(given))


def insert(model: type[Table], rows: Iterable[Row]) -> None:
    """Add these rows, which have the same columns, in one statement; nothing for none."""
    given = list(rows)
    if given:
        names = tuple(given[0])
        _INSERT.run(model, names, len(given), values=[row[name] for row in given for name in names])


def update(model: type[Published], id: int, columns: Row) -> None:
    """Change these columns of one record."""
    names = tuple(columns)
    _UPDATE.run(model, names, id=id, values=[columns[name] for name in names])


def _insert(model: type[Table], names: tuple[str, ...], count: int, *, values: list[Any]) -> Any:
    width = len(names)
    rows = [dict(zip(names, values[at * width : (at + 1) * width], strict=True)) for at in range(count)]
    return model.insert_many(rows)


def _update(model: type[Published], names: tuple[str, ...], *, id: Any, values: list[Any]) -> Any:
    return model.update(dict(zip(names, values, strict=True))).where(model.id == id)


_INSERT = Prepared(_insert)
_UPDATE = Prepared(_update)
