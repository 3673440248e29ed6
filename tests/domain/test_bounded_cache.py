"""A cache that never exceeds its limit in bytes."""

import random
from concurrent.futures import ThreadPoolExecutor

from calendar_api.domain.bounded_cache import BoundedCache


def test_least_recently_used_entry_is_dropped() -> None:
    cache: BoundedCache[str] = BoundedCache(3 * 1300)
    for key in "abc":
        cache.put(key, key.upper(), 1000)

    cache.get("a")
    cache.put("d", "D", 1000)

    assert [cache.get(key) for key in "abcd"] == ["A", None, "C", "D"]


def test_entry_that_is_too_large_is_not_stored() -> None:
    cache: BoundedCache[str] = BoundedCache(1000)
    cache.put("a", "A", 10)

    cache.put("a", "A", 1000)

    assert (cache.get("a"), cache.size) == (None, 0)


def test_size_is_right_after_many_threads() -> None:
    cache: BoundedCache[int] = BoundedCache(20_000)

    def use(seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - not for secrets
        for _ in range(2000):
            key = chance.randrange(50)
            if chance.randrange(2):
                cache.put(key, key, chance.randrange(3000))
            cache.get(key)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(4)))

    assert 0 <= cache.size <= cache.limit
    assert cache.size == sum(size for _, size in cache._entries.values())
