"""Conditions for full-text search in the folded texts of records."""

from collections.abc import Sequence
from typing import NamedTuple

from peewee import OP, SQL, Expression, Field, ModelSelect, NodeList, fn

from calendar_api import database
from calendar_api.database.models import SearchText
from calendar_api.store import query_hints
from calendar_api.store.compiled_queries import CompiledQuery, Param

#: Use the index if it finds at most one text in this many: where other filters leave few records, and else.
FEW, COUNTABLE = 50, 5


class Words(NamedTuple):
    """Folded words as values of a statement; `globs` says for each whether it is a pattern for GLOB."""

    globs: tuple[bool, ...]
    values: list[str]


NO_WORDS = Words((), [])


def words(texts: Sequence[str]) -> Words:
    patterns = [database.bound().glob_pattern(text) for text in texts]
    values = [pattern or text for pattern, text in zip(patterns, texts, strict=True)]
    return Words(tuple(pattern is not None for pattern in patterns), values)


def holders(texts: Sequence[str], one_in: int, field: str | None = None) -> str | None:
    """Return a JSON list of the ids of all records that have a text with all these folded words.

    None if the index does not help, see `texts_holding` of the database. With `field`, only its texts count.
    """
    candidates = database.bound().texts_holding(texts, one_in)
    if candidates is None:
        return None
    globs, values = words(texts)
    return str(_holders.rows(globs, field, words=values, candidates=candidates)[0][0])


@CompiledQuery
def _holders(
    globs: Sequence[bool], field: str | None, *, words: list[Param], candidates: Param
) -> ModelSelect:
    found = texts(globs, words, field).where(among(SearchText.id, candidates))
    return found.select(fn.JSON_GROUP_ARRAY(SearchText.record))


def among(id: Field, ids: Param) -> Expression:
    """Whether an id is in a JSON list, on SQLite."""
    return id.in_(NodeList((SQL("(SELECT value FROM json_each("), ids, SQL("))"))))


def each(record: Field, texts: ModelSelect) -> Expression:
    """Records with one of `texts`, tested on the texts of each: fast for a page where many records match."""
    # COUNT, because MariaDB would execute EXISTS by reading all texts before the first event.
    own = texts.select(fn.COUNT(SearchText.id)).where(SearchText.record == record)
    return Expression(own, OP.GT, 0)


def scanned(record: Field, texts: ModelSelect) -> Expression:
    """The same, found by reading all texts in the order in which they are stored."""
    return query_hints.leading(record.in_(texts))


def texts(globs: Sequence[bool], values: Sequence[Param], field: str | None = None) -> ModelSelect:
    """The records of texts with all these `Words`, of this field if given."""
    found = SearchText.select(SearchText.record)
    if values:
        contained = (
            database.bound().contains(SearchText.folded, value, glob=glob)
            for glob, value in zip(globs, values, strict=True)
        )
        found = found.where(query_hints.every(contained))
    return found if field is None else found.where(SearchText.field == field)
