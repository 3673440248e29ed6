"""What a search query asks for: the words, phrases and exclusions in it."""

import re
import unicodedata
from dataclasses import dataclass

from calendar_api.domain import text

MAX_WORDS = 50
MAX_FOLDED = 800

_WORD = re.compile(r'(-?)"([^"]*)"?|(\S+)')


@dataclass(frozen=True)
class Word:
    """A folded word or phrase that a text has to hold, or must not hold when `excluded`."""

    text: str
    excluded: bool


def parse(query: str) -> tuple[Word, ...]:
    """The different words of a query in their order.

    Quotes that open a word hold a phrase together, up to the next quote or the end; a leading `-` excludes,
    but is a plain word when nothing follows it. Every other character stands for itself.
    """
    words = dict.fromkeys(_word(match) for match in _WORD.finditer(query))
    return tuple(word for word in words if word.text)


def require_few(query: str) -> None:
    """Raise ValueError for more different words, or a longer folded text, than a search may have.

    One ligature can stand for four words.
    """
    words = max(len(parse(query)), len(fragments(query)))
    if words > MAX_WORDS or len(text.folded(query)) > MAX_FOLDED:
        raise ValueError(
            "must have at most 50 different words, and 800 characters with ligatures spelled out"
        )


def fragments(query: str) -> tuple[str, ...]:
    """The different folded runs of letters, digits and hyphens of a query.

    The marks that some scripts write their vowels with belong to the letter before them.
    """
    separated = "".join(character if _in_fragment(character) else " " for character in text.folded(query))
    return tuple(dict.fromkeys(separated.split()))


def _word(match: re.Match[str]) -> Word:
    if match[3] is None:
        return Word(text.folded(match[2]), excluded=bool(match[1]))
    if match[3].startswith("-") and match[3] != "-":
        return Word(text.folded(match[3][1:]), excluded=True)
    return Word(text.folded(match[3]), excluded=False)


def _in_fragment(character: str) -> bool:
    return character == "-" or character.isalnum() or unicodedata.category(character).startswith("M")
