"""The arithmetic of ratios, and slices against real servers."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench import addresses, servers
from bench.calendars import BUILD
from bench.load import LoadError, Ratio, Subject, interleaved, measure, quiet_rounds, ratio
from tests.test_architecture import imported

ROOT = Path(__file__).parents[2]
needs_wrk = pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk is not installed (Debian: wrk)")
ONE = "/calendar/events/v1/events"
#: More requests than one process of Python answers in a slice of a second.
ENOUGH = 50_000


@contextmanager
def bare(*bodies: str) -> Iterator[servers.Server]:
    """Bare Falcon with these bodies."""
    folder = BUILD / "bodies" / "-".join(bodies)
    folder.mkdir(parents=True, exist_ok=True)
    for body in bodies:
        (folder / body).write_text(body)
    env = servers.environment("", BENCH_BODIES=str(folder))
    with servers.gunicorn("bare", "bench.bare_falcon:application", env) as server:
        yield server


def test_benchmark_imports_nothing_of_the_package() -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "bench").rglob("*.py")]

    assert len(sources) > 10
    assert [name for source in sources for name in imported(source) if name.startswith("calendar_api")] == []


def test_ratio_is_the_median_of_the_ratios_of_each_round() -> None:
    # The medians of 10, 20, 90 and 5, 20, 30 would give 1: it is the rounds that are compared.
    assert ratio([10, 20, 90], [5, 20, 30], range(3)) == Ratio(value=2.0, low=1.0, high=3.0)


def test_rounds_with_a_baseline_off_by_more_than_15_percent_do_not_count() -> None:
    assert quiet_rounds([100, 114, 116, 86, 84, 101, 99]) == [0, 1, 3, 5, 6]
    assert quiet_rounds([10, 100, 1000]) == [0, 1, 2]


@pytest.mark.long
def test_bare_falcon_sends_its_bodies_in_turn_at_every_address() -> None:
    with bare("one", "two") as server:
        sent = [server.get(f"{ONE}{path}").body for path in ("", "/7", "/by-slug/x", "")]

    assert sent == [b"one", b"two", b"one", b"two"]


@pytest.mark.long
@needs_wrk
def test_slices_of_a_server_beside_itself() -> None:
    with bare("body") as server:
        path = addresses.reads("test two", [ONE, f"{ONE}/1"])
        slices = interleaved([Subject(server, path), Subject(server, path)], rounds=1)

    assert [len(found) for found in slices] == [1, 1]
    assert all(found[0].rps > 0 and found[0].cpu_us > 0 for found in slices)


@pytest.mark.long
@needs_wrk
@pytest.mark.parametrize(
    ("targets", "once", "message"),
    [(["/nowhere"], 0, "an error"), ([ONE], 1, "too few lines")],
)
def test_failing_and_repeated_requests_are_refused(targets: list[str], once: int, message: str) -> None:
    with bare("body") as server, pytest.raises(LoadError, match=message):
        measure(Subject(server, addresses.reads(f"test {message}", targets), once=once), seconds=1)


@pytest.mark.long
@needs_wrk
def test_rounds_go_on_until_enough_different_requests_were_sent(tmp_path: Path) -> None:
    with bare("body") as server:
        path = addresses.reads("test many", (f"{ONE}/{number}" for number in range(200_000)))
        subject = Subject(server, path, once=ENOUGH)
        (slices,) = interleaved([subject], rounds=1)

    assert len(slices) > 1
    assert subject.sent >= ENOUGH
