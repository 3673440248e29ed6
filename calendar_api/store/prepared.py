"""Queries that Peewee puts together once and that run many times, with other values each time.

Putting a query together costs several times what it costs to run it.
"""

import secrets
from collections.abc import Callable, Iterable
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from peewee import SQL

from calendar_api import database

Row = SimpleNamespace


_ODD = secrets.token_hex(6)  # in no text that anybody sends, and no longer than a date may be


def _later(name: str) -> str:
    """Stands in a query for a value that is given when it runs."""
    return f"{_ODD}{name}"


NOW = _later("now")  # the instant of the request
LIMIT, OFFSET = _later("limit"), _later("offset")
_IDS = _later("ids")
_NAMES = {_later(name): name for name in ("now", "limit", "offset", "ids")}


def among_ids() -> Any:
    """The right side of an IN: the ids that are given when the query runs."""
    return SQL(f"({database.db.param})", [_IDS])


class Prepared:
    """A query as SQL text; rows come as plain objects, with the names of the columns."""

    def __init__(self, query: Any) -> None:
        sql, values = query.sql()
        self._parts = sql.split(database.db.param)
        self._values = values
        self._given = [_NAMES.get(value) if isinstance(value, str) else None for value in values]
        self._expanded = lru_cache(maxsize=64)(self._with_ids)
        self._names: list[str] = []

    def tuples(self, *, ids: Iterable[int] = (), **values: Any) -> list[tuple[Any, ...]]:
        return list(self._run(list(ids), values).fetchall())

    def rows(self, *, ids: Iterable[int] = (), **values: Any) -> list[Row]:
        cursor = self._run(list(ids), values)
        found = cursor.fetchall()
        if not self._names:
            self._names = [column[0] for column in cursor.description]
        return [Row(**dict(zip(self._names, row, strict=True))) for row in found]

    def scalar(self, **values: Any) -> Any:
        return self._run([], values).fetchone()[0]

    def _run(self, ids: list[int], values: dict[str, Any]) -> Any:
        bound: list[Any] = []
        for value, name in zip(self._values, self._given, strict=True):
            if name == "ids":
                bound.extend(ids)
            else:
                bound.append(values[name] if name else value)
        return database.db.execute_sql(self._expanded(len(ids)), bound)

    def _with_ids(self, number: int) -> str:
        """The text with as many places as there are ids; of none, a list that nothing is in."""
        place = database.db.param
        text: str = self._parts[0]
        many = ", ".join([place] * number) or "NULL"
        for name, part in zip(self._given, self._parts[1:], strict=True):
            text += (many if name == "ids" else place) + part
        return text


Builder = Callable[..., Any]


def prepared(build: Builder) -> Callable[..., Prepared]:
    """Keeps what `build` makes for the same arguments, which have to be few: shapes, not values."""

    @lru_cache(maxsize=256)
    def kept(_place: str, *shape: Any) -> Prepared:
        return Prepared(build(*shape))

    def for_shape(*shape: Any) -> Prepared:
        return kept(database.db.param, *shape)

    return for_shape
