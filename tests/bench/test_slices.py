"""A second of the benchmark against a real server, and the table that comes of it."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from bench import load, places, report
from bench.load import Subject
from bench.report import Line
from bench.servers import Server, running


@pytest.fixture
def bare() -> Iterator[Callable[[str, str], Server]]:
    """Starts B1 with a text of one's own."""
    with ExitStack() as stack:

        def start(name: str, text: str) -> Server:
            body = places.folder("bodies") / name
            body.write_text(text, "utf-8")
            settings = {"BENCH_BODY": str(body), "BENCH_ROUTE": "/events"}
            return stack.enter_context(running(name, "bench.baselines.bare_falcon:application", settings))

        yield start


@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk is not installed (Debian: wrk)")
def test_slices_of_a_bare_server_beside_itself(bare: Callable[[str, str], Server]) -> None:
    server = bare("test-one", '{"events": []}')
    one, other = (Subject(name, server, "/events") for name in ("one", "other"))

    load.require_same_bytes([one, other])
    measured = load.interleaved([one, other], "one", rounds=1, warm_up=False)

    line = report.of_ratio("T", "itself", measured, "other", bar="1.0")
    assert measured.failed("one") == measured.failed("other") == 0
    assert measured.median("one", "requests") > 0
    assert measured.median("one", "cpu_us") > 0
    assert (line.low, line.high) == (line.value, line.value)


def test_other_bytes_are_refused(bare: Callable[[str, str], Server]) -> None:
    subjects = [Subject(name, bare(f"test-{name}", name), "/events") for name in ("one", "other")]

    with pytest.raises(load.LoadError, match="other bytes"):
        load.require_same_bytes(subjects)


def test_table_puts_bar_and_moonshot_beside_what_was_found() -> None:
    lines = [
        Line("R1", "list", 0.875, "×", 0.5, 1.0, "0.85", "0.95", 4321.4, 152.75, 4.5),
        Line("C1", "stale reads", 0, "of 20,000", bar="0"),
    ]

    heads, _, first, second = report.table(lines).splitlines()

    assert heads.split("|")[2].strip() == "scenario"
    assert [cell.strip() for cell in first.split("|")[1:11]] == [
        "R1", "list", "0.875 ×", "0.5 – 1", "0.85", "0.95", "4,321", "153", "4.5", "",
    ]  # fmt: skip
    assert second.split("|")[3].strip() == "0 of 20,000"
