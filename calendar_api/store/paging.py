"""One page of a list, and the total that goes with it."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

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


def paginate(query: Any, number: int, size: int) -> Page[Any]:
    """Two statements whatever the size; a page past the end needs only the first."""
    total = query.order_by().count()
    if number > 1 and (number - 1) * size >= total:
        return Page([], total, number, size)
    return Page(list(query.limit(size).offset((number - 1) * size)), total, number, size)
