"""One page of a list, and the total that goes with it."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from peewee import SQL, fn

from calendar_api.store.prepared import LIMIT, OFFSET, Standing

Row = TypeVar("Row")


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
    """A list of ids that is asked for again and again; `order` are columns, all of them ascending."""

    def __init__(self, query: Any, order: tuple[Any, ...]) -> None:
        backwards = [column.desc() for column in order]
        self._total = Standing(query.select(fn.COUNT(SQL("*"))))
        self._forwards = Standing(query.order_by(*order).limit(LIMIT).offset(OFFSET))
        self._backwards = Standing(query.order_by(*backwards).limit(LIMIT).offset(OFFSET))

    def total(self, now: str) -> int:
        return int(self._total.rows(now)[0][0])

    def page(self, number: int, size: int, total: int, now: str) -> Page[int]:
        """One statement; what lies behind the middle is read from the end, which is nearer."""
        first, last = (number - 1) * size, min(number * size, total)
        if first >= last:
            return Page([], total, number, size)
        if first <= total // 2:
            rows = self._forwards.rows(now, last - first, first)
        else:
            rows = self._backwards.rows(now, last - first, total - last)[::-1]
        return Page([int(id) for (id,) in rows], total, number, size)


def paginate(query: Any, number: int, size: int) -> Page[Any]:
    """Two statements whatever the size; a page past the end needs only the first."""
    total = query.order_by().count()
    if number > 1 and (number - 1) * size >= total:
        return Page([], total, number, size)
    return Page(list(query.limit(size).offset((number - 1) * size)), total, number, size)
