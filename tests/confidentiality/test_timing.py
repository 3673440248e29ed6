"""How long an answer takes tells nothing: hidden or not there, nearly the secret or far from it.

Long form only. Pairs are asked in turns and in random order, so that a busy machine slows both alike; a pair
counts by the sign and the rank of its difference (Wilcoxon), which a few slow answers cannot move. On one
machine a difference may be real and too small to be of use from outside: it counts as found when chance
explains it in less than one of a hundred runs and its median is more than 5 % of an answer.
"""

import math
import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from calendar_api.app import create_app
from calendar_api.config import Config
from tests import figures
from tests.confidentiality.speaking import Speaker
from tests.confidentiality.twins import Twin, populate
from tests.templates import Template

PAIRS = 2000
SEED = os.environ.get("CALENDAR_TEST_TWINS_SEED", "calendar")
SMALL = 0.05
pytestmark = [pytest.mark.sqlite, pytest.mark.skipif(not figures.LONG, reason="the long form measures times")]


@dataclass(frozen=True)
class Measured:
    """`p` is how often chance would show such a difference; `share` is its median in answers."""

    p: float
    share: float
    median: float

    @property
    def tells(self) -> bool:
        return self.p < 0.01 and abs(self.share) > SMALL


def measured(one: Callable[[], object], other: Callable[[], object]) -> Measured:
    order = random.Random(SEED)  # noqa: S311 - an order, no secret
    pairs: list[tuple[float, float]] = []
    for number in range(PAIRS + 100):
        asked = [(0, one), (1, other)]
        order.shuffle(asked)
        times = [0.0, 0.0]
        for place, ask in asked:
            begun = time.perf_counter_ns()
            ask()
            times[place] = (time.perf_counter_ns() - begun) / 1e6
        if number >= 100:  # what comes first fills the caches
            pairs.append((times[0], times[1]))
    differences = [second - first for first, second in pairs]
    median = statistics.median(first for first, _ in pairs)
    return Measured(_wilcoxon(differences), statistics.median(differences) / median, median)


def _wilcoxon(differences: list[float]) -> float:
    """Two-sided, by the normal approximation, which thousands of pairs allow."""
    ranked = sorted((difference for difference in differences if difference), key=abs)
    size = len(ranked)
    positive = sum(rank for rank, difference in enumerate(ranked, 1) if difference > 0)
    mean, spread = size * (size + 1) / 4, math.sqrt(size * (size + 1) * (2 * size + 1) / 24)
    return math.erfc(abs(positive - mean) / spread / math.sqrt(2))


@pytest.fixture
def twin(config: Config, template: Template) -> Twin:
    return populate(Twin(Speaker(create_app(config), template.secrets), template.ids), "a")


@pytest.mark.parametrize("as_", [None, "author"])
@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_hidden_record_takes_as_long_as_none(twin: Twin, as_: str | None, method: str) -> None:
    hidden = f"/events/{twin.hidden[-1]['id']}"
    body = {"title": "x"} if method == "PATCH" else None

    found = measured(
        lambda: twin.speaker.send(method, hidden, body, as_=as_),
        lambda: twin.speaker.send(method, "/events/999999", body, as_=as_),
    )

    figures.keep(f"timing_{method}_{as_}", **vars(found))
    assert not found.tells


def test_beginning_of_a_secret_takes_as_long_as_any(twin: Twin) -> None:
    secret = twin.speaker.secrets["admin"]
    changed = "A" if secret[-1] != "A" else "B"
    twin.speaker.secrets |= {"nearly": secret[:-1] + changed, "far": "AAAA" + secret[4:]}

    found = measured(
        lambda: twin.speaker.send("GET", "/tags", as_="nearly"),
        lambda: twin.speaker.send("GET", "/tags", as_="far"),
    )

    figures.keep("timing_secrets", **vars(found))
    assert not found.tells


def test_a_tenth_more_for_one_of_them_is_noticed(twin: Twin) -> None:
    def slower() -> None:
        twin.speaker.send("GET", "/events/999999")
        begun = time.perf_counter_ns()
        while time.perf_counter_ns() - begun < median * 0.1 * 1e6:
            pass

    median = measured(*[lambda: twin.speaker.send("GET", "/events/999999")] * 2).median

    assert measured(lambda: twin.speaker.send("GET", "/events/999999"), slower).tells
