"""The check of a load finds what is wrong: each spoilt database or log fails it, and only as it should."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.cluster.checking import Result, check
from tests.cluster.load import Client, Log, Write, hot_value, run
from tests.system.load import SHARED_TAG

HOT, KEYS = 7, ("a1", "a2", "b1")
#: The columns that the check reads.
SCHEMA = """
CREATE TABLE record (id INTEGER, kind); CREATE TABLE image (id); CREATE TABLE idempotent_response (id);
CREATE TABLE event (id INTEGER, title, description, excerpt, website, version INTEGER);
CREATE TABLE venue (id, venue); CREATE TABLE organizer (id, organizer); CREATE TABLE term (id, name);
CREATE TABLE event_venue (event_id, venue_id); CREATE TABLE event_organizer (event_id, organizer_id);
CREATE TABLE event_term (event_id, term_id); CREATE TABLE search_text (record_id, folded);
INSERT INTO event VALUES (7, 'Hot h3', 'Hot before', 'Hot before', 'https://example.org/before', 4);
INSERT INTO record VALUES (7, 'event'), (9, 'term'); INSERT INTO search_text VALUES (7, 'hot h3 hot before');
"""


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    """Three new events and one that was changed three times, as a node holds them."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        connection.execute("INSERT INTO term VALUES (9, ?)", (SHARED_TAG,))
        for id, key in enumerate(KEYS, 10):
            connection.executescript(f"""
                INSERT INTO event VALUES ({id}, 'Event {key}', 'All of {key}', '', '', 1);
                INSERT INTO venue VALUES ({id}0, 'Venue {key}'); INSERT INTO event_venue VALUES ({id}, {id}0);
                INSERT INTO organizer VALUES ({id}1, 'Organizer {key}');
                INSERT INTO event_organizer VALUES ({id}, {id}1);
                INSERT INTO term VALUES ({id}2, 'tag-{key}');
                INSERT INTO event_term VALUES ({id}, {id}2), ({id}, 9);
                INSERT INTO search_text VALUES ({id}, 'event {key} all of {key}');
                INSERT INTO idempotent_response VALUES ({id});
                INSERT INTO record VALUES ({id}, 'event'), ({id}0, 'venue'), ({id}1, ''), ({id}2, 'term');
            """)
        yield connection


def checked(database: sqlite3.Connection, log: Log | None = None) -> Result:
    return check(log or whole(), lambda sql: database.execute(sql).fetchall(), HOT, 1)


def whole() -> Log:
    posts = [Write(key, at, at + 0.5, 201, 10 + at) for at, key in enumerate(KEYS)]
    patches = [Write(f"h{n}", n, n + 0.25, 200, HOT, "title") for n in (1, 2, 3)]
    return Log(0.0, 4.0, [*posts, *patches])


def wrong(result: Result) -> dict[str, int]:
    names = ("failed", "lost", "halves", "duplicates")
    return {name: len(getattr(result, name)) for name in names if getattr(result, name)}


def test_nothing_is_wrong_with_what_is_whole(database: sqlite3.Connection) -> None:
    result = checked(database)

    assert wrong(result) == {}
    assert result.gap == 0.75  # from the last answer to the end


@pytest.mark.parametrize(
    ("statement", "kinds"),
    [
        ("UPDATE event SET title = 'gone' WHERE id = 12", {"lost": 1, "halves": 1}),
        ("UPDATE event SET version = 3 WHERE id = 7", {"lost": 1}),
        ("UPDATE event SET title = 'Hot h2' WHERE id = 7", {"lost": 1, "halves": 1}),
        ("DELETE FROM event_venue WHERE event_id = 10", {"halves": 2}),
        ("DELETE FROM event_organizer WHERE event_id = 10", {"halves": 2}),
        ("DELETE FROM event_term WHERE event_id = 10", {"halves": 2}),
        ("UPDATE search_text SET folded = '' WHERE record_id = 10", {"halves": 1}),
        ("UPDATE search_text SET folded = 'hot h2 hot before' WHERE record_id = 7", {"halves": 1}),
        ("INSERT INTO venue VALUES (99, 'Venue c9')", {"halves": 1}),
        ("DELETE FROM idempotent_response WHERE id = 10", {"halves": 1}),
        ("INSERT INTO event SELECT 99, title, description, '', '', 1 FROM event WHERE id = 10",
         {"halves": 3, "duplicates": 1}),
        ("INSERT INTO term SELECT 98, name FROM term WHERE id = 9", {"duplicates": 1}),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found(database: sqlite3.Connection, statement: str, kinds: dict[str, int]) -> None:
    database.execute(statement)

    assert wrong(checked(database)) == kinds


@pytest.mark.parametrize(
    ("began", "kept", "ended", "gap"),
    [(0.0, (0, 6), 8.0, 6.0), (0.0, (), 8.0, 8.0), (-9.0, (0, 6), 6.5, 9.5), (0.0, (0, 6), 20.0, 13.5)],
)
def test_failures_are_found_and_end_no_gap(
    database: sqlite3.Connection, began: float, kept: tuple[int, ...], ended: float, gap: float
) -> None:
    log = Log(began, ended, [Write(f"a{at + 1}", at, at + 0.5, 201, 10) for at in kept])
    log.writes += [Write("a3", 2.0, 2.5, 503), Write("a4", 2.0, 2.5, 0, said="reset")]

    result = checked(database, log)

    assert result.gap == pytest.approx(gap)
    assert len(result.failed) == 2


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
    assert any("ConnectionResetError" in write.said for write in log.writes)
    assert hot_value("website", "x") == "https://example.org/x"
