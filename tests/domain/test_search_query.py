"""Search queries: words, phrases, exclusions, fragments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.domain import text
from calendar_api.domain.search_query import Word, fragments, parse


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", ()),
        (" \t\n", ()),
        ("Jazz  NIGHT", (Word("jazz", False), Word("night", False))),
        ("CAFÉ", (Word("cafe", False),)),
        ("-rock", (Word("rock", True),)),
        ("--", (Word("-", True),)),
        ("jazz - rock", (Word("jazz", False), Word("-", False), Word("rock", False))),
        ("jam-session", (Word("jam-session", False),)),
        ('"open  Air"', (Word("open air", False),)),
        ('-"open air" jazz', (Word("open air", True), Word("jazz", False))),
        ('jazz "open air', (Word("jazz", False), Word("open air", False))),
        ('"a b"c', (Word("a b", False), Word("c", False))),
        ('-""', ()),
        ('" "', ()),
        ('7" single', (Word('7"', False), Word("single", False))),
        ("100%_*?", (Word("100%_*?", False),)),
        ("\u0301", ()),
    ],
)
def test_query_is_read_into_words(query: str, words: tuple[Word, ...]) -> None:
    assert parse(query) == words


@given(st.text())
def test_words_of_any_query_are_folded_and_not_empty(query: str) -> None:
    words = parse(query)

    assert [word.text for word in words] == [text.folded(word.text) for word in words if word.text]


@given(st.lists(st.text(alphabet="abcé", min_size=1), max_size=5))
def test_words_without_signs_are_kept_in_order(words: list[str]) -> None:
    parsed = parse("  ".join(words))

    assert parsed == tuple(dict.fromkeys(Word(text.folded(word), False) for word in words))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ()),
        (" , ", ()),
        ("St. Mary's", ("st", "mary", "s")),
        ("jam-session 2031", ("jam-session", "2031")),
        ("50%_off", ("50", "off")),
        ("Straße", ("strasse",)),
        ("किताब", ("किताब",)),
    ],
)
def test_query_is_split_into_fragments(query: str, expected: tuple[str, ...]) -> None:
    assert fragments(query) == expected


@given(st.text())
def test_fragments_of_any_query_are_folded_and_in_the_query(query: str) -> None:
    found = fragments(query)

    assert all(fragment == text.folded(fragment) and fragment in text.folded(query) for fragment in found)
