"""Unicode normal forms in linear time (pure).

The library sorts the marks over a character in quadratic time: a text of nothing but marks takes it minutes.
"""

import itertools
import re
import unicodedata
from typing import Final

# Every mark lies above these; shorter runs are no trouble. The second are marks made of two.
_MANY: Final = re.compile("[^\x00-\u02ff]{100,}")
_MADE_OF_TWO: Final = re.compile("[\u0344\u0f73\u0f75\u0f81]")
_LOWEST_MARK: Final = "\u0300"
_PART: Final = 100


def composed(value: str) -> str:
    """NFC; marks on top of each other are put in order before the library has to."""
    if value.isascii():
        return value
    return unicodedata.normalize("NFC", _MANY.sub(_in_order, value))


def bare(value: str) -> str:
    """NFKD without marks: in parts, because in which order the marks would stand makes no difference."""
    if value.isascii():
        return value
    parts = [unicodedata.normalize("NFKD", value[at : at + _PART]) for at in range(0, len(value), _PART)]
    apart = "".join(parts)
    for one in set(apart):  # of which there are few, however long the text is
        if one >= _LOWEST_MARK and unicodedata.combining(one):
            apart = apart.replace(one, "")
    return apart


def _in_order(run: re.Match[str]) -> str:
    """The canonical order: a stable sort of the marks between two characters that are none."""
    apart = _MADE_OF_TWO.sub(lambda mark: unicodedata.normalize("NFD", mark[0]), run[0])
    ordered: list[str] = []
    for is_mark, group in itertools.groupby(apart, _is_mark):
        characters = list(group)
        ordered += sorted(characters, key=unicodedata.combining) if is_mark else characters
    return "".join(ordered)


def _is_mark(character: str) -> bool:
    return unicodedata.combining(character) > 0
