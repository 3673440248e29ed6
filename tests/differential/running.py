"""Sends the same requests to two worlds, counts what comes back, and reports the first difference."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.differential.comparing import differences, fewest
from tests.differential.requests import requests as any_request
from tests.differential.worlds import World

Json = dict[str, Any]

BATCH = 50
#: After so many batches both databases are emptied: lists stay short, and few requests lead to a difference.
BATCHES_BETWEEN_RESETS = 5


@dataclass
class Run:
    """What a comparison found: statuses by operation, and differences, if any."""

    statuses: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    report: str = ""

    @property
    def total(self) -> int:
        return sum(sum(counter.values()) for counter in self.statuses.values())

    def share(self, hundred: int) -> float:
        return self.number(hundred) / max(self.total, 1)

    def number(self, hundred: int) -> int:
        return sum(self.of(operation, hundred) for operation in self.statuses)

    def of(self, operation: str, hundred: int) -> int:
        statuses = self.statuses[operation].items()
        return sum(number for status, number in statuses if status // 100 == hundred)

    def table(self) -> str:
        """How many answers of each kind every operation got."""
        lines = [f"{'':40}{'2xx':>7}{'3xx':>7}{'4xx':>7}{'5xx':>7}"]
        for name in sorted(self.statuses):
            numbers = "".join(f"{self.of(name, hundred):7}" for hundred in (2, 3, 4, 5))
            lines.append(f"{name:40}{numbers}")
        numbers = "".join(f"{self.number(hundred):7}" for hundred in (2, 3, 4, 5))
        return "\n".join([*lines, f"{f'{self.total} requests':40}{numbers}"])


def batch(seed: str, count: int, *kinds: str) -> list[Json]:
    """So many requests (of some `kinds`), the same for the same seed.

    Hypothesis tries the simplest example first, here no requests, then a random one; what it would do next,
    to vary that one, would give many requests that hardly differ.
    """
    drawn: list[list[Json]] = []
    some = st.lists(any_request(kinds or ("",)), min_size=count, max_size=count)

    @hypothesis.seed(seed)
    @settings(
        max_examples=2, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.booleans().flatmap(lambda filled: some if filled else st.just([])))
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


def compare(left: World, right: World, requests: int, seed: str) -> Run:
    """Send so many requests, or stop at the first difference with a report of it."""
    run = Run()
    sent = 0
    life: list[Json] = []
    while sent < requests:
        number = sent // BATCH
        afresh = number % BATCHES_BETWEEN_RESETS == 0
        life = [] if afresh else life
        some = batch(f"{seed}/{number}", min(BATCH, requests - sent))
        sent += len(some)
        for request, one, other in zip(some, *_answers(left, right, some, afresh=afresh), strict=True):
            life.append(request)
            run.statuses[request["operation"]][one["status"]] += 1
            if _wrong(one, other):
                run.report = _report(left, right, life, f"seed {seed}, batch {number}")
                return run
    return run


def _wrong(one: Json, other: Json) -> list[str]:
    """Differences; and a failure of the server is one even when both fail."""
    failures = [f"status: {answer['status']}" for answer in (one, other) if answer["status"] >= 500]
    return failures + differences(one, other)


def _answers(left: World, right: World, requests: list[Json], *, afresh: bool) -> list[list[Json]]:
    for world in (left, right):
        world.send(requests, afresh=afresh)
    return [world.receive() for world in (left, right)]


def _report(left: World, right: World, life: list[Json], where: str) -> str:
    def last(requests: list[Json]) -> tuple[Json, Json]:
        answers = _answers(left, right, requests, afresh=True)
        return answers[0][-1], answers[1][-1]

    def differs(requests: list[Json]) -> bool:
        return bool(_wrong(*last(requests)))

    if not differs(life):
        return f"{where}: the worlds differed in {life[-1]}, but not when asked the same again."
    requests = fewest(life, differs)
    one, other = last(requests)
    lines = [f"{where}: the worlds differ after these {len(requests)} requests (left | right):"]
    lines += [json.dumps(request) for request in requests]
    lines += _wrong(one, other)
    return "\n".join([*lines, f"left:  {_short(one)}", f"right: {_short(other)}"])


def _short(answer: Json) -> str:
    return f"{answer['status']} {ascii(answer['body'])[:1500]}"
