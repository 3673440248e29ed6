"""Load by wrk in slices of a second, interleaved between subjects so that noise affects all equally."""

import json
import os
import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from bench import places, processes
from bench.ratios import Ratio, quiet_rounds, ratio
from bench.servers import Server

CONNECTIONS = 8
ROUNDS = 9
_PATIENCE, _LOOK = 10.0, 0.025  # seconds
_IDLE_NS = 500_000  # CPU time of an idle server between two looks is below this


class LoadError(Exception):
    """Why nothing could be measured, as a sentence for the user."""


@dataclass
class Subject:
    """A server and the request to send; `targets` is a file of many targets.

    `around` is entered for each slice, and may return a function that counts the requests it sends itself.
    """

    name: str
    server: Server
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    targets: Path | None = None
    status: int = 200
    around: Callable[[], AbstractContextManager[Callable[[], int] | None]] = nullcontext


@dataclass(frozen=True)
class Slice:
    """Figures of one slice; CPU time of the whole process tree, latencies in milliseconds."""

    requests: int
    rps: float
    cpu_us: float
    p50: float
    p99: float
    failed: int


@dataclass
class Measured:
    """The slices of every subject, round by round."""

    baseline: str
    slices: dict[str, list[Slice]]

    @property
    def rounds(self) -> list[int]:
        return quiet_rounds([one.cpu_us for one in self.slices[self.baseline]])

    def by_cpu(self, name: str, baseline: str = "") -> Ratio:
        """CPU time per request of the baseline, divided by that of the subject; more is better."""
        other = self.slices[baseline or self.baseline]
        return ratio([one.cpu_us for one in other], [one.cpu_us for one in self.slices[name]], self.rounds)

    def by_rps(self, name: str, baseline: str = "") -> Ratio:
        """The same ratio by requests per second."""
        other = self.slices[baseline or self.baseline]
        return ratio([one.rps for one in self.slices[name]], [one.rps for one in other], self.rounds)

    def median(self, name: str, figure: str) -> float:
        return float(statistics.median(getattr(one, figure) for one in self.slices[name]))

    def failed(self, name: str) -> int:
        return sum(one.failed for one in self.slices[name])


def require_wrk() -> None:
    if shutil.which("wrk") is None:
        raise LoadError("wrk is not installed (Debian: apt-get install wrk).")


def interleaved(
    subjects: list[Subject], baseline: str, rounds: int = ROUNDS, seconds: int = 1, *, warm_up: bool = True
) -> Measured:
    """Measure every subject in each round; the order rotates."""
    for subject in subjects:
        answer = subject.server.get(subject.target, subject.headers)
        if answer.status != subject.status:
            raise LoadError(
                f"{subject.name} answers {answer.status} to {subject.target}: {answer.body[:300]!r}"
            )
        if warm_up:
            slice_of(subject, 1, 0)
    slices: dict[str, list[Slice]] = {subject.name: [] for subject in subjects}
    for number in range(rounds):
        shift = number % len(subjects)
        for subject in subjects[shift:] + subjects[:shift]:
            slices[subject.name].append(slice_of(subject, seconds, number + 1))
    return Measured(baseline, slices)


def slice_of(subject: Subject, seconds: int, number: int) -> Slice:
    """Measure one slice; `number` selects the first target.

    When wrk ends, each connection still waits for a response. The slice lasts until the server is idle, so
    that this work is counted and does not affect the next slice.
    """
    before = subject.server.cpu_ns()
    with subject.around() as others:
        asked = others() if others else 0
        found = _wrk(subject, seconds, number)
    spent = _when_idle(subject.server) - before
    requests = int(found["requests"])
    served = requests + CONNECTIONS + (others() - asked if others else 0)
    return Slice(
        requests, requests / found["seconds"], spent / 1000 / served, found["p50"] / 1000,
        found["p99"] / 1000, int(found["broken"] + found["refused"]),
    )  # fmt: skip


def _when_idle(server: Server) -> int:
    """Wait until the server is idle; return its CPU time."""
    last = server.cpu_ns()
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        time.sleep(_LOOK)
        now = server.cpu_ns()
        if now - last < _IDLE_NS:
            return now
        last = now
    return last


def _wrk(subject: Subject, seconds: int, number: int) -> dict[str, float]:
    script = places.LUA / ("many.lua" if subject.targets else "report.lua")
    command = [
        "taskset", "-c", processes.cores()[1], "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency",
        "-s", str(script),
    ]  # fmt: skip
    for name, value in subject.headers.items():
        command += ["-H", f"{name}: {value}"]
    env = {"BENCH_REPORT": str(places.LUA / "report.lua"), "BENCH_START": str(number * 1009)}
    if subject.targets:
        env["BENCH_TARGETS"] = str(subject.targets)
    ran = subprocess.run(
        [*command, f"http://127.0.0.1:{subject.server.port}{subject.target}"],
        env={**os.environ, **env}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    report = re.search(r"^JSON (.*)$", ran.stdout, re.MULTILINE)
    if report is None:
        raise LoadError(f"wrk measured nothing of {subject.name}: {ran.stdout}{ran.stderr}")
    measured: dict[str, float] = json.loads(report[1])
    return measured


def require_same_bytes(subjects: list[Subject]) -> None:
    """Raise LoadError unless all subjects send the same body."""
    first, *others = [(one, one.server.get(one.target, one.headers)) for one in subjects]
    for subject, answer in others:
        if answer.body != first[1].body:
            raise LoadError(f"{subject.name} and {first[0].name} answer {subject.target} with other bytes.")
