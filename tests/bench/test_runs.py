"""A run goes on when a scenario fails, clients never run out of what to post; medians of ratios by round."""

from itertools import islice
from pathlib import Path

import pytest

from bench import __main__ as command
from bench import posting
from bench.data import filling
from bench.data.filling import Calendar
from bench.plan import Plan
from bench.ratios import Ratio, quiet_rounds, ratio
from bench.report import plain


def test_one_that_fails_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(plan: Plan) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(command.SCENARIOS, "X1", broken)
    monkeypatch.setitem(command.SCENARIOS, "X2", lambda plan: [plain("X2", "two", 2.0, "ms")])

    lines, failed = command._run(["X1", "X2"], Plan())

    assert [line.what for line in lines] == ["two"]
    assert failed == ["X1"]
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_new_events_have_no_end_and_no_twin(tmp_path: Path) -> None:
    (tmp_path / filling.SECRET).write_text("word", "utf-8")
    calendar = Calendar(tmp_path / filling.DATABASE, 40)

    found = list(islice(posting.requests(calendar, 8000), 150))

    assert len(set(found)) == 150


def test_ratio_is_the_median_of_the_ratios_of_each_round() -> None:
    # The medians of 10, 20, 90 and 5, 20, 30 would give 1: it is the rounds that are compared.
    assert ratio([10, 20, 90], [5, 20, 30]) == Ratio(median=2.0, low=1.0, high=3.0, rounds=3)
    assert ratio([1, 2, 3, 4], [1, 1, 1, 1]).median == 2.5


def test_rounds_with_a_baseline_off_by_more_than_15_percent_do_not_count() -> None:
    baseline = [100, 114, 116, 86, 84, 101, 99]

    assert quiet_rounds(baseline) == [0, 1, 3, 5, 6]
    assert ratio([200] * 7, baseline).rounds == 7
    assert ratio([200] * 7, baseline, quiet_rounds(baseline)) == Ratio(2.0, 200 / 114, 200 / 86, 5)


def test_where_hardly_a_round_is_quiet_all_count_and_none_is_refused() -> None:
    assert quiet_rounds([10, 100, 1000]) == [0, 1, 2]
    with pytest.raises(ValueError, match="no rounds"):
        ratio([], [])
