"""One page of a list, and the total that goes with it."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Generic, TypeVar

from peewee import SQL, fn

from calendar_api.domain import dates
from calendar_api.store.compiled_queries import LIMIT, OFFSET, Standing

Row = TypeVar("Row")

#: Up to so many records are sorted for a page; it takes as long to come across ten of them among 10,000.
FEW = 300
#: A page with more records than these on either side is looked for from a mark, where there are marks.
FAR = 2000
_STRETCHES = 128


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


@dataclass(frozen=True)
class Marks:
    """Some starts, in order, and how many records of a list begin before each of them."""

    starts: list[str]
    before: list[int]

    def near(self, place: int) -> tuple[str, int]:
        """Where to begin to look for the record at this place, and how many of those there to leave out."""
        mark = bisect_right(self.before, place) - 1
        return self.starts[mark], place - self.before[mark]


@dataclass(frozen=True)
class Spread:
    """Parts of a list in the order of its starts, which are in the second column, after the ids.

    Those `since` a start, and those `between` two of them, the second one excluded, to be counted.
    """

    since: Any
    between: Any


class Listing:
    """A list of records that is asked for again and again, with their ids in the first column.

    `order` are columns, all of them ascending.

    `query` reads the list in this order, and looks whether each record is in it. The others find the same
    records: `counted` to be counted, and `few` all of them at once, which is faster where they are few. With
    a `spread` a page far from both ends can be found without passing all that comes before it.
    """

    def __init__(
        self,
        query: Any,
        order: tuple[Any, ...],
        *,
        counted: Any,
        few: Any = None,
        spread: Spread | None = None,
    ) -> None:
        self._total = _count(counted)
        self._many = _Ordered(query, order)
        self._few = _Ordered(few, order) if few is not None else self._many
        self._since = _Ordered(spread.since, order) if spread else None
        self._between = _count(spread.between) if spread else None

    def total(self, now: str) -> int:
        return int(self._total.rows(now)[0][0])

    def far(self, number: int, size: int, total: int) -> bool:
        """Whether marks help to find this page."""
        first, last = (number - 1) * size, min(number * size, total)
        return self._since is not None and first > FAR and total - last > FAR

    def marks(self, now: str, total: int) -> Marks | None:
        """For a list that is `far` at some page: four statements, which take as long as to count it.

        The first and the last start, and how many there are in each of as many equal stretches of time. None
        when somebody writes between the statements, so that they do not add up.
        """
        if self._since is None or self._between is None:
            return None
        ends = [*self._many.forwards.rows(now, 1), *self._many.backwards.rows(now, 1)]
        try:
            begin, end = (dates.from_text(start) for _, start in ends)
        except ValueError:  # the list is empty by now, or somebody else's hand wrote what is no date
            return None
        edges = {dates.text(begin + (end - begin) * part / _STRETCHES) for part in range(_STRETCHES)}
        starts = sorted(edges)
        counts = self._between.values(now, [*starts, f"{dates.text(end)}~"])  # the last one is before it
        return Marks(starts, [0, *accumulate(map(int, counts[:-1]))]) if sum(counts) == total else None

    def page(self, number: int, size: int, total: int, now: str, marks: Marks | None = None) -> Page[int]:
        """One statement; what lies behind the middle is read from the end, which is nearer."""
        first, last = (number - 1) * size, min(number * size, total)
        if first >= last:
            return Page([], total, number, size)
        if marks is not None and self._since is not None and self.far(number, size, total):
            since, left_out = marks.near(first)
            rows = self._since.forwards.rows(now, last - first, left_out, since)
            return Page([int(row[0]) for row in rows], total, number, size)
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


def _count(query: Any) -> Standing:
    return Standing(query.select(fn.COUNT(SQL("*"))))


def paginate(query: Any, number: int, size: int) -> Page[Any]:
    """Two statements whatever the size; a page past the end needs only the first."""
    total = query.order_by().count()
    if number > 1 and (number - 1) * size >= total:
        return Page([], total, number, size)
    return Page(list(query.limit(size).offset((number - 1) * size)), total, number, size)
