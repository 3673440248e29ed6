"""Requests drawn from their strategies, the same for the same seed."""

from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.differential.requests import requests

Json = dict[str, Any]


def batch(seed: str, count: int) -> list[Json]:
    """So many requests, the same for the same seed.

    Hypothesis tries the simplest example first, then a random one; what it would do next, to vary that one,
    would give many requests that hardly differ.
    """
    drawn: list[list[Json]] = []

    @hypothesis.seed(seed)
    @settings(
        max_examples=2,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(requests(), min_size=count, max_size=count))
    def draw(found: list[Json]) -> None:
        drawn.append(found)

    draw()
    return _repeated(drawn[-1])


def _repeated(requests: list[Json]) -> list[Json]:
    """Some requests once more, a little later, in the place of another."""
    for place, request in enumerate(list(requests)):
        later = place + request.pop("again", 0)
        if place < later < len(requests):
            requests[later] = request
    return requests
