"""What a search looks through: the folded texts of records, and which of them hold some words."""

from collections.abc import Sequence
from typing import Any

from peewee import OP, Expression, fn

from calendar_api import database
from calendar_api.models import SearchText
from calendar_api.store import planning


def holding(record: Any, words: Sequence[str], field: str | None = None) -> Any:
    """Records that have all these folded words in one text, of this field if one is given.

    By the index where it has few candidates; otherwise each record's own text is looked at, in whatever order
    the list reads the records, which is soon done when many match.
    """
    texts = SearchText.select(SearchText.record)
    for word in words:
        texts = texts.where(contains(SearchText.folded, word))
    if field is not None:
        texts = texts.where(SearchText.field == field)
    candidates = database.texts_holding(words)
    if candidates is None:
        # Counted, because MariaDB would turn EXISTS into a reading of all texts before the first event.
        own = texts.select(fn.COUNT(SearchText.id)).where(SearchText.record == record)
        return Expression(own, OP.GT, 0)
    return planning.leading(record.in_(texts.where(SearchText.id.in_(candidates))))


def contains(column: Any, word: str) -> Any:
    """Plain containment; wildcards are characters like others (decisions §3.8)."""
    return fn.INSTR(column, word) > 0
