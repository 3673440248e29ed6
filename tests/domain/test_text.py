"""Text: what is stored, what is shown, what is compared."""

import re
import unicodedata
from collections.abc import Callable
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calendar_api.domain import html, text
from calendar_api.domain.errors import InvalidParameters
from tests.hostile.markup import PAYLOADS

PIECES = (
    "<b>", "</b>", "<p>", "</p>", "<br>", "\n", "\n\n", " ", "<pre>", "</pre>", "<div>", "</div>", "<li>",
    "<a href='http://x'>", "</a>", "<table>", "<td>", "<form>", "<svg>", "<script>", "</script>", "<style>",
    "<img alt='", "\"", "'", ">", "<", "&", "&lt;", "&gt;", "&amp;", "&#824;", "\u0338", "e\u0301", "\x00",
    "<!--", "-->", "&nbsp;", "&#13;", "text", "🎉", "onclick=x", "<math><mtext>", "</noscript>",
    "<textarea>",
)  # fmt: skip
MARKUP = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
ANY_TEXT = st.text() | MARKUP


class Found(HTMLParser):
    """Collects what a parser sees in HTML that the allow-list does not have."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.foreign: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in text.INLINE_TAGS | text.BLOCK_TAGS:
            self.foreign.append(tag)
        allowed = html.ATTRIBUTES.get(tag, set()) | ({"rel"} if tag == "a" else set())
        for name, value in attrs:
            address = re.sub(r"[\x00-\x20]", "", value or "")
            scheme = urlsplit(address).scheme if name in {"href", "src", "cite"} else ""
            if name not in allowed or scheme not in {"", *html.URL_SCHEMES}:
                self.foreign.append(f"{tag} {name}={value}")

    def handle_comment(self, data: str) -> None:
        self.foreign.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.foreign.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.foreign.append(f"instruction {data}")

    def unknown_decl(self, data: str) -> None:
        self.foreign.append(f"declaration {data}")


def foreign(html: str) -> list[str]:
    found = Found()
    found.feed(html)
    found.close()
    return found.foreign


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("x", "x"), ("", ""), ("  padded  ", "padded"),
        ("one\r\n\ttwo\xa0 three\u2028four", "one two three four"), ("5 > 3 < 4", "5 > 3 < 4"),
        ("I <3 you", "I <3 you"), ("a <b", "a <b"), ("Tom & Jerry", "Tom & Jerry"),
        ("Tom &amp; Jerry", "Tom & Jerry"), ("Tom &#038; Jerry&#x27;s", "Tom & Jerry's"),
        ("Tom &amp;amp; Jerry", "Tom & Jerry"), ("food&section &bogus;", "food&section &bogus;"),
        ("<b>bold</b> and <em class='x>y'>em</em>", "bold and em"),
        ("<p>one</p><p>two<br>three</p>", "one two three"),
        ("<script>alert(1)</script>after<STYLE >b{}</STYLE >", "after"), ("a <script> tag", "a tag"),
        ("<!-- a > b -->x<!doctype html>", "x"), ("&lt;b&gt;bold&lt;/b&gt;", "bold"), ("<<b>b>x", "x"),
        ("<img alt='<b>'>x", "x"), ("a\x00b\x07c\x9fd\ud800e", "abcde"), ("\u202eevil\u2066", "evil"),
        ("Cafe\u0301", "Café"), ("emoji 🎉🎊", "emoji 🎉🎊"), ("<" * 20 + "b>" * 20 + "x", "b>" * 12 + "x"),
        ("c't <webdev>", "c't <webdev>"), ("<CODE/CRAFTS>", "<CODE/CRAFTS>"), ("<SVG onload=x>", ""),
        ("&lt;webdev&gt;", "<webdev>"), ("<code>x</code>", "x"), ("<b >x</b>", "x"), ("<br/>x", "x"),
    ],
)  # fmt: skip
def test_plain_keeps_the_text_only(value: str, stored: str) -> None:
    assert text.plain(value) == stored


@given(ANY_TEXT)
def test_plain_text_that_was_read_can_be_written_back(value: str) -> None:
    stored = text.plain(value)

    assert text.plain(stored) == stored
    assert text.plain(text.escape(stored)) == stored
    assert text.plain(text.escape_amp(stored)) == stored


@given(ANY_TEXT)
def test_plain_text_is_one_normal_line(value: str) -> None:
    stored = text.plain(value)

    assert stored == " ".join(unicodedata.normalize("NFC", stored).split())
    assert {unicodedata.category(character) for character in stored}.isdisjoint({"Cc", "Cs"})


def test_escape_spells_what_html_reads_otherwise() -> None:
    assert text.escape("<a & \"b\" 'c'>") == "&lt;a &#038; &quot;b&quot; &#039;c&#039;&gt;"
    assert text.escape_amp("<a & \"b\" 'c'>") == "&lt;a &amp; &quot;b&quot; &#039;c&#039;&gt;"


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("plain", "plain"), (" \n ", ""), ("a & b < c", "a &amp; b &lt; c"), ("a &amp; b", "a &amp; b"),
        ("one\r\ntwo\rthree\tfour\x0b\x00\x9f\ud800", "one\ntwo\nthree\tfour"), ("Cafe\u0301", "Café"),
        ("<p>un<b>closed", "<p>un<b>closed</b></p>"),
        ("<!-- c --><h2 id=x class=y style=z>t</h2>", "<h2>t</h2>"),
        ("<script>alert(1)</script>after<style>b{}</style>", "after"), ("<form><p>x</p></form>", "<p>x</p>"),
        ("<a href='http://x' rel=opener>x</a>", '<a href="http://x" rel="noopener nofollow">x</a>'),
        ("<a href=/path>x</a>", '<a href="/path" rel="noopener nofollow">x</a>'),
        ("<img src=https://x/y.png alt=z width=1>", '<img src="https://x/y.png" alt="z" width="1">'),
        ("<q cite=https://x>a</q><q cite=javascript:x>b</q>", '<q cite="https://x">a</q><q>b</q>'),
        ("<time datetime=2031-01-10>x</time>", '<time datetime="2031-01-10">x</time>'),
        ("<pre>" + "\n" * 30 + "x</pre>", "<pre>x</pre>"),
        ("<b>&#803;&#824;x</b> =&#824;", "<b>\u0323x</b> ≠"),
        # Formatting tags lose their attributes before parsing.
        ("<b title='a>b'>x</b>", "<b>x</b>"), ("<STRONG\nclass=a>x</strong>", "<strong>x</strong>"),
        ("<b/>x", "<b>x</b>"), ("<font color=red>x</font>", "x"), ("<b\x00 a=1>x", "<b>x</b>"),
        ("<b a=<i>x</i>", "&lt;b a=<i>x</i>"), ("<body a=1>x", "x"),
    ],
)  # fmt: skip
def test_sanitize_keeps_the_allowed_markup_only(value: str, stored: str) -> None:
    assert html.sanitize(value) == stored


@pytest.mark.parametrize("value", ['<b>\u0338 onmouseover=x() x="</b>', *PAYLOADS[::20]])
def test_hostile_markup_leaves_nothing_foreign(value: str) -> None:
    stored = html.sanitize(value)

    assert foreign(stored) == foreign(text.paragraphs(stored)) == []
    assert re.search("[<>\"']", text.escape(text.plain(value))) is None


@given(ANY_TEXT)
def test_sanitize_is_stable_normal_and_has_nothing_foreign(value: str) -> None:
    stored = html.sanitize(value)

    assert foreign(stored) == []
    assert html.sanitize(stored) == stored == unicodedata.normalize("NFC", stored)


OPEN = st.builds(
    "<{} {}={!r}>".format,
    st.sampled_from(["a", "b", "strong", "code", "p", "div", "td", "table", "li", "font", "h1", "nobr"]),
    st.sampled_from(["href", "title", "a", "cite"]),
    st.integers(0, 99) | st.text(alphabet="ab<>'", max_size=9),
)  # fmt: skip
CLOSE = st.sampled_from(
    ["</a>", "</b>", "</strong>", "</p>", "</div>", "</td>", "</table>", "<p>x", "x", "&"]
)
MISNESTED = st.lists(
    st.builds(str.__mul__, st.lists(OPEN | CLOSE, max_size=6).map("".join), st.integers(1, 300)),
    max_size=5,
).map(lambda parts: "".join(parts)[:65_536])  # fmt: skip


@given(MISNESTED)
@example("<p>" + "".join(f"<strong a={number}>" for number in range(999)) + "<p>x" * 999)
@example("<p>" + "<b><i><u><s>" * 3 + "<p>x" * 30)
def test_misnested_markup_does_not_multiply(value: str) -> None:
    try:
        stored = html.sanitize(value)
    except ValueError:
        return

    assert len(stored) <= min(65_536, max(4 * len(value), 1024))
    assert stored.count("<") <= 2000
    assert foreign(stored) == []
    assert html.sanitize(stored) == stored


@pytest.mark.parametrize(
    "value",
    [
        "<p>" + "<b><i><u><s>" * 3 + "<p>x" * 30, "<b>" * 1001,
        "<p><a href='" + "y" * 9000 + "'>" + "<p>x" * 200, "&nbsp;" * 20_000, "<b>" * 2001,
    ],
    ids=["four times as long", "2002 tags", "link", "entities", "2001 tags"],
)  # fmt: skip
def test_sanitize_refuses_what_grows_too_long(value: str) -> None:
    with pytest.raises(ValueError, match="close every tag where it was opened"):
        html.sanitize(value)


TOO_MANY_MARKS = (
    "e" + "\u0301" * 31, "e" + "\u0315\u0300" * 50_000, "\u0f73" * 31, "\uff9e" * 31, "\u0344" * 16,
    "<b>e" + "&#769;" * 31 + "</b>", "e" + ("\u0301" * 30 + "\x00") * 2, "☺" * 999 + "\u0301" * 31,
)  # fmt: skip


@pytest.mark.parametrize("clean", [text.plain, html.sanitize])
@pytest.mark.parametrize("value", TOO_MANY_MARKS)
def test_more_than_30_combining_marks_in_a_row_are_refused(clean: Callable[[str], str], value: str) -> None:
    with pytest.raises(InvalidParameters, match="at most 30 combining marks"):
        clean(value)


@pytest.mark.parametrize("value", ["e" + "\u0323" * 30, ("g" + "\u0300" * 30) * 9, "हिन्दी" * 30, "각" * 90])
def test_30_combining_marks_in_a_row_are_kept(value: str) -> None:
    assert text.plain(value) == unicodedata.normalize("NFC", value)


def test_sanitize_of_what_does_not_settle_keeps_the_text_only() -> None:
    assert html.sanitize("<p>a &amp; <b>b", passes=1) == "a &amp; b"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("", ""), (" \n ", ""), ("<br>", ""), ("plain", "<p>plain</p>"),
        ("two\n\nparagraphs", "<p>two</p>\n<p>paragraphs</p>"),
        ("two\n \n\n paragraphs", "<p>two</p>\n<p>paragraphs</p>"),
        ("line\nbreak", "<p>line<br />\nbreak</p>"),
        ("line<br>\nbreak<br>again", "<p>line<br />\nbreak<br />\nagain</p>"),
        ("<b>html</b>", "<p><b>html</b></p>"),
        ("<b>one\n\ntwo</b>\n\nthree", "<p><b>one<br />\n<br />\ntwo</b></p>\n<p>three</p>"),
        ('<img src="x">\n\n<i>y</i>', '<p><img src="x"></p>\n<p><i>y</i></p>'),
        ('<a title="x\n\ny">z</a>', '<p><a title="x\n\ny">z</a></p>'),
        ("  <p>left\n\nas it is</p> ", "<p>left\n\nas it is</p>"),
        ("<p>line<br>break</p>", "<p>line<br />break</p>"),
    ],
)  # fmt: skip
def test_paragraphs_wrap_text_without_blocks(value: str, shown: str) -> None:
    assert text.paragraphs(value) == shown


@given(ANY_TEXT)
def test_shown_html_written_back_is_shown_the_same(value: str) -> None:
    shown = text.paragraphs(html.sanitize(value))

    assert text.paragraphs(html.sanitize(shown)) == shown
    assert foreign(shown) == []


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("", ""), ("<p>one</p><p>t<b>w</b>o<br>three</p>\n", "one two three"),
        ("a &amp; b &lt;i&gt;&nbsp;&eacute;", "a & b <i> é"), ("<img alt='x' src='y'>z", "z"),
    ],
)  # fmt: skip
def test_visible_is_what_a_reader_sees(value: str, seen: str) -> None:
    assert text.visible(value) == seen


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", ""), ("!?%", ""), ("Café à Paris", "cafe-a-paris"),
        ("Tom & Jerry's <b>Bar</b>", "tom-jerrys-bar"), ("Tom &amp; Jerry’s “Bar”", "tom-jerrys-bar"),
        ("bold <em>and</em> em", "bold-and-em"),
        ("Straße ẞ Æther Œuvre Øre Łódź Đà Þór ħ ŋ", "strasse-ss-aether-oeuvre-ore-lodz-da-thor-h-n"),
        ("İstanbul ılık", "istanbul-ilik"), ("Ａｂｃ ﬁ e\u0301x\u0302", "abc-fi-ex"), ("中文", "中文"),
        ("%e4%b8%ad%E6%96%87", "中文"), ("100%ff", "100ff"), ("Йога и\u0306", "йога-й"), ("हिन्दी", "हिन्दी"),
        ("ΟΔΟΣ", "οδος"), ("emoji 🎉🎊", "emoji-🎉🎊"), ("❤\ufe0f", "❤"), ("a/b/c", "a-b-c"),
        ("dots.in.it", "dots-in-it"), ("-a – b — c\xa0d_e--f-", "a-b-c-d_e-f"), ("back\\slash", "backslash"),
        ("a\x00b\u200bc\u202ed\ud800e\ue000", "abcde"), ("¡Hola!…", "hola"), ("x" * 300, "x" * 191),
        ("x" * 190 + " yz", "x" * 190),
    ],
)  # fmt: skip
def test_slug_is_made_for_addresses(value: str, expected: str) -> None:
    assert text.slug(value) == expected


@given(ANY_TEXT)
def test_slug_is_stable_short_and_clean(value: str) -> None:
    slug = text.slug(value)

    assert text.slug(slug) == slug
    assert len(slug) <= 191
    assert re.search(r"[\x00-,./:-@A-Z\[-^`{-\x9f\s\ud800-\udfff]|--|^-|-$", slug) is None


@pytest.mark.parametrize(
    ("value", "folded"),
    [
        ("CAFÉ", "cafe"), ("Cafe\u0301", "cafe"), (" ＣＡＦＥ\n", "cafe"), ("₨ 5 ᴬᴮ ϓ", "rs 5 ab υ"),
        ("Straße ẞ İ ﬁ", "strasse ss i fi"),
    ],
)  # fmt: skip
def test_folded(value: str, folded: str) -> None:
    assert text.folded(value) == folded


def test_caseless_keeps_accents() -> None:
    assert text.casefold("CAFE\u0301 STRASSE") == text.casefold("Café Straße") == "café strasse"
    assert text.casefold("Cafe") != text.casefold("Café")


@given(st.text())
def test_folded_and_caseless_are_stable(value: str) -> None:
    assert text.folded(text.folded(value)) == text.folded(value)
    assert text.casefold(text.casefold(value)) == text.casefold(value)


def test_lone_surrogate_is_found() -> None:
    assert text.SURROGATES.search("a\ud83cb")
    assert not text.SURROGATES.search("a🎉b")
