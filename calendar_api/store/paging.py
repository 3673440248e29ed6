"""Pages of lists and their totals."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from peewee import SQL, Field, ModelSelect, fn

from calendar_api.store.compiled_queries import LIMIT, OFFSET, ListQuery

Row = TypeVar("Row")

#: Up to this many matching records are sorted for a page instead of reading the list in its order.
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
    """A reusable list of records. All queries find the same records, with their ids in the first column.

    `query` is read in the ascending `order` of columns and `counted` is counted. `few`, if given, finds all
    records first and sorts them, which is faster for up to FEW of them.
    """

    def __init__(
        self, query: ModelSelect, order: tuple[Field, ...], *, counted: ModelSelect, few: ModelSelect = None
    ) -> None:
        self._total = ListQuery(counted.select(fn.COUNT(SQL("*"))))
        self._many = _both_directions(query, order)
        self._few = _both_directions(few, order) if few is not None else self._many

    def total(self, now: str) -> int:
        return int(self._total.rows(now)[0][0])

    def page(self, number: int, size: int, total: int, now: str) -> Page[int]:
        """Read a page with one statement. Pages in the second half are read backwards, from the end."""
        first, last = (number - 1) * size, min(number * size, total)
        if first >= last:
            return Page([], total, number, size)
        forwards, backwards = self._few if total <= FEW else self._many
        if first <= total // 2:
            rows = forwards.rows(now, last - first, first)
        else:
            rows = backwards.rows(now, last - first, total - last)[::-1]
        return Page([int(row[0]) for row in rows], total, number, size)


def _both_directions(query: ModelSelect, order: tuple[Field, ...]) -> tuple[ListQuery, ListQuery]:
    descending = [column.desc() for column in order]
    return (
        ListQuery(query.order_by(*order).limit(LIMIT).offset(OFFSET)),
        ListQuery(query.order_by(*descending).limit(LIMIT).offset(OFFSET)),
    )


def paginate(query: ModelSelect, number: int, size: int) -> Page[Any]:
    """Read a page with two statements; a page past the end needs only the first."""
    total = query.order_by().count()
    if number > 1 and (number - 1) * size >= total:
        return Page([], total, number, size)
    return Page(list(query.limit(size).offset((number - 1) * size)), total, number, size)
