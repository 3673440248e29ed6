"""Texts on which databases are known to disagree, and where they come together: a pool and its variations."""

import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import strategies as st

# Few enough that titles, slugs, tags and searches meet each other again and again.
COMMON = (
    "jazz", "Jazz", "JAZZ", "Jazz Night", "jazz-night", "Café", "CAFE", "cafe\u0301", "straße", "STRASSE",
    "Straẞe", "Müller", "Mueller", "MÜLLER", "Ιστανμπούλ", "İstanbul", "ıstanbul",
    "ISTANBUL", "istanbul",
    "ſoft", "soft", "100%", "100_", "100", "a_b", "a%b", "a\\b", "ab", "🎷", "🎸", "🎷 jazz", "日本",
    "にほん", "Ελλάδα", "ΕΛΛΑΔΑ", "Москва", "МОСКВА", "Ёлка", "Елка", "שלום", "مرحبا",
    "प्रकाश", "किताब", "ไทย",
)  # fmt: skip

RARE = (
    "Æther", "aether", "œuvre", "oeuvre", "Łódź", "Lodz", "lodz", "ﬁnale", "finale", "Ǆungla", "ǆungla",
    "Å", "Å", "A\u030a", "aa", "Århus", "Aarhus", "ñ", "n\u0303", "ll", "ch", "Z\u0335", "ø", "o", "ö", "Ö",
    "ς", "σ", "Σ", "ΣΊΣΥΦΟΣ", "σίσυφος", "ή", "η", "һ", "h", "а", "a", "ｊａｚｚ", "①", "1", "½", "1⁄2", "Ⅷ",
    "한국", "\u1112\u1161\u11ab국", "がぎ", "か\u3099き\u3099", "カ", "か", "ｶ", "東京", "东京", "ก\u0e33",
    "ي", "ی", "ك", "ک", "شَمْس", "شمس", "שָׁלוֹם", "ಕನ್ನಡ", "தமிழ்", "ქართული", "ᲥᲐᲠᲗᲣᲚᲘ", "Հայերեն", "ꭰ", "Ꭰ",
    "𐐀", "𐐨", "𝐣𝐚𝐳𝐳", "👩‍👩‍👧", "👩", "🇩🇪", "❤️", "❤", "‑", "-", "–", "--", "a--b", "'", '"', "`", "''", '""',
    "O'Neil", "O’Neil", 'say "hi"', "%", "_", "\\", "\\\\", "\\%", "\\_", "*", "?", "[a]", "a.b", "a,b", ",",
    "a;b", "null", "NULL", "0", "00", "1e3", "0x10", "true", "jazz ", " jazz", "jazz\u00a0", "\u3000jazz",
    "jazz\tnight", "jazz\nnight", "jazz  night", "ja\u00adzz", "ja\u200bzz", "ja\u200dzz", "\ufeffjazz",
    "\u202ejazz", "jazz\u0301\u0302\u0303", "\u0301", "<b>jazz</b>", "jazz & blues", "jazz &amp; blues",
    "&lt;",
    "<script>x</script>", "!!!", "...", "...---", "50 € – 60 €", "c++", "c#", "@", "#jazz", "/", "a/b", "%25",
    "%C3%A9", "é", "%", "+", "a+b", "Jazz Night 2", "jazz-2", "jazz-night-2", "2031", "jazz__trashed",
)  # fmt: skip

HOSTILE = (
    "\x00", "ja\x00zz", "\x01\x1f", "\x7f\x85", "\ud800", "ja\udfffzz", "\ud83c\udfb7", "\ufffe", "\uffff",
    "ja\udcfezz", "\udcff\udcf8", "\U0010ffff", "\r\n", "", " ", "\t", "\u2028", "\ufdfa" * 30,
)  # fmt: skip

WORDS = COMMON + RARE


def repeated(text: str, times: int) -> dict[str, Any]:
    """A long text that is short to print."""
    return {"$": "repeated", "text": text, "times": times}


#: Ways to write a text that a reader might take for the same one, or for a pattern that it fits.
VARIATIONS: dict[str, Callable[[str], str]] = {
    "same": str,
    "upper": str.upper,
    "lower": str.lower,
    "casefold": str.casefold,
    "title": str.title,
    "swapcase": str.swapcase,
    **{form: partial(unicodedata.normalize, form) for form in ("NFC", "NFD", "NFKC", "NFKD")},
    "space after": lambda word: word + " ",
    "space before": lambda word: " " + word,
    "without first": lambda word: word[1:],
    "without last": lambda word: word[:-1],
    "half": lambda word: word[: len(word) // 2 + 1],
    "twice": lambda word: word * 2,
    "percent": lambda word: f"%{word}%",
    "underscore": lambda word: f"_{word[1:]}",
    "backslash": lambda word: f"{word}\\",
    "quoted": lambda word: f'"{word}"',
    "excluded": lambda word: f"-{word}",
    "star": lambda word: f"{word}*",
}


_LONG = st.builds(
    repeated,
    st.sampled_from(["a", "é", "ß", "🎷", "ab ", "日", "İ", "\ufb2c"]),
    st.sampled_from([48, 60, 64, 95, 96, 100, 127, 128, 190, 191, 192, 200, 201, 254, 255, 256, 257]),
)
_HUGE = st.builds(
    repeated,
    st.sampled_from(["a", "é", "🎷", "ab "]),
    st.sampled_from([1000, 4000, 8192, 16384, 65536, 70000]),
)

common = st.sampled_from(COMMON)
words = st.sampled_from(COMMON * 3 + WORDS)
varied = st.builds(lambda word, how: VARIATIONS[how](word) or word, words, st.sampled_from(list(VARIATIONS)))
phrases = st.lists(words, min_size=2, max_size=3).map(" ".join)
#: Any characters at all that make a text, mostly a few.
free = st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), min_size=1, max_size=8)
hostile = st.sampled_from(HOSTILE)
long = _LONG
huge = _HUGE

#: Names, mostly from the pool.
names = st.one_of(common, common, words, words, words, phrases, varied, free)
#: What may be too long, or not be a text that can be stored.
odd = st.one_of(long, long, hostile, free, varied)
#: Search texts.
queries = st.one_of(common, words, words, varied, varied, phrases, free)
