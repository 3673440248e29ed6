"""The statements of an answer are told apart, and what the benchmark asks for is what Python finds."""

import pytest

from bench.baselines import engine
from bench.data import dataset, filling
from bench.data.dataset import Size
from bench.data.filling import Calendar
from bench.statements import Statement, answers, kinds

TOTAL = "SELECT COUNT(1) FROM (SELECT 1 FROM event)"
PAGE = "SELECT id FROM event ORDER BY utc_start_date, id LIMIT ? OFFSET ?"
OTHER = "SELECT id FROM term WHERE id IN (?)"


@pytest.fixture(scope="module")
def calendar(tmp_path_factory: pytest.TempPathFactory) -> Calendar:
    return filling.fill(tmp_path_factory.mktemp("statements"), 300)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([TOTAL, PAGE, OTHER], ["total", "page", "nested"]),
        ([OTHER, PAGE, TOTAL, OTHER], ["before", "page", "total", "nested"]),
        ([TOTAL, OTHER, PAGE], ["total", "before", "page"]),
        ([OTHER], ["nested"]),
        ([], []),
    ],
)
def test_statements_before_the_last_that_finds_are_part_of_finding(
    given: list[str], found: list[str]
) -> None:
    assert kinds([Statement(sql, ()) for sql in given]) == found


def test_statements_of_a_list_are_recorded_and_timed(calendar: Calendar) -> None:
    with answers(calendar) as asked:
        cost = asked.cost(starts_after="2000-01-01")

    assert {"page", "total", "nested"} <= cost.ms.keys()
    assert cost.found == cost.ms["page"] + cost.ms["total"]


def test_words_and_places_are_found_as_python_finds_them(calendar: Calendar) -> None:
    venue = next(dataset.places(Size(300)))

    with answers(calendar) as asked:
        _, with_word = asked.ids(search="Garden", starts_after="2000-01-01")
        around = {"geoloc_lat": venue.lat, "geoloc_lng": venue.lng, "geoloc_distance": 500}
        _, near = asked.ids(**around, starts_after="2000-01-01")

    expected, _ = engine.near(calendar, venue.lat, venue.lng, 500)
    assert with_word == engine.containing(calendar, "garden")
    assert near == expected
    assert with_word
    assert near
