"""Descriptions in a text area: text of paragraphs and links, and the same HTML from what was not edited."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from calendar_api.domain import html
from calendar_api.domain import text as texts
from calendar_api.representations.description_text import as_html, as_text

PIECES = st.sampled_from(
    ["<p>", "</p>", "<br>", "\n", "\n\n", " ", "\xa0", "a", "&amp;", "<", "&lt;p&gt;", "https://a.example/b?c=1&d",
     ".", "<a href='https://a.example/?x=1&y'>", "<a href='mailto:a@b.example' title='t'>", "</a>", "[x](https://y.example)",
     "](", "[", ")", "<b>", "</b>", "<ul><li>", "</li></ul>", "é", "\u0338", "<p></p>"]
)  # fmt: skip


def shown(written: str) -> str:
    """A description as the interface returns it."""
    return texts.paragraphs(html.sanitize(written))


def spaced(markup: str) -> str:
    """HTML without the white space between paragraphs, and without empty ones, which nobody sees."""
    return re.sub(r"<p>[ \t\n]*</p>", "", re.sub(r"(</p>)[ \t\n]+", r"\1", markup)).strip()


def test_text_of_html() -> None:
    for stored, text in (
        ("", ""),
        ("<p>One.</p>\n<p>Two<br />\nlines &amp; &lt;b&gt;</p>", "One.\n\nTwo\nlines & <b>"),
        ("<p>See https://a.example/b.</p>", "See https://a.example/b."),
        ('<p><a href="https://a.example/?b&amp;c" rel="noopener nofollow">Us</a></p>', "[Us](https://a.example/?b&c)"),
        ('<p><a href="https://a.example/" rel="noopener nofollow">https://a.example/</a>.</p>', "https://a.example/."),
        ('<p><a href="https://a.example/(b)">x</a></p>', None),
        ('<p><a href="https://a.example/" title="t">x</a></p>', None),
        ("<p>a <b>b</b></p>", None),
        ("<h2>a</h2>\n<p>b</p>", None),
        ("<p>a<br />\n<br />\nb</p>", None),
        ("<p>a</p>\n<p><br /></p>\n<p>b</p>", None),
    ):  # fmt: skip
        assert as_text(stored) == text
        if text is not None:
            assert as_html(text, stored) == stored.replace("\n<p>", "\n<p>")


def test_html_of_text() -> None:
    for text, markup in (
        ("One\r\ntwo\r\n \r\n\r\nThree", "<p>One<br>\ntwo</p>\n<p>Three</p>"),
        ("<b>1 < 2 & 3</b>", "<p>&lt;b&gt;1 &lt; 2 &amp; 3&lt;/b&gt;</p>"),
        ("(https://a.example/x).", '<p>(<a href="https://a.example/x">https://a.example/x</a>).</p>'),
        ("(https://a.example/x_(y)).", '<p>(<a href="https://a.example/x_(y)">https://a.example/x_(y)</a>).</p>'),
        ("https://a.example/(y)/(z).", '<p><a href="https://a.example/(y)/(z)">https://a.example/(y)/(z)</a>.</p>'),
        ("[Us](https://a.example/)", '<p><a href="https://a.example/">Us</a></p>'),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ('[x](https://a.example/"onclick="x)', '<p>[x](<a href="https://a.example/">https://a.example/</a>"onclick="x)</p>'),
        (" \n \n", ""),
    ):  # fmt: skip
        assert as_html(text) == markup
        assert shown(markup).replace(' rel="noopener nofollow"', "") == markup.replace("<br>", "<br />")


@given(st.lists(PIECES, max_size=12).map("".join))
def test_text_that_was_not_edited_gives_the_same_html(written: str) -> None:
    stored = shown(written)
    text = as_text(stored)
    if text is not None:
        assert spaced(shown(as_html(text, stored))) == spaced(stored)


@example("<p>a<p><br>a", "")
@given(st.lists(PIECES, max_size=8).map("".join), st.text(max_size=40))
def test_new_paragraph_leaves_the_others_alone(written: str, added: str) -> None:
    stored = shown(written)
    text = as_text(stored)
    if text:
        assert spaced(as_html(f"{text}\n\nEnd {added}", stored)).startswith(spaced(stored))


@given(st.text())
def test_any_text_is_kept(written: str) -> None:
    text = "\n\n".join(part for part in re.split(r"\n\s*\n", html.CONTROLS.sub("", written)) if part.strip())
    assert "<script" not in as_html(written)
    assert isinstance(as_text(shown(as_html(text))), str | None)
