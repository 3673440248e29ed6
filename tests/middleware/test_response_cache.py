"""Which responses are cached, under which key, and for how long (docs/decisions/0011)."""

import random
import sys
from array import array
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from calendar_api.config import Config
from calendar_api.contract import schemas
from calendar_api.middleware.access_log import CACHE_LINE
from calendar_api.middleware.arrival import arrival
from calendar_api.middleware.response_cache import CachedResponse, ResponseCache, Revision, Snapshot

REQUEST = {
    "REQUEST_METHOD": "GET", "PATH_INFO": "/calendar/events/v1/events", "HTTP_HOST": "localhost",
    "wsgi.url_scheme": "http",
}  # fmt: skip
PROXY = "10.0.0.1"
NOON = "2031-05-01 12:00:00"


class World:
    """An application that counts its calls, with a revision and a publication that a test may change."""

    def __init__(self, **settings: Any) -> None:
        self.revision: Revision | None = ("here", 1)
        self.scheduled: str | None = None
        self.body = b"{}"
        self.cacheable = True
        self.calls = 0
        self.cache = ResponseCache(
            self.application,
            Config(**{"log": "off", "cache": 1, "trusted_proxies": (PROXY,), **settings}),
            schemas.read_parameters(),
            lambda: self.revision,
            lambda _now: self.scheduled,
        )

    def application(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        self.calls += 1
        if self.cacheable:
            environ[CACHE_LINE].update(request="1", status=200)
        headers = {"etag": '"x"', "content-type": "application/json", "x-request-id": "1"}
        start_response("200 OK", [*headers.items()])
        return [self.body]

    def get(self, query: str = "", **more: Any) -> bytes:
        environ = {**REQUEST, "QUERY_STRING": query, **more}
        return b"".join(self.cache(environ, lambda *_: None))

    def called(self, moment: str = NOON, query: str = "", **more: Any) -> int:
        """The calls that one request makes."""
        before = self.calls
        with time_machine.travel(datetime.fromisoformat(moment).replace(tzinfo=UTC), tick=False):
            assert self.get(query, **more) == self.body
        return self.calls - before


def cached(world: World, moment: str = NOON, query: str = "") -> None:
    assert [world.called(moment, query) for _ in range(3)] == [1, 1, 0]


def key(query: str = "", **more: Any) -> Any:
    return World().cache.key({**REQUEST, "QUERY_STRING": query, **more})


def test_address_is_cached_at_its_second_request() -> None:
    world = World()
    queries = ("", "page=2", "", "", "page=2", "page=2")
    assert [world.called(query=query) for query in queries] == [1, 1, 1, 0, 1, 0]


def test_first_request_of_an_address_does_not_ask_for_the_revision(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    asked: list[None] = []
    monkeypatch.setattr(world.cache, "_revision", lambda: asked.append(None) or ("here", 1))
    assert [world.called(query=f"page={number}") for number in range(5)] == [1] * 5
    assert asked == []
    assert world.called(query="page=4") == 1
    assert len(asked) == 1


def test_response_is_found_when_another_address_has_taken_its_slot() -> None:
    world = World()
    cached(world)
    world.cache._requested = array("q", [1] * len(world.cache._requested))
    assert world.called() == 0


def test_requests_that_had_arrived_before_a_read_of_the_revision_share_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    cached(world)
    assert world.cache._snapshot is not None
    world.revision, world.body = ("here", 2), b"[]"

    monkeypatch.setattr(arrival, "time", world.cache._snapshot.read_at - 1)
    with time_machine.travel(datetime.fromisoformat(NOON).replace(tzinfo=UTC), tick=False):
        assert world.get() == b"{}"
    monkeypatch.setattr(arrival, "time", world.cache._snapshot.read_at)
    assert world.called() == 1


def test_waiting_requests_do_not_share_a_read_beyond_midnight(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    cached(world)
    monkeypatch.setattr(arrival, "time", 0.0)

    assert world.called("2031-05-02 00:00:00") == 1


@pytest.mark.parametrize("revision", [("here", 2), ("there", 1), ("here", 0)])
def test_another_revision_drops_everything(revision: Revision) -> None:
    world = World()
    cached(world)
    world.revision, world.body = revision, b"[]"
    # A known address is cached at its first request then.
    assert [world.called(), world.called()] == [1, 0]


def test_response_to_a_request_that_began_before_a_write_is_not_cached() -> None:
    world = World()
    cached(world)
    world.revision = ("here", 2)
    wrapped = world.cache.application

    def slow(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        old = wrapped(environ, start_response)
        world.revision, world.body, world.cache.application = ("here", 3), b"[]", wrapped
        assert world.called() == 1
        return old

    world.cache.application = slow
    with time_machine.travel(datetime.fromisoformat(NOON).replace(tzinfo=UTC), tick=False):
        assert world.get() == b"{}"

    assert world.called() == 0


def test_midnight_drops_everything() -> None:
    for zone, last, first in (
        ("UTC", "2031-05-01 23:59:59.9", "2031-05-02 00:00:00"),
        ("Asia/Tokyo", "2031-05-01 14:59:59.9", "2031-05-01 15:00:00"),
        ("America/New_York", "2031-05-02 03:59:59.9", "2031-05-02 04:00:00"),
        ("America/Sao_Paulo", "2018-11-04 02:59:59.9", "2018-11-04 03:00:00"),  # there is no midnight
    ):
        world = World(timezone=zone)
        cached(world, last.replace(".9", ""))
        assert [world.called(last), world.called(first)] == [0, 1]


def test_publication_and_a_clock_that_is_set_back_drop_everything() -> None:
    world = World()
    world.scheduled = "2031-05-01 13:00:00"
    cached(world)
    assert [world.called("2031-05-01 12:59:59"), world.called("2031-05-01 13:00:00")] == [0, 1]
    world.scheduled = None
    later = "2031-05-01 13:00:01"
    assert [world.called(moment) for moment in (later, later, "2031-04-30 10:00:00")] == [1, 0, 1]


def test_other_responses_are_not_cached() -> None:
    for changes, request_ in (
        ({"revision": None}, {}), ({"cacheable": False}, {}),
        ({"cacheable": False}, {"REQUEST_METHOD": "HEAD"}),
        ({"cacheable": False}, {"HTTP_AUTHORIZATION": "Bearer x"}),
    ):  # fmt: skip
        world = World()
        if request_:
            cached(world)
        vars(world).update(changes)
        assert [world.called(**request_) for _ in range(3)] == [1, 1, 1]


def test_without_a_budget_the_revision_is_not_read() -> None:
    world = World(cache=0)
    world.cache._revision = lambda: pytest.fail("read")
    assert [world.called() for _ in range(3)] == [1, 1, 1]


def test_budget_covers_bodies_and_headers() -> None:
    world = World()
    world.body = b"x" * 5000
    for number in range(300):
        for _ in range(2):
            world.called(query=f"page={number}")

    snapshot = world.cache._snapshot
    assert snapshot is not None
    entries = snapshot._entries.values()
    bodies = sum(sys.getsizeof(one.body) for one, _ in entries)
    assert 0.5 * 2**20 < bodies < snapshot.size <= 2**20


def test_equal_requests_have_the_same_key() -> None:
    for one, other in (
        ("", "utm_source=x"), ("page=2&per_page=3", "per_page=3&page=2"), ("page=1&&x=1", "page=1"),
        ("search=b&page=1&search=a", "page=1&search=b&search=a"),
    ):  # fmt: skip
        assert key(one) == key(other), one
    for path in ("/Calendar/events/v1/EVENTS", "/calendar/events/v1/events/"):
        assert key(PATH_INFO=path) == key(), path


def test_other_requests_have_other_keys() -> None:
    for one, other in (
        ("", "page=2"), ("search=a&search=b", "search=b&search=a"), ("search=a", "search=A"),
        ("categories=1&categories[]=2", "categories[]=2&categories=1"), ("%70age=2", ""), ("+page=2", ""),
        ("categories=1&categories=2", "categories=2"), ("rest_route=/x", ""), ("_fields=id", ""),
        ("tags[]=1", "tags[]=2"), ("x[page]=1", ""),
    ):  # fmt: skip
        assert key(one) != key(other)
    for more in (
        {"PATH_INFO": "/calendar/events/v1/venues"}, {"HTTP_HOST": "other"}, {"wsgi.url_scheme": "https"},
        {"SCRIPT_NAME": "/sub"}, {"HTTP_X_FORWARDED_HOST": "x", "REMOTE_ADDR": PROXY},
        {"HTTP_X_FORWARDED_PROTO": "https", "REMOTE_ADDR": PROXY},
        {"HTTP_X_FORWARDED_PREFIX": "/x", "REMOTE_ADDR": PROXY}, {"HTTP_ACCEPT_ENCODING": "gzip"},
    ):  # fmt: skip
        assert key(**more) != key()


def test_host_and_forwarded_headers_count_only_where_they_decide() -> None:
    forwarded = {"HTTP_X_FORWARDED_HOST": "x"}
    cache = World(base_url="https://calendar.example.org").cache
    assert key(**forwarded, REMOTE_ADDR="10.0.0.2") == key(REMOTE_ADDR="10.0.0.2")
    assert cache.key({**REQUEST, "HTTP_HOST": "a"}) == cache.key({**REQUEST, "HTTP_HOST": "b"})


def test_long_requests_are_not_cached() -> None:
    for more in (
        {"PATH_INFO": "/calendar" + "/" * 8000 + "events/v1"}, {"HTTP_HOST": "x" * 8000},
        {"HTTP_X_FORWARDED_PREFIX": "/x" * 4000, "REMOTE_ADDR": PROXY},
        {"QUERY_STRING": "search=" + "x" * 8000},
        {"QUERY_STRING": "&".join(f"x{number}=1" for number in range(32))},
    ):  # fmt: skip
        assert World().cache.key({**REQUEST, **more}) is None


def stored(*sizes: int, limit: int) -> tuple[Snapshot, list[bytes]]:
    """A snapshot into which responses with bodies of these sizes were put, and their keys."""
    snapshot = Snapshot(("here", 1), 0, 0, limit)
    keys = [bytes([number]) for number in range(len(sizes))]
    for key, size in zip(keys, sizes, strict=True):
        snapshot.put(key, response(size))
    return snapshot, keys


def response(size: int) -> CachedResponse:
    return CachedResponse([], b"x" * size, "", {})


def test_least_recently_used_response_is_dropped() -> None:
    snapshot, keys = stored(10_000, 10_000, 10_000, limit=35_000)
    snapshot.get(keys[0])
    snapshot.put(b"new", response(10_000))
    assert [snapshot.get(key) is not None for key in (*keys, b"new")] == [True, False, True, True]


def test_response_that_is_too_large_is_not_stored() -> None:
    snapshot, (key,) = stored(10, limit=2000)
    snapshot.put(key, response(2000))
    assert (snapshot.get(key), snapshot.size) == (None, 0)


def test_size_is_right_after_many_threads() -> None:
    snapshot, _ = stored(limit=100_000)

    def use(seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - not for secrets
        for _ in range(2000):
            key = bytes([chance.randrange(50)])
            if chance.randrange(2):
                snapshot.put(key, response(chance.randrange(15_000)))
            snapshot.get(key)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(4)))

    assert 0 < snapshot.size <= snapshot.limit
    assert snapshot.size == sum(size for _, size in snapshot._entries.values())
