"""Processor time, compared with work measured beside it, because machines differ and are busy."""

import time
from collections.abc import Callable
from functools import cache
from typing import Any

BODY = 1_000_000  # bytes, a little less than a body may have


def spent(run: Callable[[], Any]) -> float:
    """Processor seconds of one run."""
    began = time.thread_time()
    run()
    return time.thread_time() - began


def reading() -> float:
    """Processor seconds that visiting each letter of a body takes now."""
    return spent(lambda: sum(map(ord, "a" * BODY)))


_first_reading = cache(reading)


def is_quick(run: Callable[[], Any]) -> bool:
    """Whether one of some runs is at most as long as reading ten bodies; growth with the square is longer."""
    return spent(run) <= 10 * _first_reading() or any(spent(run) <= 10 * reading() for _ in range(4))
