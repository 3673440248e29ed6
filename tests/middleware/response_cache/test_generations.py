"""What is remembered goes with the revision, and when time alone changes an answer."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
import time_machine

from calendar_api.middleware.response_cache.answers import CachedResponse
from calendar_api.middleware.response_cache.generations import Generation, Generations, Revision


class World:
    """A revision and a publication that a test may move."""

    def __init__(self, zone: str = "UTC") -> None:
        self.revision: Revision | None = ("here", 1)
        self.scheduled: str | None = None
        self.texts_changed: dict[tuple[int, int], set[int]] = {}
        self.generations = Generations(
            20_000, ZoneInfo(zone), lambda: self.revision, lambda _now: self.scheduled,
            lambda before, now: self.texts_changed.get((before, now)),
        )  # fmt: skip

    def at(self, moment: str) -> Generation:
        with time_machine.travel(datetime.fromisoformat(moment).replace(tzinfo=UTC), tick=False):
            found = self.generations.current()
        assert found is not None
        return found


def test_one_revision_is_one_generation() -> None:
    world = World()

    assert world.at("2031-05-01 10:00:00") is world.at("2031-05-01 23:59:59")


@pytest.mark.parametrize("revision", [("here", 2), ("there", 1), ("here", 0)])
def test_another_revision_is_another_generation(revision: Revision) -> None:
    world = World()
    before = world.at("2031-05-01 10:00:00")
    world.revision = revision

    assert world.at("2031-05-01 10:00:00") is not before


@pytest.mark.parametrize(
    ("zone", "last", "first"),
    [
        ("UTC", "2031-05-01 23:59:59.9", "2031-05-02 00:00:00"),
        ("Asia/Tokyo", "2031-05-01 14:59:59.9", "2031-05-01 15:00:00"),
        ("America/New_York", "2031-05-02 03:59:59.9", "2031-05-02 04:00:00"),
        ("America/Sao_Paulo", "2018-11-04 02:59:59.9", "2018-11-04 03:00:00"),  # there is no midnight
    ],
)
def test_midnight_ends_a_generation(zone: str, last: str, first: str) -> None:
    world = World(zone)
    before = world.at(last.replace(".9", ""))

    assert world.at(last) is before
    assert world.at(first) is not before


def test_a_publication_ends_a_generation() -> None:
    world = World()
    world.scheduled = "2031-05-01 12:00:00"
    before = world.at("2031-05-01 10:00:00")

    assert world.at("2031-05-01 11:59:59") is before
    assert world.at("2031-05-01 12:00:00") is not before


def test_a_clock_that_is_set_back_begins_anew() -> None:
    world = World()
    before = world.at("2031-05-02 10:00:00")

    assert world.at("2031-05-01 10:00:00") is not before


def test_nothing_is_remembered_when_nobody_can_tell_the_revision() -> None:
    world = World()
    world.revision = None

    assert world.generations.current() is None


def test_without_room_nobody_asks() -> None:
    def fail() -> Revision:
        raise AssertionError

    assert Generations(0, UTC, fail, lambda _now: None, lambda *_: None).current() is None


def shows(*ids: int) -> CachedResponse:
    return CachedResponse([], b"", {}, frozenset(ids))


def test_what_shows_none_of_the_texts_that_changed_stays() -> None:
    world = World()
    before = world.at("2031-05-01 10:00:00")
    for key, answer in (
        ("both", shows(1, 2)),
        ("other", shows(2)),
        ("any", CachedResponse([], b"", {}, None)),
    ):
        before.answers.put(key, answer, 100)
    for id in (1, 2):
        before.events.put(("here", id), b"{}", 100)
    before.totals.put("all", 2, 100)
    before.found.put("word", 2, 100)
    world.revision, world.texts_changed = ("here", 3), {(1, 3): {1}}

    after = world.at("2031-05-01 10:00:01")
    before.answers.put("late", shows(2), 100)  # by a thread that began before

    assert after.revision == ("here", 3)
    assert [after.answers.get(key) is not None for key in ("both", "other", "any", "late")] == [
        False, True, False, False,
    ]  # fmt: skip
    assert (after.events.get(("here", 1)), after.events.get(("here", 2))) == (None, b"{}")
    assert (after.totals.get("all"), after.found.get("word")) == (2, None)
    assert world.at("2031-05-02 00:00:00") is not after


def test_other_changes_and_another_database_leave_nothing() -> None:
    for revision in (("here", 2), ("here", 0), ("there", 3)):
        world = World()
        world.texts_changed = {(1, 3): {1}}
        world.at("2031-05-01 10:00:00").answers.put("other", shows(2), 100)
        world.revision = revision

        assert world.at("2031-05-01 10:00:01").answers.get("other") is None


def test_an_old_snapshot_takes_nothing_from_the_others() -> None:
    world = World()
    world.revision = ("here", 2)
    with time_machine.travel(datetime(2031, 5, 1, 10, tzinfo=UTC), tick=False):
        newer = world.generations.current()
        world.revision = ("here", 1)
        older = world.generations.current(snapshot=True)
        world.revision = ("here", 2)

        assert older is not newer
        assert world.generations.current() is newer
