"""Which HTML there is, and what of it a description may hold."""

from typing import Final

# fmt: off
INLINE_TAGS: Final = frozenset((
    "a", "abbr", "b", "br", "cite", "code", "del", "em", "i", "img", "ins", "mark", "q", "s", "small", "span",
    "strong", "sub", "sup", "time", "u",
))
BLOCK_TAGS: Final = frozenset((
    "blockquote", "caption", "dd", "div", "dl", "dt", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5",
    "h6", "hr", "li", "ol", "p", "pre", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
))
#: Every element of HTML, of today and of old, and what starts a foreign one.
HTML_TAGS: Final = INLINE_TAGS | BLOCK_TAGS | frozenset((
    "acronym", "address", "applet", "area", "article", "aside", "audio", "base", "basefont", "bdi",
    "bdo", "bgsound", "big", "blink", "body", "button", "canvas", "center", "circle", "col", "colgroup",
    "datalist", "details", "dfn", "dialog", "dir", "embed", "fieldset", "font", "footer",
    "foreignobject", "form", "frame", "frameset", "g", "head", "header", "hgroup", "html", "iframe",
    "input", "kbd", "label", "legend", "link", "main", "map", "marquee", "math", "menu", "meta",
    "meter", "nav", "nobr", "noembed", "noframes", "noscript", "object", "optgroup", "option", "output",
    "param", "path", "picture", "plaintext", "progress", "rp", "rt", "ruby", "samp", "script", "search",
    "section", "select", "slot", "source", "strike", "style", "summary", "svg", "template", "textarea",
    "title", "track", "tt", "var", "video", "wbr", "xmp",
))
#: Formatting elements of the HTML standard that keep no attribute here; `a` is one as well.
FORMATTING_TAGS: Final = frozenset((
    "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
))
# fmt: on
ATTRIBUTES: Final[dict[str, set[str]]] = {
    "*": set(),
    "a": {"href", "title"},
    "abbr": {"title"},
    "blockquote": {"cite"},
    "del": {"cite"},
    "img": {"src", "alt", "width", "height", "title"},
    "ins": {"cite"},
    "q": {"cite"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "time": {"datetime"},
}
URL_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
UNREAD_TAGS: Final = frozenset({"script", "style"})
