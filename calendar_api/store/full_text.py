"""What a search looks through: the folded texts of records, and which of them hold some words."""

from collections.abc import Sequence
from typing import Any

from peewee import OP, Expression, fn

from calendar_api import database
from calendar_api.database.models import SearchText
from calendar_api.store import query_hints

#: One text in so many is little enough to begin with, for a page and for a count.
FEW, COUNTABLE = 50, 10


def holding(record: Any, words: Sequence[str], field: str | None = None) -> Any:
    """Records that have all these folded words in one text, of this field if one is given.

    By the index where it has few candidates, or else record by record.
    """
    found = indexed(record, words, field, FEW)
    return each(record, words, field) if found is None else found


def indexed(record: Any, words: Sequence[str], field: str | None, one_in: int) -> Any:
    """The same records, first found by the index; None where it would name more than one text in so many."""
    candidates = database.texts_holding(words, one_in)
    if candidates is None:
        return None
    return query_hints.leading(record.in_(_texts(words, field).where(SearchText.id.in_(candidates))))


def each(record: Any, words: Sequence[str], field: str | None = None) -> Any:
    """The same records, by the own text of each, in whatever order the list reads them.

    That is soon done when a page of many is asked for.
    """
    # Counted, because MariaDB would turn EXISTS into a reading of all texts before the first event.
    own = _texts(words, field).select(fn.COUNT(SearchText.id)).where(SearchText.record == record)
    return Expression(own, OP.GT, 0)


def scanned(record: Any, words: Sequence[str], field: str | None = None) -> Any:
    """The same records, after all texts were read in the order in which they are stored."""
    return query_hints.leading(record.in_(_texts(words, field)))


def contains(column: Any, word: str) -> Any:
    """Plain containment; wildcards are characters like others (docs/interface.md#search)."""
    return database.contains(column, word)


def _texts(words: Sequence[str], field: str | None) -> Any:
    texts = SearchText.select(SearchText.record)
    if words:
        texts = texts.where(query_hints.every(contains(SearchText.folded, word) for word in words))
    return texts if field is None else texts.where(SearchText.field == field)
