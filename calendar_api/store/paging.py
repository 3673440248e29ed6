"""Pages of lists and their totals."""

from dataclasses import dataclass
from typing import Generic, TypeVar

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
    def bounds(self) -> tuple[int, int]:
        """The positions of the first record and of the one after the last."""
        return (self.number - 1) * self.size, min(self.number * self.size, self.total)

    @property
    def past_the_end(self) -> bool:
        return self.number > 1 and self.number > self.pages
