"""The check of a load finds what is wrong: each doctored log or database fails it, and only as it should."""

import dataclasses
from collections.abc import Callable

import pytest

from tests.cluster.checking import Event, Held, Result, check
from tests.cluster.load import HOT_FIELDS, SHARED_TAG, Client, Log, Write, hot_value, run

HOT, KEYS, LAST = 7, ("a1", "a2", "b1"), "h3"


def whole() -> tuple[Log, Held]:
    """A log of three new events and three changes of the hot one, and a node that holds them all."""
    posts = [Write(key, at, at + 0.5, 201, 10 + 3 * at) for at, key in enumerate(KEYS)]
    patches = [Write(f"h{n}", n, n + 0.25, 200, HOT, "title") for n in (1, 2, 3)]
    events = [
        Event(
            10 + 3 * at, f"Event {key}", {}, 1, [f"Venue {key}"], [f"Organizer {key}"],
            [f"Tag {key}", SHARED_TAG], f"event {key} written by {key}",
        )
        for at, key in enumerate(KEYS)
    ]  # fmt: skip
    columns = dict.fromkeys(HOT_FIELDS, "Hot before") | {"title": hot_value("title", LAST)}
    hot = Event(HOT, columns["title"], columns, 4, search=f"hot {LAST} hot before")
    return Log(0.0, 4.0, [*posts, *patches]), Held(
        [hot, *events],
        [f"Venue {key}" for key in KEYS],
        [f"Organizer {key}" for key in KEYS],
        [*(f"Tag {key}" for key in KEYS), SHARED_TAG],
        len(KEYS),
    )


def wrong(result: Result) -> dict[str, list[str]]:
    names = ("failed", "lost", "halves", "duplicates")
    return {name: getattr(result, name) for name in names if getattr(result, name)}


def test_nothing_is_wrong_with_what_is_whole() -> None:
    result = check(*whole(), HOT, 1)

    assert wrong(result) == {}
    assert result.gap == 0.75  # from the last answer to the end


def remove_event(log: Log, found: Held) -> None:
    found.events.pop()
    for names in (found.venues, found.organizers, found.tags):
        names.remove(next(name for name in names if name.endswith("b1")))
    found.first_answers -= 1


def undo_change(log: Log, found: Held) -> None:
    found.events[0].columns["title"] = hot_value("title", "h2")
    found.events[0].search += " hot h2"


def lower(record: object, name: str) -> None:
    setattr(record, name, getattr(record, name) - 1)


#: Each makes one thing wrong, of the kind that the check must report.
WRONG: dict[str, tuple[str, Callable[[Log, Held], object]]] = {
    "event missing": ("lost", remove_event),
    "event has another id": ("lost", lambda log, found: lower(found.events[-1], "id")),
    "change missing": ("lost", lambda log, found: lower(found.events[0], "version")),
    "change undone": ("lost", undo_change),
    "hot event missing": ("lost", lambda log, found: found.events.pop(0)),
    "venue not linked": ("halves", lambda log, found: found.events[1].venues.clear()),
    "organizer not linked": ("halves", lambda log, found: found.events[1].organizers.clear()),
    "tag not linked": ("halves", lambda log, found: found.events[1].tags.remove("Tag a1")),
    "search text missing": ("halves", lambda log, found: setattr(found.events[1], "search", "")),
    "old search text": ("halves", lambda log, found: setattr(found.events[0], "search", "hot h2 hot before")),
    "venue without event": ("halves", lambda log, found: found.venues.append("Venue c9")),
    "response forgotten": ("halves", lambda log, found: lower(found, "first_answers")),
    "event twice": (
        "duplicates", lambda log, found: found.events.append(dataclasses.replace(found.events[1], id=99)),
    ),
    "shared tag twice": ("duplicates", lambda log, found: found.tags.append(SHARED_TAG)),
    "write refused": ("failed", lambda log, found: log.writes.append(Write("a3", 3.0, 3.5, 503))),
    "no answer": ("failed", lambda log, found: log.writes.append(Write("a3", 3.0, 3.5, 0, said="reset"))),
}  # fmt: skip


@pytest.mark.parametrize("fault", WRONG)
def test_what_is_wrong_is_found(fault: str) -> None:
    (name, spoil), (log, found) = WRONG[fault], whole()
    spoil(log, found)

    result = check(log, found, HOT, 1)

    assert list(wrong(result)) == [name]
    assert len(wrong(result)[name]) == 1


@pytest.mark.parametrize(
    ("began", "kept", "ended", "gap"),
    [(0.0, (0, 6), 8.0, 6.0), (0.0, (), 8.0, 8.0), (-9.0, (0, 6), 6.5, 9.5), (0.0, (0, 6), 20.0, 13.5)],
)
def test_longest_gap_counts_from_beginning_to_end(
    began: float, kept: tuple[int, ...], ended: float, gap: float
) -> None:
    log, found = whole()
    log.writes = [Write(f"a{at}", at, at + 0.5, 201, 10) for at in kept]
    log.writes.append(Write("a3", 2.0, 2.5, 503))  # a failure ends no gap
    log.began, log.ended = began, ended

    assert check(log, found, HOT, 1).gap == pytest.approx(gap)


def test_run_logs_every_write_and_acts_in_the_middle() -> None:
    acted: list[bool] = []

    def write(key: str) -> tuple[int, int, str]:
        if key.startswith("b"):
            raise ConnectionResetError("gone")
        return 201, 5, ""

    log = run([Client("a", write), Client("b", write, "title")], 0.2, lambda: acted.append(True))

    assert acted == [True]
    assert {(write.status, write.id, write.column) for write in log.writes} == {(201, 5, ""), (0, 0, "title")}
    assert len({write.key for write in log.writes}) == len(log.writes)
    assert "ConnectionResetError" in check(log, whole()[1], HOT, 1).failed[0]
