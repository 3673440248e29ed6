"""The arithmetic of the benchmark: medians of ratios by round, and rounds that do not count."""

import pytest

from bench.ratios import Ratio, quiet_rounds, ratio


def test_ratio_is_the_median_of_the_ratios_of_each_round() -> None:
    # The medians of 10, 20, 90 and 5, 20, 30 would give 1: it is the rounds that are compared.
    assert ratio([10, 20, 90], [5, 20, 30]) == Ratio(median=2.0, low=1.0, high=3.0, rounds=3)


def test_ratio_of_an_even_number_of_rounds_lies_between_the_middle_ones() -> None:
    assert ratio([1, 2, 3, 4], [1, 1, 1, 1]).median == 2.5


def test_rounds_with_a_baseline_off_by_more_than_15_percent_do_not_count() -> None:
    baseline = [100, 114, 116, 86, 84, 101, 99]

    assert quiet_rounds(baseline) == [0, 1, 3, 5, 6]
    assert ratio([200] * 7, baseline).rounds == 7
    assert ratio([200] * 7, baseline, quiet_rounds(baseline)) == Ratio(2.0, 200 / 114, 200 / 86, 5)


def test_where_hardly_a_round_is_quiet_all_count() -> None:
    assert quiet_rounds([10, 100, 1000]) == [0, 1, 2]


def test_ratio_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no rounds"):
        ratio([], [])
