"""Text: plain as it is stored, as a slug, as HTML, and folded for search and comparison."""

import re
import unicodedata
from functools import lru_cache
from html import unescape
from html.entities import html5
from typing import Final
from urllib.parse import unquote

from calendar_api.domain.errors import InvalidParameters
from calendar_api.domain.translation import message

# fmt: off
INLINE_TAGS: Final = frozenset((
    "a", "abbr", "b", "br", "cite", "code", "del", "em", "i", "img", "ins", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup", "time", "u",
))
BLOCK_TAGS: Final = frozenset((
    "blockquote", "caption", "dd", "div", "dl", "dt", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5",
    "h6", "hr", "li", "ol", "p", "pre", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
))
#: Every current and obsolete HTML element, and the elements that start foreign content.
HTML_TAGS: Final = INLINE_TAGS | BLOCK_TAGS | frozenset((
    "acronym", "address", "applet", "area", "article", "aside", "audio", "base", "basefont", "bdi", "bdo",
    "bgsound", "big", "blink", "body", "button", "canvas", "center", "circle", "col", "colgroup", "datalist",
    "details", "dfn", "dialog", "dir", "embed", "fieldset", "font", "footer", "foreignobject", "form",
    "frame", "frameset", "g", "head", "header", "hgroup", "html", "iframe", "input", "kbd", "label",
    "legend", "link", "main", "map", "marquee", "math", "menu", "meta", "meter", "nav", "nobr", "noembed",
    "noframes", "noscript", "object", "optgroup", "option", "output", "param", "path", "picture",
    "plaintext", "progress", "rp", "rt", "ruby", "samp", "script", "search", "section", "select", "slot",
    "source", "strike", "style", "summary", "svg", "template", "textarea", "title", "track", "tt", "var",
    "video", "wbr", "xmp",
))
# fmt: on

#: No language has more combining marks in a row (UAX #15, Stream-Safe Text Format).
MAX_MARKS: Final = 30
_PASSES: Final = 8  # usual input is stable after two or three

CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
#: Halves of surrogate pairs, which cannot be encoded.
SURROGATES: Final = re.compile("[\ud800-\udfff]")
_REORDERING: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")

# Combining marks have the categories Mn, Mc and Me, no code point below 0300, and are no letters or digits.
_PERHAPS_MARK: Final = re.compile(r"[^\w\x00-\u02ff]|[\uff9e\uff9f]")  # in NFKD the last two are marks
_LONG_RUN: Final = re.compile(rf"[^\w\x00-\u02ff]{{{MAX_MARKS + 1},}}")
_MARKS: Final = re.compile(rf"(?:M[nce]){{{MAX_MARKS + 1}}}")

# Stops at the next "<", so that a text of many "<" takes linear time.
TAG: Final = re.compile(r"""<(?:/?([a-zA-Z][a-zA-Z0-9]*)|[!?])(?:[^"'<>]++|"[^"<]*+"|'[^'<]*+'|["'])*+>""")
_BREAK: Final = re.compile(r"<br ?/?>(\n?)")
_AFTER_NAME: Final = re.compile(r"\s|/?>")
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_UNREAD: Final = (
    (re.compile("<!--"), re.compile("-->")),
    (re.compile(r"<script(?=[\s/>])", re.IGNORECASE), re.compile(r"</script\b[^<>]*>", re.IGNORECASE)),
    (re.compile(r"<style(?=[\s/>])", re.IGNORECASE), re.compile(r"</style\b[^<>]*>", re.IGNORECASE)),
)

SLUG_LENGTH: Final = 191
_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_PERCENT: Final = re.compile(r"(?:%[89a-fA-F][0-9a-fA-F])+")
_TAG_START: Final = re.compile(r"<(?=[a-zA-Z/!?])")
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


def has_many_marks(value: str) -> bool:
    """Return whether more than MAX_MARKS combining marks follow each other: normalising them is slow."""
    if not _PERHAPS_MARK.search(value[MAX_MARKS :: MAX_MARKS + 1]):
        return False  # so many in a row would include one of these characters
    value = value.replace("\uff9e", "\u3099").replace("\uff9f", "\u309a")
    return any(
        _MARKS.search("".join(map(unicodedata.category, value[start : start + 1000 + MAX_MARKS])))
        for run in _LONG_RUN.finditer(value)
        for start in range(*run.span(), 1000)  # the first of many may do: each overlaps with the next
    )


@lru_cache(maxsize=256)  # a name is cleaned to be checked, looked up and stored; an import repeats names
def plain(value: str) -> str:
    """Return a title or name as it is stored: no markup, entities or control characters, one line, NFC.

    Markup that appears by decoding is removed as well: `plain(plain(x))` and `plain(escape(plain(x)))` are
    `plain(x)`. Raises InvalidParameters for too many combining marks in a row.
    """
    for _ in range(_PASSES):
        stripped = visible(value)
        if stripped == value:
            return value
        value = stripped
    return _one_line(value.replace("<", "").replace("&", ""))


def is_visible(value: str) -> bool:
    """Return whether a text shows anything beside white space and characters without a glyph."""
    characters = _UNSEEN.sub("", plain(value))
    return any(unicodedata.category(character) not in ("Cf", "Zs") for character in characters)


def visible(value: str) -> str:
    """Return the visible text of an HTML fragment, on one line; blocks are separated by a space."""
    if "<" not in value and "&" not in value:
        return _one_line(value)
    for start, stop in _UNREAD:
        value = _without(value, start, stop)
    return _one_line(_ENTITY.sub(_character, TAG.sub(_boundary, value)))


def without_entities(value: str) -> str:
    """Decode entities until none is left."""
    while (decoded := _ENTITY.sub(_character, value)) != value:
        value = decoded
    return value


def escape(value: str) -> str:
    """Escape plain text for HTML, as titles are (`&#038;`)."""
    return value.translate(_TITLE_ESCAPES)


def escape_amp(value: str) -> str:
    """Escape plain text for HTML, as names of terms and URLs are (`&amp;`)."""
    return value.translate(_TERM_ESCAPES)


def inert(value: str) -> str:
    """Escape what a browser, but not our sanitiser, takes for a tag; updates store the original."""
    return _TAG_START.sub("&lt;", value) if "<" in value else value


def from_inert(value: str) -> str:
    """Undo `inert`. `<` is the only character that is escaped: `&copy=1` in an address is no entity."""
    return value.replace("&lt;", "<")


def paragraphs(value: str) -> str:
    """Return stored HTML for output: text without block tags becomes paragraphs and lines.

    Text with a block tag stays unchanged, except that line breaks become `<br />`. Writing the result back
    gives the same output.
    """
    value = value.strip()
    if value.startswith("<p>") or any(tag[1] and tag[1].lower() in BLOCK_TAGS for tag in TAG.finditer(value)):
        return _BREAK.sub(r"<br />\1", value) if "<br" in value else value
    value = _BREAK.sub("\n", value).strip()
    return f"<p>{''.join(_with_breaks(value))}</p>" if value else ""


@lru_cache(maxsize=128)  # an import looks up the slugs of a batch, and then uses them
def slug(value: str) -> str:
    """Return the slug of a text (docs/interface.md#slugs), `""` if no character can be used.

    Latin letters become ASCII, other scripts and symbols stay, in lower case; percent-encoded characters
    beyond ASCII are decoded. At most SLUG_LENGTH characters.
    """
    made, lower = "", plain(_PERCENT.sub(_decoded, value)).lower()
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


def folded_markup(value: str) -> str:
    """Return the visible text of HTML, folded."""
    return folded(visible(value))


def casefold(value: str) -> str:
    """Fold a name for comparison: without case, but with accents."""
    for _ in range(2):
        value = unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold())
    return value


def _one_line(value: str) -> str:
    if not value.isprintable():
        value = _REORDERING.sub("", CONTROLS.sub("", value))
    return " ".join(normalized(value).split())


def normalized(value: str) -> str:
    """Return NFC; raises InvalidParameters for too many combining marks in a row, before or after."""
    if value.isascii():
        return value
    if not has_many_marks(value):
        composed = unicodedata.normalize("NFC", value)
        if composed == value or not has_many_marks(composed):
            return composed
    text = message("Send at most {limit} combining marks in a row.", limit=MAX_MARKS)
    raise InvalidParameters({}, text=text)


def _without(value: str, start: re.Pattern[str], stop: re.Pattern[str]) -> str:
    """Remove everything from each start to the next stop; a start without a stop stays."""
    parts: list[str] = []
    position = 0
    while (opening := start.search(value, position)) and (closing := stop.search(value, opening.end())):
        parts.append(value[position : opening.start()])
        position = closing.end()
    return "".join((*parts, value[position:]))


def _boundary(tag: re.Match[str]) -> str:
    """Replace an HTML tag by nothing, or a space for a block; `<webdev>` may be part of a title."""
    name = (tag[1] or "").lower()
    if name and (name not in HTML_TAGS or not _AFTER_NAME.match(tag[0], tag.end(1) - tag.start())):
        return tag[0]
    return " " if name in BLOCK_TAGS or name == "br" else ""


def _character(entity: re.Match[str]) -> str:
    return unescape(entity[0]) if entity[0][1] == "#" else html5.get(entity[0][1:], entity[0])


def _without_marks(value: str) -> str:
    if value.isascii():
        return value
    value = unicodedata.normalize("NFKD", value)
    for mark in filter(unicodedata.combining, set(value)):
        value = value.replace(mark, "")
    return value


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


def _with_breaks(value: str) -> list[str]:
    """Turn line ends of inline HTML into breaks, and blank lines outside elements into paragraphs."""
    pieces: list[str] = []
    depth = position = 0
    for tag in TAG.finditer(value):
        pieces += [_breaks(value[position : tag.start()], depth), tag[0]]
        position = tag.end()
        if tag[1] != "img":
            depth += -1 if tag[0].startswith("</") else 1
    return [*pieces, _breaks(value[position:], depth)]


def _breaks(text: str, depth: int) -> str:
    blank_line = "<br />\n<br />\n" if depth else "</p>\n<p>"

    def spaced(run: re.Match[str]) -> str:
        lines = run[0].count("\n")
        return blank_line if lines > 1 else "<br />\n" if lines else run[0]

    return re.sub(r"\s+", spaced, text)
