"""Load by wrk in slices of a second, and ratios that noise affects little.

In each round every subject and their baseline have a slice, in rotated order, and a ratio compares the two of
one round: a busy or a slow machine moves both. CPU time as the scheduler accounts it is the measure.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.servers import Server, cores

CONNECTIONS = 8
TOLERANCE = 0.15
FEWEST = 3  # with fewer quiet rounds all rounds count


class LoadError(Exception):
    """Why nothing could be measured, as a sentence for the user."""


@dataclass
class Subject:
    """A server and the file of requests to send to it, from line `sent` on.

    `once`: send no line twice, and go on with rounds until so many were sent. `replaced`: the server replaces
    its workers, so connections may be closed.
    """

    server: Server
    requests: Path
    headers: Mapping[str, str] = field(default_factory=dict)
    sent: int = 0
    once: int = 0
    connections: int = CONNECTIONS
    replaced: bool = False


@dataclass(frozen=True)
class Slice:
    requests: int
    rps: float
    cpu_us: float  # for a request, of all processes of the server


@dataclass(frozen=True)
class Ratio:
    """Median, minimum and maximum over the quiet rounds."""

    value: float
    low: float
    high: float


def require_wrk() -> None:
    if shutil.which("wrk") is None:
        raise LoadError("wrk is not installed (Debian: apt-get install wrk).")


def interleaved(subjects: Sequence[Subject], rounds: int, seconds: int = 1) -> list[list[Slice]]:
    """The slices of each subject, after one that does not count."""
    for subject in subjects:
        measure(subject, 1)
    found: list[list[Slice]] = [[] for _ in subjects]
    number = 0
    while number < rounds or any(subject.sent < subject.once for subject in subjects):
        for turn in range(len(subjects)):
            place = (turn + number) % len(subjects)
            found[place].append(measure(subjects[place], seconds))
        number += 1
    return found


def measure(subject: Subject, seconds: int) -> Slice:
    """Measure one slice. Raises LoadError if a request failed or if lines were sent twice.

    When wrk ends, each connection still waits for a response; `cpu_ns` waits for the end of this work, so
    that it is counted here and not in the next slice.
    """
    before = subject.server.cpu_ns()
    found = _wrk(subject, seconds)
    spent = subject.server.cpu_ns() - before
    requests = int(found["requests"])
    if (found["broken"] and not subject.replaced) or found["refused"] or not requests:
        raise LoadError(
            f"{subject.server.name}, {subject.requests.name} from line {subject.sent}: of {requests} "
            f"requests {found['broken']:.0f} got no response and {found['refused']:.0f} an error."
        )
    subject.sent += requests + subject.connections
    if subject.once and subject.sent > subject.requests.read_bytes().count(b"\n"):
        raise LoadError(f"{subject.requests.name} has too few lines to send each one once.")
    return Slice(requests, requests / found["seconds"], spent / 1000 / (requests + subject.connections))


def _wrk(subject: Subject, seconds: int) -> dict[str, float]:
    pinned = ["taskset", "-c", cores()[1]] if subject.server.pinned else []
    headers = [part for name, value in subject.headers.items() for part in ("-H", f"{name}: {value}")]
    script = str(Path(__file__).with_name("load.lua"))
    ran = subprocess.run(
        [*pinned, "wrk", "-t1", f"-c{subject.connections}", f"-d{seconds}s", "--timeout", "30s", "-s", script,
         *headers, f"http://127.0.0.1:{subject.server.port}"],
        env={**os.environ, "BENCH_REQUESTS": str(subject.requests), "BENCH_START": str(subject.sent)},
        capture_output=True, text=True, check=False, timeout=seconds + 60,
    )  # fmt: skip
    report = re.search(r"^JSON (.*)$", ran.stdout, re.MULTILINE)
    if report is None:
        raise LoadError(f"wrk measured nothing of {subject.server.name}: {ran.stdout}{ran.stderr}")
    measured: dict[str, float] = json.loads(report[1])
    return measured


def quiet_rounds(baseline: Sequence[float]) -> list[int]:
    """The rounds in which the baseline is within TOLERANCE of its median; all if these are too few."""
    middle = statistics.median(baseline)
    quiet = [
        place for place, value in enumerate(baseline) if abs(value - middle) <= TOLERANCE * middle + 1e-12
    ]
    return quiet if len(quiet) >= FEWEST else list(range(len(baseline)))


def ratio(numerators: Sequence[float], denominators: Sequence[float], rounds: Sequence[int]) -> Ratio:
    """The ratios of these rounds. Raises ValueError if there are none."""
    found = [numerators[place] / denominators[place] for place in rounds]
    return Ratio(statistics.median(found), min(found), max(found))


def median_cpu_us(slices: Sequence[Slice]) -> float:
    return statistics.median(one.cpu_us for one in slices)
