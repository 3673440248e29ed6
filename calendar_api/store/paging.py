"""One page of a list, and the total that goes with it."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from peewee import SQL, fn

from calendar_api.store.prepared import LIMIT, OFFSET, Standing

Row = TypeVar("Row")

#: Up to so many records are sorted for a page; it takes as long to come across ten of them among 10,000.
FEW = 300


@dataclass(frozen=True)
class Page(Generic[Row]):
    """`records` of page `number`, out of `total` records at `size` a page."""

    records: list[Row]
    total: int
    number: int
    size: int

    @property
    def pages(self) -> int:
        return -(-self.total // self.size)

    @property
    def past_the_end(self) -> bool:
        return self.number > 1 and self.number > self.pages


class Listing:
    """A list of records that is asked for again and again, with their ids in the first column.

    `order` are columns, all of them ascending.

    `query` reads the list in this order, and looks whether each record is in it. The others find the same
    records: `counted` to be counted, and `few` all of them at once, which is faster where they are few.
    """

    def __init__(self, query: Any, order: tuple[Any, ...], *, counted: Any, few: Any = None) -> None:
        self._total = Standing(counted.select(fn.COUNT(SQL("*"))))
        self._many = _Ordered(query, order)
        self._few = _Ordered(few, order) if few is not None else self._many

    def total(self, now: str) -> int:
        return int(self._total.rows(now)[0][0])

    def page(self, number: int, size: int, total: int, now: str) -> Page[int]:
        """One statement; what lies behind the middle is read from the end, which is nearer."""
        first, last = (number - 1) * size, min(number * size, total)
        if first >= last:
            return Page([], total, number, size)
        ordered = self._few if total <= FEW else self._many
        if first <= total // 2:
            rows = ordered.forwards.rows(now, last - first, first)
        else:
            rows = ordered.backwards.rows(now, last - first, total - last)[::-1]
        return Page([int(row[0]) for row in rows], total, number, size)


class _Ordered:
    """A query in both directions, with the part of it left open."""

    def __init__(self, query: Any, order: tuple[Any, ...]) -> None:
        backwards = [column.desc() for column in order]
        self.forwards = Standing(query.order_by(*order).limit(LIMIT).offset(OFFSET))
        self.backwards = Standing(query.order_by(*backwards).limit(LIMIT).offset(OFFSET))


def paginate(query: Any, number: int, size: int) -> Page[Any]:
    """Two statements whatever the size; a page past the end needs only the first."""
    total = query.order_by().count()
    if number > 1 and (number - 1) * size >= total:
        return Page([], total, number, size)
    return Page(list(query.limit(size).offset((number - 1) * size)), total, number, size)
