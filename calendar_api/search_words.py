"""What a search query asks for: the words, phrases and exclusions in it."""

import re
import unicodedata
from dataclasses import dataclass

from calendar_api import text

_WORD = re.compile(r'(-?)"([^"]*)"?|(\S+)')


@dataclass(frozen=True)
class Word:
    """A folded word or phrase that a text has to hold, or must not hold when `excluded`."""

    text: str
    excluded: bool


def parse(query: str) -> tuple[Word, ...]:
    """The words of a query in their order (decisions §3.8).

    Quotes that open a word hold a phrase together, up to the next quote or the end; a leading `-` excludes,
    but is a plain word when nothing follows it. Every other character stands for itself.
    """
    words = (_word(match) for match in _WORD.finditer(query))
    return tuple(word for word in words if word.text)


def fragments(query: str) -> tuple[str, ...]:
    """The folded runs of letters, digits and hyphens of a query (contract §3.5).

    The marks that some scripts write their vowels with belong to the letter before them.
    """
    return tuple(
        "".join(character if _in_fragment(character) else " " for character in text.folded(query)).split()
    )


def _word(match: re.Match[str]) -> Word:
    if match[3] is None:
        return Word(text.folded(match[2]), excluded=bool(match[1]))
    if match[3].startswith("-") and match[3] != "-":
        return Word(text.folded(match[3][1:]), excluded=True)
    return Word(text.folded(match[3]), excluded=False)


def _in_fragment(character: str) -> bool:
    return character == "-" or character.isalnum() or unicodedata.category(character).startswith("M")
