"""The comparison itself: every kind of difference is reported, and a database with a habit is found out."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.differential.comparing import differences, fewest
from tests.differential.running import compare
from tests.differential.worlds import World

pytestmark = pytest.mark.long

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


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda answer: answer.update(status=404), "status: 200 | 404"),
        (lambda answer: answer["headers"].pop("etag"), "headers.etag: '[tag 1]' | nothing"),
        (_body("Jazz", "jazz"), "body.title: 'Jazz' | 'jazz'"),
        (_body('"cost":1', '"cost":true'), "body.cost: 1 | True"),
        (
            _body(',{"id":[tag 2]}', ""),
            "body.tags: [{'id': '[tag 1]'}, {'id': '[tag 2]'}] | [{'id': '[tag 1]'}]",
        ),
        (_body('"id":[event 1],"title":"Jazz"', '"title":"Jazz","id":[event 1]'), "body: keys in the order"),
        (_body('"cost":1', '"cost": 1'), "body: "),
    ],
)
def test_every_kind_of_difference_is_reported(change: Callable[[Json], object], told: str) -> None:
    other = deepcopy(ANSWER)
    assert differences(ANSWER, other) == []
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


#: A database that fills up with spaces.
HABIT = """
    CREATE TRIGGER habit AFTER INSERT ON venue BEGIN
        UPDATE venue SET city = rtrim(new.city, ' ') || ' ' WHERE id = new.id;
    END
"""


@pytest.mark.parametrize("habit", [(), (HABIT,)], ids=["none", "spaces"])
def test_other_ids_make_no_difference_but_a_habit_of_a_database_does(
    habit: tuple[str, ...], tmp_path: Path
) -> None:
    with (
        World(f"sqlite:///{tmp_path}/left.sqlite3", 700_000_000) as left,
        World(f"sqlite:///{tmp_path}/right.sqlite3", 731_000_000, habit) as right,
    ):
        run = compare(left, right, 3000 if habit else 250, "d")  # a seed that shows it early

    print(run.report)
    assert ("the worlds differ after these" in run.report) == bool(habit)
    assert habit or run.total == 250
