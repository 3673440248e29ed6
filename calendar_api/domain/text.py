"""Slugs, escaping, and the folded forms in which texts are searched and compared."""

import re
import unicodedata
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from calendar_api.domain.html import plain

SLUG_LENGTH: Final = 191
_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_PERCENT: Final = re.compile(r"(?:%[89a-fA-F][0-9a-fA-F])+")
_SIMPLE: Final = re.compile(r"[A-Za-z0-9_ .,:;!?'()/+-]*")
_DASHES: Final = re.compile("-{2,}")

_ESCAPES: Final = {"<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#039;"}
_TITLE_ESCAPES: Final = str.maketrans({"&": "&#038;", **_ESCAPES})
_TERM_ESCAPES: Final = str.maketrans({"&": "&amp;", **_ESCAPES})

# Letters that do not decompose into an ASCII letter and its marks; the last four are apostrophes and dots.
_LATIN: Final = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h",
    "ŋ": "n", "ŧ": "t", "ĸ": "k", "ə": "e", "ɨ": "i", "ʉ": "u", "ƒ": "f", "ȷ": "j", "×": "x",
    "ʼ": "", "ʻ": "", "ʹ": "", "·": "",
}  # fmt: skip


def escape(value: str) -> str:
    """Escape plain text for HTML, as titles are (`&#038;`)."""
    return value.translate(_TITLE_ESCAPES)


def escape_amp(value: str) -> str:
    """Escape plain text for HTML, as names of terms and URLs are (`&amp;`)."""
    return value.translate(_TERM_ESCAPES)


def slug(value: str) -> str:
    """Return the slug of a text (docs/interface.md#slugs), `""` if no character can be used.

    Latin letters become ASCII, other scripts and symbols stay, in lower case; percent-encoded characters
    beyond ASCII are decoded. At most SLUG_LENGTH characters.
    """
    if not _SIMPLE.fullmatch(value):  # of other texts `plain` could only change white space
        value = plain(_PERCENT.sub(_decoded, value))
    made, lower = "", value.lower()
    if lower.isascii():
        made = lower.translate(_ASCII)
    else:
        for character in unicodedata.normalize("NFC", _UNSEEN.sub("", lower)):
            made += _slug_character(character, after_ascii=made[-1:].isascii())
    joined = _DASHES.sub("-", unicodedata.normalize("NFC", made)).strip("-")
    return joined[:SLUG_LENGTH].strip("-")


def folded(value: str) -> str:
    """Fold a text or query for search: no case, no marks, single spaces (docs/interface.md#search)."""
    value = _without_marks(value.casefold())
    folded_again = value.casefold()  # some signs, such as ₨, decompose into capital letters
    return " ".join((value if folded_again == value else _without_marks(folded_again)).split())


def casefold(value: str) -> str:
    """Fold a name for comparison: without case, but with accents."""
    for _ in range(2):
        value = unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold())
    return value


def _without_marks(value: str) -> str:
    if value.isascii():
        return value
    decomposed = unicodedata.normalize("NFKD", value)
    marks = "".join(character for character in set(decomposed) if unicodedata.combining(character))
    return re.sub(f"[{marks}]+", "", decomposed) if marks else decomposed


def _decoded(octets: re.Match[str]) -> str:
    try:
        return unquote(octets[0], errors="strict")
    except UnicodeDecodeError:
        return octets[0]


@lru_cache(maxsize=4096)
def _slug_character(character: str, *, after_ascii: bool) -> str:
    """Return the characters of a slug for one lower-case character; marks after ASCII are dropped."""
    category = unicodedata.category(character)
    if category.startswith("M"):
        return "" if after_ascii else character
    if character in "./" or category == "Pd" or category.startswith("Z"):
        return "-"
    if character.isascii():
        return character if character.isalnum() or character == "_" else ""
    decomposed = (
        part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part)
    )
    latin = "".join(_LATIN.get(part, part) for part in decomposed).lower().strip()
    if latin.isascii() and (latin.isalnum() or not latin):
        return latin
    return "" if category.startswith("P") or category in {"Cc", "Cf", "Co", "Cs"} else character


_ASCII: Final = {code: _slug_character(chr(code), after_ascii=True) for code in range(128)}
