"""Ratios that noise changes little: each round is divided by the baseline of the same round (pure)."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

TOLERANCE = 0.15
FEWEST = 3  # with less quiet rounds than these the noise is told, not cut


@dataclass(frozen=True)
class Ratio:
    """The median over rounds, with the lowest and the highest, and how many rounds counted."""

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
    """`subject` over `baseline`, round by round, of these rounds or of all."""
    places = range(len(baseline)) if rounds is None else rounds
    found = [subject[place] / baseline[place] for place in places if baseline[place]]
    if not found:
        raise ValueError("There are no rounds to compare.")
    return Ratio(statistics.median(found), min(found), max(found), len(found))


def agree(one: float, other: float, tolerance: float = TOLERANCE) -> bool:
    """Whether two ways of measuring the same ratio tell the same."""
    return abs(one - other) <= tolerance * max(abs(one), abs(other))
