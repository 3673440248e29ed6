"""The `format` words of the schemas."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema.exceptions import FormatError

from calendar_api.contract.formats import checker
from calendar_api.domain import html, text

WORDS = sorted(checker.checkers)


def fits(word: str, value: object) -> bool:
    return checker.conforms(value, word)


def test_words_are_those_of_the_schemas_and_no_others() -> None:
    assert WORDS == [
        "cost", "excerpt", "filter-date", "image", "latitude", "longitude", "loose-date", "mail-address",
        "markup", "printable", "search", "time-zone", "visible-text", "web-address",
    ]  # fmt: skip


ADDRESSES = (
    "", "http://example.org", "HTTPS://Example.org:8443/a/b?c=d&e=%20#f", "https://user@example.org/",
    "http://[2001:db8::1]:80/", "https://xn--nxasmq6b.example/", "https://example.org/it's(1)*!~;,@",
)  # fmt: skip
NO_ADDRESSES = (
    "example.org", "//example.org", "ftp://example.org", "javascript:alert(1)", "data:text/html,x", "http://",
    "http:///path", "http://:80", "http://exa mple.org", " http://example.org", "http://example.org\n",
    "http://example.org/\x00", "http://example.org/<b>", 'http://example.org/"', "http://example.org/\\",
    "http://example.org/`", "http://example.org/{x}", "http://exämple.org", "http://example.org:port",
    "http://example.org:99999", "http://example.org:0", "http://[::1", "jAvAsCrIpT://example.org/%0aalert(1)",
)  # fmt: skip


def test_values_that_a_format_accepts_and_refuses() -> None:
    for word, accepted, refused in (
        (
            "loose-date",
            ("2031-01-10 20:00:00", "2031-01-10T20:00:00+02:00", "tomorrow 9am", "1924984800", 1924984800,
             "20310110"),
            ("x", "2031-02-30", "0", 0, "99999-01-01", "9" * 99, -(10**30)),
        ),
        ("filter-date", ("2031-02-31", "9999-12-31"), ("2031-13-01",)),
        (
            "time-zone",
            ("Europe/Berlin", "UTC", "UTC+5:30", "-08:00", ""),
            ("Mars/Olympus", "UTC+99", "../../etc/passwd", "UTC+5:30x", "\x00"),
        ),
        (
            "visible-text",
            ("x", "<b>x</b>", "&amp;", "0", "日", "  x  ", "\u200bx", "🎉", "\ue000", "\U0001fbff"),
            ("", "   ", "<b></b>", "&nbsp;", "\x00\x01", "<script>x</script>", "\n", "\u200b",
             "&ZeroWidthSpace;", "\u2060 \ufeff", "\u00ad", "\u3164", "<b>\u200d</b>\ufe0f"),
        ),
        ("printable", ("a b é 日",), ("a\x00", "a\n", "\x9f")),
        ("web-address", ADDRESSES, NO_ADDRESSES),
        ("image", ADDRESSES, NO_ADDRESSES),
        (
            "mail-address",
            ("", "a@example.org", "first.last+tag@sub.example.co.uk", "o'neil@exämple.de"),
            ("a", "@example.org", "a@", "a@example", "a@b@example.org", "a b@example.org", "a@-example.org",
             "a@example-.org", "a@.org", "a@example..org", "<a@example.org>", "a@example.org\n",
             "a,b@example.org", "x" * 65 + "@example.org", "a@example.org."),
        ),
        ("latitude", (1, 1.5, None), ("x",)),
        ("longitude", (1, 1.5, None), ("x",)),
        ("cost", ("10", "$10", "10 - 20", "Donation", 7, 1.5, "", None, ["1", "2"]), (True, {}, ["1"] * 21)),
    ):  # fmt: skip
        assert [value for value in accepted if not fits(word, value)] == []
        assert [value for value in refused if fits(word, value)] == []


def test_refusal_of_a_date_says_why() -> None:
    with pytest.raises(FormatError) as caught:
        checker.check("2031-02-30", "loose-date")
    assert isinstance(caught.value.cause, ValueError)
    assert str(caught.value.cause)


def test_markup_is_limited_as_it_is_shown() -> None:
    """So that it can be sent back as it was read."""
    for word, longest in (
        ("markup", "<p>x</p>" * 1000), ("markup", "x" + "<br>x" * 1998), ("markup", "x" * 65_529),
        ("markup", "\n".join("x" * 1999)), ("excerpt", "x" * 8185), ("excerpt", "<b>x</b>" * 999),
    ):  # fmt: skip
        shown = text.paragraphs(html.sanitize(longest))
        assert fits(word, longest)
        assert fits(word, shown)
        assert not fits(word, longest + "<br>x<br>x")


def test_search_has_few_words_and_a_short_folded_text() -> None:
    words = [f"w{number}" for number in range(51)]
    fitting, others = (" ".join(words[:50]), "a b " * 50, "\ufdfa" * 44), (" ".join(words), ".".join(words))
    assert [query for query in fitting if not fits("search", query)] == []
    assert [query for query in (*others, "\ufdfa" * 45, "a\x00") if fits("search", query)] == []


@pytest.mark.parametrize("word", WORDS)
@given(value=st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40))
def test_words_answer_yes_or_no_to_everything(word: str, value: object) -> None:
    assert fits(word, value) in (True, False)


def test_address_of_a_megabyte_is_not_kept_by_the_cache_of_the_library() -> None:
    before = urlsplit.cache_info().currsize  # type: ignore[attr-defined]
    assert not fits("web-address", "https://example.org/" + "x" * 1_000_000)
    assert urlsplit.cache_info().currsize == before  # type: ignore[attr-defined]
