"""A memory that never holds more than it may."""

import random
from concurrent.futures import ThreadPoolExecutor

from calendar_api.middleware.response_cache.bounded import Aside, Bounded


def test_what_was_used_last_stays() -> None:
    kept: Bounded[str] = Bounded(3 * 1300)
    for key in "abc":
        kept.put(key, key.upper(), 1000)

    kept.get("a")
    kept.put("d", "D", 1000)

    assert [kept.get(key) for key in "abcd"] == ["A", None, "C", "D"]


def test_an_entry_that_grows_may_push_others_out() -> None:
    kept: Bounded[str] = Bounded(3 * 1300)
    for key in "abc":
        kept.put(key, key.upper(), 1000)

    kept.grow("c", 1300)
    kept.grow("unknown", 1300)

    assert [kept.get(key) for key in "abc"] == [None, "B", "C"]


def test_too_large_or_no_room_is_not_kept() -> None:
    kept: Bounded[str] = Bounded(1000)
    none: Bounded[str] = Bounded(0)

    kept.put("a", "A", 1000)
    none.put("a", "A", 0)

    assert (kept.get("a"), none.get("a"), kept.size, none.size) == (None, None, 0, 0)


def test_size_is_kept_under_many_threads() -> None:
    kept: Bounded[int] = Bounded(20_000)

    def use(seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - not for secrets
        for _ in range(2000):
            key = chance.randrange(50)
            if chance.randrange(2):
                kept.put(key, key, chance.randrange(3000))
            kept.get(key)
            kept.grow(key, 50)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(4)))

    assert 0 <= kept.size <= kept.limit
    assert kept.size == sum(size for _, size in kept._entries.values())


def test_several_are_found_at_once_and_count_as_used() -> None:
    kept: Bounded[str] = Bounded(4 * 1300)
    for name in "abcd":
        kept.put(name, name.upper(), 1000)

    assert kept.several(["a", "x", "b"]) == ["A", None, "B"]
    kept.put("e", "E", 1000)
    kept.put("f", "F", 1000)

    assert [name for name in "abcdef" if kept.get(name) is not None] == ["a", "b", "e", "f"]


def test_what_is_aside_comes_into_the_memory_when_it_is_kept() -> None:
    kept: Bounded[str] = Bounded(10_000)
    kept.put("a", "A", 10)
    aside = Aside(kept)
    before = aside.several(["a", "b"])

    aside.put("b", "B", 10)

    assert before == ["A", None]
    assert (aside.several(["a", "b", "c"]), aside.get("b"), aside.get("a")) == (["A", "B", None], "B", "A")
    assert kept.get("b") is None
    aside.keep()
    assert kept.get("b") == "B"


def test_only_what_is_wanted_goes_into_another() -> None:
    kept: Bounded[str] = Bounded(10_000)
    for name in "abc":
        kept.put(name, name.upper(), 1000)

    other = kept.only(lambda key, value: key != "a" and value != "C")
    kept.put("d", "D", 1000)

    assert [other.get(name) for name in "abcd"] == [None, "B", None, None]
    assert (other.limit, other.size, kept.get("a")) == (10_000, 1300, "A")
