"""Which texts hold some words: by the index and without it the same as Python finds.

See docs/interface.md#search.
"""

from datetime import UTC

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from peewee import Value

from calendar_api import database
from calendar_api.database.models import Event, Record, SearchText
from calendar_api.database.sqlite import full_text_index
from calendar_api.domain import search_query, text
from calendar_api.store import event_filters, full_text, publishable, query_hints
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory

pytestmark = pytest.mark.both_databases

# Letters of every length in UTF-8, what FTS5 and LIKE would take for signs of theirs, and ends of planes.
LETTERS = "ab ẹ́ßσжअ한日𠮷🎷%_*\"'-+^:(){}[]\\?.,\n\ufffd\uffff\u200d\U0010fffd"
TEXTS = st.one_of(
    st.text(alphabet=LETTERS, max_size=12),
    st.text(alphabet="ab", max_size=40),
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
    st.sampled_from(["a AND b", "NOT NEAR(a b, 2) OR", "all: {all} ^ab*", "folded:ab", '"ab" "ab"', "---"]),
)
SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def holders(wanted: list[str], field: str | None = None) -> set[int]:
    words = full_text.words(wanted)
    texts = full_text.texts(words.globs, words.values, field)
    ways = [full_text.each(Record.id, texts), full_text.scanned(Record.id, texts)]
    ids = full_text.holders(wanted, full_text.FEW, field)
    if ids is not None:
        ways.append(full_text.among(Record.id, Value(ids)))
    found = [{int(id) for (id,) in Record.select(Record.id).where(way).tuples()} for way in ways]
    assert found == [found[0]] * len(ways)
    return found[0]


@given(
    texts=st.lists(st.dictionaries(st.sampled_from(["all", "venue"]), TEXTS), max_size=6),
    wanted=st.lists(TEXTS, min_size=1, max_size=3),
    parts=st.lists(st.tuples(st.integers(0, 11), st.integers(1, 8)), max_size=2),
    caught_up=st.booleans(),
    few=st.sampled_from([0, 1, 200]),
)
@settings(suppress_health_check=SLOW)
def test_holders_are_those_that_contain_every_word(
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    texts: list[dict[str, str]],
    wanted: list[str],
    parts: list[tuple[int, int]],
    caught_up: bool,
    few: int,
) -> None:
    """Whether the index knows the texts already or not, and whether it has few candidates or many."""
    monkeypatch.setattr(full_text_index, "FEW", few)
    texts = [{field: text.folded(value) for field, value in one.items()} for one in texts]
    whole = [value for one in texts for value in one.values() if value]
    taken = [value[start : start + length] for start, length in parts for value in whole[:1]]
    wanted = [text.folded(word) for word in wanted if not taken] + [word for word in taken if word]
    database.open_connection()
    with database.db.atomic(database.db.WRITE) as transaction:
        ids = [int(Record.create(kind="event").id) for _ in texts]
        for id, one in zip(ids, texts, strict=True):
            publishable.write_search_text(id, one)
        if caught_up and database_url.startswith("sqlite"):
            database.db.update_search_index(min_changes=1)
        found, in_all = holders(wanted), holders(wanted, "all")
        transaction.rollback()

    def holding(field: str | None) -> set[int]:
        return {
            id
            for id, one in zip(ids, texts, strict=True)
            if any(
                value and name == (field or name) and all(word in value for word in wanted)
                for name, value in one.items()
            )
        }

    assert (found, in_all) == (holding(None), holding("all"))


TITLES = (
    "Jazz night", "Night of jazz", "Café Ωραία 100%", "日本の夜 🎷 jazz", 'say "no" AND run', "a_c -minus",
    "NOT (near) OR ^x*", "한국 𠮷野家", "aaaaaa", "ab", "Straße: rock'n'roll",
)  # fmt: skip
WORDS = st.one_of(
    st.sampled_from(
        [*TITLES, "azz", "jazz ni", "%", "aaa", "aaaaaaa", "ab", "日本", "日本の", "zz", "OR", "no"]
    ),
    st.text(alphabet=LETTERS, min_size=1, max_size=5),
)


def test_events_are_found_by_all_words_and_no_excluded_one(
    client: Client, caller: CallerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = {title: factories.event(client, title=title)["id"] for title in TITLES}

    @given(
        asked=st.lists(st.tuples(st.booleans(), st.booleans(), WORDS), min_size=1, max_size=4),
        few=st.sampled_from([0, 200]),
    )
    @settings(deadline=None, max_examples=150)
    def compare(asked: list[tuple[bool, bool, str]], few: int) -> None:
        monkeypatch.setattr(full_text_index, "FEW", few)
        query = " ".join("-" * minus + (f'"{word}"' if quoted else word) for minus, quoted, word in asked)
        params = {"search": query, "starts_after": "2026-01-01"}
        with database.read():
            shape, values = event_filters.parse(params, caller("editor", at="2099-01-01 00:00:00"), UTC)
            each = event_filters.clauses(shape, values)
            words = full_text.words([one.text for one in search_query.parse(query) if not one.excluded])
            unindexed = shape._replace(indexed=False, words=words.globs), values | {"words": words.values}
            texts = event_filters.clauses(*unindexed)
            ways = {
                "each": each,
                "index": each | event_filters.leading(shape, values, for_count=True),
                "each text": texts,
                "texts": texts | event_filters.leading(*unindexed, for_count=True),
            }
            found = {
                name: {event.id for event in Event.select(Event.id).where(*query_hints.led(way.values()))}
                for name, way in ways.items()
            }

        parsed = search_query.parse(query)
        holding = {
            id
            for title, id in ids.items()
            if all((word.text in text.folded(title)) is not word.excluded for word in parsed)
        }
        assert found == dict.fromkeys(ways, holding)

    compare()


def test_word_with_a_nul_is_found_nowhere(database_url: str) -> None:
    with database.write():
        publishable.write_search_text(int(Record.create(kind="event").id), {"all": "abc"})

    with database.read():
        assert holders(["ab\0c"]) == holders(["\0"]) == holders(["abc", "\0abc"]) == set()


def test_texts_that_stay_as_they_are_are_not_written_again(database_url: str) -> None:
    with database.write():
        id = int(Record.create(kind="venue").id)
        publishable.write_search_text(id, {"venue": "one", "city": "two", "zip": "three"})
        before = {row.field: row.id for row in SearchText.select()}
        publishable.write_search_text(id, {"venue": "one", "city": "other", "zip": "", "phone": "four"})
        after = {row.field: row.id for row in SearchText.select()}

    assert set(after) == {"venue", "city", "phone"}
    assert after["venue"] == before["venue"]
