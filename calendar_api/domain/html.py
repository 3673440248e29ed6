"""Sanitise HTML, reduce it to plain text, and turn text into paragraphs."""

import html
import re
import threading
import unicodedata
from functools import cache
from html.entities import html5
from importlib import import_module
from typing import Any, Final

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
#: The formatting elements of the HTML standard, without `a`. Their attributes are removed.
FORMATTING_TAGS: Final = frozenset((
    "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
))
ATTRIBUTES: Final[dict[str, set[str]]] = {
    "*": set(), "a": {"href", "title"}, "abbr": {"title"}, "blockquote": {"cite"}, "del": {"cite"},
    "img": {"src", "alt", "width", "height", "title"}, "ins": {"cite"}, "q": {"cite"},
    "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}, "time": {"datetime"},
}
# fmt: on
URL_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
UNREAD_TAGS: Final = frozenset({"script", "style"})

#: Limits of sanitised HTML: characters, tags, and growth over the input.
MAX_HTML: Final = 65_536
MAX_TAGS: Final = 2000
GROWTH: Final = 4
_SHORT: Final = 1024  # up to this length it may grow more: `&` becomes `&amp;`, five times as long
TOO_MUCH_HTML: Final = (
    "is too long as valid HTML: close every tag where it was opened, use fewer tags, or shorten the text"
)
#: No language has more combining marks in a row (UAX #15, Stream-Safe Text Format).
MAX_MARKS: Final = 30
_PASSES: Final = 8  # usual input is stable after two or three

_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_REORDERING: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")

# Combining marks have the categories Mn, Mc and Me, and no code point below 0300.
_LONG_RUN: Final = re.compile(rf"[^\x00-\u02ff]{{{MAX_MARKS + 1},}}")
_MARKS: Final = re.compile(rf"(?:M[nce]){{{MAX_MARKS + 1}}}")

# HTML parsers reopen unclosed formatting elements in every later paragraph, at most three of each name with
# the same attributes, but any number with different ones.
_FORMATTING: Final = re.compile(
    rf"""<({"|".join(FORMATTING_TAGS)})[\s/](?:(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+(>))?""", re.IGNORECASE
)
_LINK: Final = re.compile(r"<a[\s/>]", re.IGNORECASE)
_LINK_COPIES: Final = 100
_SHORT_LINKS: Final = 8192  # below this length the number of copies is not limited

# Stops at the next "<", so that a text of many "<" takes linear time.
_TAG: Final = re.compile(r"""<(?:/?([a-zA-Z][a-zA-Z0-9]*)|[!?])(?:[^"'<>]++|"[^"<]*+"|'[^'<]*+'|["'])*+>""")
_AFTER_NAME: Final = re.compile(r"\s|/?>")
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_UNREAD: Final = (
    (re.compile("<!--"), re.compile("-->")),
    (re.compile(r"<script(?=[\s/>])", re.IGNORECASE), re.compile(r"</script\b[^<>]*>", re.IGNORECASE)),
    (re.compile(r"<style(?=[\s/>])", re.IGNORECASE), re.compile(r"</style\b[^<>]*>", re.IGNORECASE)),
)
_STROKE: Final = "\u0338"  # combining long solidus overlay: with ">" it composes to U+226F
_JOINER: Final = "\u034f"  # combining grapheme joiner: prevents composition
_BREAK: Final = re.compile(r"<br ?/?>(\n?)")
# A parser drops one line end after <pre>, so each round trip would lose another.
_PRE_START: Final = re.compile(r"(<pre(?:\s[^<>]*+)?>)\n+", re.IGNORECASE)
_START: Final = re.compile(r"\A[\s\ufeff]+")  # a parser removes one byte order mark

#: `length`: characters in all attributes of the text that this thread is sanitising.
_attributes = threading.local()


def _attribute(_tag: str, name: str, value: str) -> str | None:
    """Drop a `cite` that is not a web address, which nh3 does not check, and what exceeds MAX_HTML."""
    if name == "cite" and not value.lower().startswith(("http://", "https://")):
        return None
    _attributes.length += len(value)
    return None if _attributes.length > MAX_HTML else value


@cache
def _cleaner(*, attributes: bool = True) -> Any:
    """Import nh3 for the first text that is sanitised: reads do not need it."""
    return import_module("nh3").Cleaner(
        tags=set(INLINE_TAGS | BLOCK_TAGS),
        clean_content_tags=set(UNREAD_TAGS),
        attributes=ATTRIBUTES if attributes else {},
        attribute_filter=_attribute,
        strip_comments=True,
        link_rel="noopener nofollow" if attributes else None,
        url_schemes=set(URL_SCHEMES),
    )


def has_many_marks(value: str) -> bool:
    """Return whether more than MAX_MARKS combining marks follow each other: normalising them is slow."""
    value = value.replace("\uff9e", "\u3099").replace("\uff9f", "\u309a")  # in NFKD they are marks
    return any(_MARKS.search("".join(map(unicodedata.category, run[0]))) for run in _LONG_RUN.finditer(value))


def has_lone_surrogate(value: str) -> bool:
    """Return whether the text contains half of a surrogate pair, which cannot be encoded."""
    return _SURROGATES.search(value) is not None


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


def visible(value: str) -> str:
    """Return the visible text of an HTML fragment, on one line; blocks are separated by a space."""
    if "<" not in value and "&" not in value:
        return _one_line(value)
    for start, stop in _UNREAD:
        value = _without(value, start, stop)
    return _one_line(_ENTITY.sub(_character, _TAG.sub(_boundary, value)))


def without_entities(value: str) -> str:
    """Decode entities until none is left."""
    while (decoded := _ENTITY.sub(_character, value)) != value:
        value = decoded
    return value


def sanitize(value: str, passes: int = _PASSES) -> str:
    """Return a description as it is stored: only allowed tags and attributes, NFC.

    Sanitising the result again changes nothing. Markup that still changes after all passes is reduced to its
    text. Raises ValueError above the limits, InvalidParameters for too many combining marks in a row.
    """
    most = min(MAX_HTML, max(GROWTH * len(value), _SHORT))
    if value.count("<") > MAX_TAGS:
        raise ValueError(TOO_MUCH_HTML)
    value = _FORMATTING.sub(_without_attributes, _lines(value))
    if _copies_links(value):
        raise ValueError(TOO_MUCH_HTML)
    for _ in range(passes):
        _attributes.length = 0
        cleaned = _cleaner().clean(value)
        if _attributes.length > most or len(cleaned) > most or cleaned.count("<") > MAX_TAGS:
            raise ValueError(TOO_MUCH_HTML)
        if cleaned == value:
            return value
        value = _lines(cleaned)
    return _lines(html.escape(visible(value), quote=False))


def _copies_links(value: str) -> bool:
    """Return whether parsing would repeat an unclosed link in many paragraphs, which is slow."""
    links = len(_LINK.findall(value))
    if not links or len(value) <= _SHORT_LINKS:
        return False
    found: int = _cleaner(attributes=False).clean(value).count("<a>")
    return found > links + _LINK_COPIES


def _without_attributes(tag: re.Match[str]) -> str:
    """Replace a start tag that does not end before the next tag by text."""
    return f"<{tag[1]}>" if tag[2] else f"&lt;{tag[0][1:]}"


def paragraphs(value: str) -> str:
    """Return stored HTML for output: text without block tags becomes paragraphs and lines.

    Text with a block tag stays unchanged, except that line breaks become `<br />`. Writing the result back
    gives the same output.
    """
    value = value.strip()
    if value.startswith("<p>") or any(
        tag[1] and tag[1].lower() in BLOCK_TAGS for tag in _TAG.finditer(value)
    ):
        return _BREAK.sub(r"<br />\1", value) if "<br" in value else value
    value = _BREAK.sub("\n", value).strip()
    if not value:
        return ""
    return f"<p>{''.join(_with_breaks(value))}</p>"


def _one_line(value: str) -> str:
    if not value.isprintable():
        value = _REORDERING.sub("", _CONTROLS.sub("", value))
    return " ".join(_normalized(value).split())


def _lines(value: str) -> str:
    value = value.replace("\r\n", "\n").replace("\r", "\n")
    return _PRE_START.sub(r"\1", _normalized_html(_START.sub("", _CONTROLS.sub("", value)).rstrip()))


def _normalized(value: str) -> str:
    """Return NFC; raises InvalidParameters for too many combining marks in a row, before or after."""
    if value.isascii():
        return value
    if not has_many_marks(value):
        normalized = unicodedata.normalize("NFC", value)
        if normalized == value or not has_many_marks(normalized):
            return normalized
    text = message("Send at most {limit} combining marks in a row.", limit=MAX_MARKS)
    raise InvalidParameters({}, text=text)


def _normalized_html(value: str) -> str:
    """Return HTML in NFC, without composing a stroke with the `>` of a tag, which would reopen the tag.

    A stroke at the start, after a tag or after white space is removed.
    """
    normalized = _normalized(value)
    if _STROKE not in value:
        return normalized
    apart = unicodedata.normalize("NFC", re.sub(r"\A|[>\s]", rf"\g<0>{_JOINER}", value))
    return re.sub(rf"(\A|[>\s]){_JOINER}{_STROKE}*", r"\1", apart).strip()


def _without(value: str, start: re.Pattern[str], stop: re.Pattern[str]) -> str:
    """Remove everything from each start to the next stop; a start without a stop stays."""
    parts: list[str] = []
    position = 0
    while (opening := start.search(value, position)) and (closing := stop.search(value, opening.end())):
        parts.append(value[position : opening.start()])
        position = closing.end()
    return "".join((*parts, value[position:]))


def _boundary(tag: re.Match[str]) -> str:
    """Replace a tag in visible text: a space for a block, nothing for others.

    Only HTML elements are markup: `<webdev>` may be part of a title.
    """
    name = (tag[1] or "").lower()
    if name and (name not in HTML_TAGS or not _AFTER_NAME.match(tag[0], tag.end(1) - tag.start())):
        return tag[0]
    return " " if name in BLOCK_TAGS or name == "br" else ""


def _character(entity: re.Match[str]) -> str:
    return html.unescape(entity[0]) if entity[0][1] == "#" else html5.get(entity[0][1:], entity[0])


def _with_breaks(value: str) -> list[str]:
    """Turn line ends of inline HTML into breaks, and blank lines outside elements into paragraphs."""
    pieces: list[str] = []
    depth = position = 0
    for tag in _TAG.finditer(value):
        pieces.append(_breaks(value[position : tag.start()], depth))
        pieces.append(tag[0])
        position = tag.end()
        if tag[1] != "img":
            depth += -1 if tag[0].startswith("</") else 1
    return [*pieces, _breaks(value[position:], depth)]


def _breaks(text: str, depth: int) -> str:
    if "\n" not in text:
        return text
    blank_line = "<br />\n<br />\n" if depth else "</p>\n<p>"

    def spaced(run: re.Match[str]) -> str:
        lines = run[0].count("\n")
        return blank_line if lines > 1 else "<br />\n" if lines else run[0]

    return re.sub(r"\s+", spaced, text)
