"""Conditions for full-text search in the folded texts of records."""

from collections.abc import Sequence

from peewee import OP, Expression, Field, ModelSelect, fn

from calendar_api import database
from calendar_api.database.models import SearchText
from calendar_api.store import query_hints

#: Start with the index if it finds at most one text in this many: for a page, and for a count.
FEW, COUNTABLE = 50, 10


def holding(record: Field, words: Sequence[str], field: str | None = None) -> Expression:
    """Records with all these folded words in one text, of this field if given.

    Uses the index if it finds few candidates, else tests record by record.
    """
    found = indexed(record, words, field, FEW)
    return each(record, words, field) if found is None else found


def indexed(record: Field, words: Sequence[str], field: str | None, one_in: int) -> Expression | None:
    """The same, found by the index; None if it would find more than one text in `one_in`."""
    candidates = database.texts_holding(words, one_in)
    if candidates is None:
        return None
    return query_hints.leading(record.in_(_texts(words, field).where(SearchText.id.in_(candidates))))


def each(record: Field, words: Sequence[str], field: str | None = None) -> Expression:
    """The same, tested on the text of each record: fast for a page where many records match."""
    # COUNT, because MariaDB would execute EXISTS by reading all texts before the first event.
    own = _texts(words, field).select(fn.COUNT(SearchText.id)).where(SearchText.record == record)
    return Expression(own, OP.GT, 0)


def scanned(record: Field, words: Sequence[str], field: str | None = None) -> Expression:
    """The same, found by reading all texts in the order in which they are stored."""
    return query_hints.leading(record.in_(_texts(words, field)))


def contains(column: Field, word: str) -> Expression:
    """Whether the column contains the word; without wildcards (docs/interface.md#search)."""
    return database.contains(column, word)


def _texts(words: Sequence[str], field: str | None) -> ModelSelect:
    texts = SearchText.select(SearchText.record)
    if words:
        texts = texts.where(query_hints.every(contains(SearchText.folded, word) for word in words))
    return texts if field is None else texts.where(SearchText.field == field)
