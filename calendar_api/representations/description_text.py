"""Descriptions of paragraphs and links as plain text for a text area, and back."""

import re
from collections import defaultdict
from html import escape, unescape

_PARAGRAPH = re.compile(r"<p>(.*?)</p>[ \t\n]*", re.DOTALL)
_SPACES = re.compile(r"[ \t\n\r\f]+")  # not \s: a no-break space stays
_BREAK = re.compile(r" ?<br ?/?> ?")
_LINK = re.compile(r'<a href="([^"]*)"(?: rel="[^"]*")?>([^<]*)</a>')
_BLANK_LINES = re.compile(r"\n[ \t]*\n[ \t\n]*")
#: `[text](address)`, or a web address alone: with its pairs of parentheses, without the punctuation after it.
_WRITTEN_LINK = re.compile(
    r"""\[(?P<text>[^\[\]\n]+)\]\((?P<target>(?:https?://|mailto:|tel:)[^\s()<>"]+)\)"""
    r"""|(?P<bare>https?://(?:[.,;:!?)\]'»]*+(?:\([^\s<>"()]*+\)|[^\s<>".,;:!?)\]'»]))++)""",
    re.IGNORECASE,
)


def as_text(html: str) -> str | None:
    """Return the text of stored HTML; None if it has more than paragraphs, line breaks and links.

    Paragraphs are separated by a blank line, a link is its address or `[text](address)`.
    """
    found = _paragraphs(html)
    return None if found is None else "\n\n".join(text for _, text in found if text)


def as_html(text: str, before: str = "") -> str:
    """Return HTML for a text; paragraphs that occur in the HTML `before` are taken from there unchanged."""
    known = defaultdict[str, list[str]](list)  # paragraphs of the same text in their order
    for html, of_html in _paragraphs(before) or ():
        known[of_html].append(html)
    written = (one.strip(" \t\n") for one in _BLANK_LINES.split(text.replace("\r\n", "\n")))
    return "\n".join(
        known[one].pop(0) if known[one] else f"<p>{_with_links(one)}</p>" for one in written if one
    )


def _paragraphs(html: str) -> list[tuple[str, str]] | None:
    """The HTML and the text of each paragraph, or None."""
    if _PARAGRAPH.sub("", html).strip():
        return None
    found = []
    for paragraph in _PARAGRAPH.finditer(html):
        text = _BREAK.sub("\n", _SPACES.sub(" ", paragraph[1])).strip(" \t\n")
        text = _LINK.sub(_link_text, text)
        is_blank = not text and _BREAK.search(paragraph[1])  # seen as an empty line
        if "<" in text or _BLANK_LINES.search(text) or is_blank:
            return None
        found.append((paragraph[0].rstrip(" \t\n"), unescape(text)))
    return found


def _link_text(link: re.Match[str]) -> str:
    """The text that becomes this link again; else the link itself."""
    target, text = link[1], link[2]
    for written in (target, f"[{text}]({target})"):
        if _with_links(unescape(written)) == _anchor(unescape(target), unescape(text)):
            return written
    return link[0]


def _with_links(text: str) -> str:
    pieces, position = [], 0
    for link in _WRITTEN_LINK.finditer(text):
        target = link["target"] or link["bare"]
        pieces += [
            escape(text[position : link.start()], quote=False),
            _anchor(target, link["text"] or target),
        ]
        position = link.end()
    pieces.append(escape(text[position:], quote=False))
    return "".join(pieces).replace("\n", "<br>\n")


def _anchor(target: str, text: str) -> str:
    return f'<a href="{escape(target)}">{escape(text, quote=False)}</a>'
