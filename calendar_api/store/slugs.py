"""A free slug for a title: -2, -3 … is added when the plain one is taken (docs/interface.md#slugs)."""

import unicodedata
from typing import Any

from calendar_api.database.models import PublishedRecord, Term
from calendar_api.domain import text
from calendar_api.store.compiled_queries import CompiledQuery

Model = type[PublishedRecord] | type[Term]

LONGEST = 191
TRASHED = "__trashed"

# Of more namesakes than this not every one is looked at: finding a number would take the longer the more
# there are.
_NAMESAKES = 100
_PROBES = 16
_HIGHEST = 2**31


def wanted(*given: object) -> str:
    """The slug of the first of these texts that makes one, "" if none does; an id always makes one."""
    return next((slug for slug in (text.slug(str(one)) for one in given if one) if slug), "")


def free(model: Model, slug: str, own_id: int = 0, taxonomy: str = "") -> str:
    """`slug` itself, or the first of slug-2, slug-3 … that no other record has.

    Among more than a hundred namesakes it is a number that is free after one that is not. `taxonomy` narrows
    the table to the terms that must differ.
    """
    return free_all(model, [slug], own_id, taxonomy)[0]


def free_all(model: Model, given: list[str], own_id: int = 0, taxonomy: str = "") -> list[str]:
    """The same for several new records, which differ from each other, too; in one statement."""
    if not given:
        return []
    limit = _NAMESAKES * len(given)
    rows = _NAMED.rows(
        model, taxonomy, len(given), limit,
        slugs=given, above=[f"{slug}-" for slug in given], below=[f"{slug}." for slug in given],
        own_id=own_id, among=taxonomy,
    )  # fmt: skip
    taken = {name for (name,) in rows}
    search = _Search(model, own_id, taxonomy, taken, complete=len(rows) < limit)
    found = []
    for slug in given:
        found.append(search.first_free(slug))
        taken.add(found[-1])
    return found


class _Search:
    """Looks for free numbers, with the slugs in `taken` known to be no more free."""

    def __init__(self, model: Model, own_id: int, taxonomy: str, taken: set[str], *, complete: bool) -> None:
        self.model = model
        self.own_id = own_id
        self.taxonomy = taxonomy
        self.taken = taken
        self.complete = complete

    def first_free(self, slug: str) -> str:
        if not self.complete:
            return _numbered(slug, self._by_halves(slug))
        number = 1
        while True:
            candidate = _numbered(slug, number)
            # One that was cut off is among the namesakes of another slug.
            cut = number > 1 and not candidate.startswith(f"{slug}-")
            if candidate not in self.taken and not (cut and self._taken(slug, [number])):
                return candidate
            number += 1

    def _by_halves(self, slug: str) -> int:
        """A free number after one that is taken, as if all below were; 1 if the plain slug is free."""
        numbers = [1]
        while numbers[-1] < _HIGHEST:
            numbers.append(numbers[-1] * 2)
        low, high = self._bounds(slug, [0, *numbers])
        while high - low > 1:
            step = max((high - low) // _PROBES, 1)
            low, high = self._bounds(slug, [low, *range(low + step, high, step), high])
        return high

    def _bounds(self, slug: str, numbers: list[int]) -> tuple[int, int]:
        """The first of these numbers that is free, and the one before it; the first one is not looked at."""
        taken = self._taken(slug, numbers[1:-1])
        at = next((at for at, number in enumerate(numbers[1:-1], 1) if number not in taken), len(numbers) - 1)
        return numbers[at - 1], numbers[at]

    def _taken(self, slug: str, numbers: list[int]) -> set[int]:
        candidates = {_numbered(slug, number): number for number in numbers}
        rows = _TAKEN.rows(
            self.model, self.taxonomy, slugs=list(candidates), own_id=self.own_id, among=self.taxonomy
        )
        known = {name for (name,) in rows} | self.taken
        return {number for candidate, number in candidates.items() if candidate in known}


def _numbered(slug: str, number: int) -> str:
    if number == 1:
        return slug
    suffix = f"-{number}"
    return slug[: LONGEST - len(suffix)].rstrip("-") + suffix


def _others(model: Any, taxonomy: str, own_id: Any, among: Any) -> Any:
    rows = model.select(model.slug).where(model.id != own_id)
    return rows.where(model.taxonomy == among) if taxonomy else rows


def _named(
    model: Any, taxonomy: str, count: int, limit: int,
    *, slugs: list[Any], above: list[Any], below: list[Any], own_id: Any, among: Any,
) -> Any:  # fmt: skip
    clause = model.slug.in_(slugs)
    for number in range(count):
        clause |= (model.slug > above[number]) & (model.slug < below[number])
    return _others(model, taxonomy, own_id, among).where(clause).limit(limit)


def _those(model: Any, taxonomy: str, *, slugs: list[Any], own_id: Any, among: Any) -> Any:
    return _others(model, taxonomy, own_id, among).where(model.slug.in_(slugs))


_NAMED = CompiledQuery(_named)
_TAKEN = CompiledQuery(_those)


def key(given: str) -> str:
    """A slug of a filter as it is looked up: any letter case, composed.

    No slug has a space at its end, and not every database tells a text from the same with one.
    """
    return unicodedata.normalize("NFC", given).lower().strip()
