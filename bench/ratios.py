"""Ratios that are robust to noise: each round is divided by the baseline of the same round."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

TOLERANCE = 0.15
FEWEST = 3  # with fewer quiet rounds all rounds count


@dataclass(frozen=True)
class Ratio:
    """Median, minimum and maximum over rounds, and the number of rounds."""

    median: float
    low: float
    high: float
    rounds: int


def quiet_rounds(baseline: Sequence[float], tolerance: float = TOLERANCE) -> list[int]:
    """The rounds in which the baseline is within `tolerance` of its median; all if that leaves few."""
    middle = statistics.median(baseline)
    quiet = [
        place for place, value in enumerate(baseline) if abs(value - middle) <= tolerance * middle + 1e-12
    ]
    return quiet if len(quiet) >= FEWEST else list(range(len(baseline)))


def ratio(subject: Sequence[float], baseline: Sequence[float], rounds: Sequence[int] | None = None) -> Ratio:
    """`subject` divided by `baseline` for these rounds (default: all)."""
    places = range(len(baseline)) if rounds is None else rounds
    found = [subject[place] / baseline[place] for place in places if baseline[place]]
    if not found:
        raise ValueError("There are no rounds to compare.")
    return Ratio(statistics.median(found), min(found), max(found), len(found))


def agree(one: float, other: float, tolerance: float = TOLERANCE) -> bool:
    """Whether two measurements of a ratio differ by at most `tolerance`."""
    return abs(one - other) <= tolerance * max(abs(one), abs(other))
