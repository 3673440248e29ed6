"""Sanitise HTML."""

import html
import re
import threading
import unicodedata
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Final

from calendar_api.domain.text import BLOCK_TAGS, CONTROLS, INLINE_TAGS, normalized, visible

# fmt: off
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
_PASSES: Final = 8  # usual input is stable after two or three

# HTML parsers reopen unclosed formatting elements in every later paragraph, at most three of each name with
# the same attributes, but any number with different ones.
_FORMATTING: Final = re.compile(
    rf"""<({"|".join(FORMATTING_TAGS)})[\s/](?:(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+(>))?""", re.IGNORECASE
)
_LINK: Final = re.compile(r"<a[\s/>]", re.IGNORECASE)
_LINK_COPIES: Final = 100
_SHORT_LINKS: Final = 8192  # below this length the number of copies is not limited

_STROKE: Final = "\u0338"  # combining long solidus overlay: with ">" it composes to U+226F
_JOINER: Final = "\u034f"  # combining grapheme joiner: prevents composition
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


@lru_cache(maxsize=4)  # a text is sanitised to be checked, and again to be stored
def sanitize(value: str, passes: int = _PASSES) -> str:
    """Return a description as it is stored: only allowed tags and attributes, NFC.

    Sanitising the result again changes nothing. Markup that still changes after all passes is reduced to its
    text. Raises ValueError above the limits, InvalidParameters for too many combining marks in a row.
    """
    most = min(MAX_HTML, max(GROWTH * len(value), _SHORT))
    if value.count("<") > MAX_TAGS:
        raise ValueError(TOO_MUCH_HTML)
    # A start tag that does not end before the next tag becomes text.
    value = _FORMATTING.sub(lambda tag: f"<{tag[1]}>" if tag[2] else f"&lt;{tag[0][1:]}", _lines(value))
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


def _lines(value: str) -> str:
    value = value.replace("\r\n", "\n").replace("\r", "\n")
    return _PRE_START.sub(r"\1", _normalized_html(_START.sub("", CONTROLS.sub("", value)).rstrip()))


def _normalized_html(value: str) -> str:
    """Return HTML in NFC, without composing a stroke with the `>` of a tag, which would reopen the tag.

    A stroke at the start, after a tag or after white space is removed.
    """
    composed = normalized(value)
    if _STROKE not in value:
        return composed
    apart = unicodedata.normalize("NFC", re.sub(r"\A|[>\s]", rf"\g<0>{_JOINER}", value))
    return re.sub(rf"(\A|[>\s]){_JOINER}{_STROKE}*", r"\1", apart).strip()
