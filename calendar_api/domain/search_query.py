"""Parse a search query into words, phrases and exclusions (docs/interface.md#search)."""

import re
import unicodedata
from dataclasses import dataclass

from calendar_api.domain import text

MAX_WORDS = 50
MAX_FOLDED = 800

_WORD = re.compile(r'(-?)"([^"]*)"?|(-(?=\S))?(\S+)')


@dataclass(frozen=True)
class Word:
    """A folded word or phrase that a text must contain, or must not contain if `excluded`."""

    text: str
    excluded: bool


def parse(query: str) -> tuple[Word, ...]:
    """Return the distinct words of a query in their order.

    A quote at the start of a word begins a phrase, up to the next quote or the end; a leading `-` excludes,
    but is a word if nothing follows it.
    """
    words = dict.fromkeys(
        Word(text.folded(phrase or word), excluded=bool(not_phrase or not_word))
        for not_phrase, phrase, not_word, word in _WORD.findall(query)
    )
    return tuple(word for word in words if word.text)


def require_few(query: str) -> None:
    """Raise ValueError for too many words, or a folded text that is too long."""
    words = max(len(parse(query)), len(fragments(query)))
    if words > MAX_WORDS or len(text.folded(query)) > MAX_FOLDED:
        raise ValueError(
            "must have at most 50 different words, and 800 characters with ligatures spelled out"
        )


def fragments(query: str) -> tuple[str, ...]:
    """Return the distinct folded runs of letters, digits, combining marks and hyphens of a query."""
    separated = "".join(
        one if one == "-" or one.isalnum() or unicodedata.category(one).startswith("M") else " "
        for one in text.folded(query)
    )
    return tuple(dict.fromkeys(separated.split()))
