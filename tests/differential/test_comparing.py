"""The comparison itself: every kind of difference is reported, and a database with a habit is found out."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.differential.batches import batch
from tests.differential.comparing import differences, fewest
from tests.differential.running import compare
from tests.differential.worlds import World

Json = dict[str, Any]

ANSWER: Json = {
    "status": 200,
    "headers": {"allow": "GET", "etag": "[tag 1]"},
    "body": '{"id":[event 1],"title":"Jazz","tags":[{"id":[tag 1]},{"id":[tag 2]}],"cost":1}',
    "made": ["event"],
}


def _body(old: str, new: str) -> Callable[[Json], None]:
    def change(answer: Json) -> None:
        assert old in answer["body"]
        answer["body"] = answer["body"].replace(old, new)

    return change


def test_equal_answers_have_no_differences() -> None:
    assert differences(ANSWER, deepcopy(ANSWER)) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda answer: answer.update(status=404), "status: 200 | 404"),
        (lambda answer: answer.update(made=[]), "made: ['event'] | []"),
        (lambda answer: answer["headers"].update(allow="POST"), "headers.allow: 'GET' | 'POST'"),
        (lambda answer: answer["headers"].pop("etag"), "headers.etag: '[tag 1]' | nothing"),
        (lambda answer: answer["headers"].update(link="<x>"), "headers.link: nothing | '<x>'"),
        (_body("Jazz", "jazz"), "body.title: 'Jazz' | 'jazz'"),
        (_body("Jazz", "Jazz "), "body.title: 'Jazz' | 'Jazz '"),
        (_body('"title":"Jazz",', ""), "body.title: 'Jazz' | nothing"),
        (_body('"cost":1', '"cost":"1"'), "body.cost: 1 | '1'"),
        (_body('"cost":1', '"cost":true'), "body.cost: 1 | True"),
        (_body('"cost":1', '"cost":1.0'), "body.cost: 1 | 1.0"),
        (
            _body('{"id":[tag 1]},{"id":[tag 2]}', '{"id":[tag 2]},{"id":[tag 1]}'),
            "body.tags.0.id: '[tag 1]' | '[tag 2]'",
        ),
        (
            _body(',{"id":[tag 2]}', ""),
            "body.tags: [{'id': '[tag 1]'}, {'id': '[tag 2]'}] | [{'id': '[tag 1]'}]",
        ),
        (
            _body('"id":[event 1],"title":"Jazz"', '"title":"Jazz","id":[event 1]'),
            "body: keys in the order ['id', 'title', 'tags', 'cost'] | ['title', 'id', 'tags', 'cost']",
        ),
        (_body('"cost":1', '"cost": 1'), "body: "),
        (_body(ANSWER["body"], "no document"), "body: "),
    ],
)
def test_every_difference_is_told(change: Callable[[Json], object], told: str) -> None:
    other = deepcopy(ANSWER)
    change(other)

    assert differences(ANSWER, other)[0].startswith(told)
    assert differences(other, ANSWER)


def test_requests_that_do_not_matter_are_left_out() -> None:
    requests = [{"query": [["a", number]], "headers": {"x": "y"}, "number": number} for number in range(40)]

    def differs(some: list[Json]) -> bool:
        return {7, 39} <= {request["number"] for request in some} and ["a", 39] in some[-1]["query"]

    assert fewest(requests, differs) == [
        {"query": [], "headers": {}, "number": 7},
        {"query": [["a", 39]], "headers": {}, "number": 39},
    ]


def test_same_seed_makes_same_requests() -> None:
    assert batch("one", 20) == batch("one", 20) != batch("two", 20)


#: A database that fills up with spaces.
HABIT = """
    CREATE TRIGGER habit AFTER INSERT ON venue BEGIN
        UPDATE venue SET city = rtrim(new.city, ' ') || ' ' WHERE id = new.id;
    END
"""


def test_ids_make_no_difference(tmp_path: Path) -> None:
    with (
        World(f"sqlite:///{tmp_path}/left.sqlite3", 700_000_000) as left,
        World(f"sqlite:///{tmp_path}/right.sqlite3", 731_000_000) as right,
    ):
        run = compare(left, right, 250, "ids")

    assert (run.report, run.total) == ("", 250)


def test_database_with_a_habit_of_its_own_is_found_out(tmp_path: Path) -> None:
    with (
        World(f"sqlite:///{tmp_path}/left.sqlite3", 700_000_000) as left,
        World(f"sqlite:///{tmp_path}/right.sqlite3", 731_000_000, [HABIT]) as right,
    ):
        run = compare(left, right, 3000, "d")  # a seed that shows it early

    print(run.report)
    assert "the worlds differ after these" in run.report
