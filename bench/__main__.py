"""`python -m bench [R1 R4 …] [--full]`: runs scenarios, prints one table, leaves it in build/bench."""

import argparse
import sys
import time
from datetime import UTC, datetime

from bench import load, places, report
from bench.plan import Plan
from bench.report import Line
from bench.scenarios import FULL_ONLY, SCENARIOS


def main(arguments: list[str]) -> int:
    given = _parser().parse_args(arguments)
    plan = Plan(full=given.full, events=given.events, rounds=given.rounds, seconds=given.seconds)
    wanted = given.scenarios or [name for name in SCENARIOS if given.full or name not in FULL_ONLY]
    try:
        load.require_wrk()
        lines = _run(wanted, plan)
    except load.LoadError as error:
        print(error, file=sys.stderr)
        return 1
    written = report.table(lines)
    print(written)
    (places.folder() / "table.md").write_text(f"{written}\n", "utf-8")
    about = {
        "when": f"{datetime.now(UTC):%Y-%m-%d %H:%M}", "full": plan.full, "events": plan.events,
        "rounds": plan.rounds, "seconds": plan.seconds,
    }  # fmt: skip
    report.save(places.folder() / "result.json", lines, about)
    return 0


def _run(wanted: list[str], plan: Plan) -> list[Line]:
    """The lines of these scenarios; how far it is goes to standard error."""
    lines: list[Line] = []
    for name in wanted:
        begin = time.monotonic()
        print(f"{name} …", end=" ", file=sys.stderr, flush=True)
        lines += SCENARIOS[name](plan)
        print(f"{time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "scenarios", nargs="*", type=str.upper, choices=[*SCENARIOS, []], metavar="SCENARIO",
        help=f"one of {', '.join(SCENARIOS)}; without any, all that fit the run",
    )  # fmt: skip
    parser.add_argument(
        "--full", action="store_true", help="all sizes, MariaDB and other frameworks; takes two hours"
    )
    parser.add_argument("--events", type=int, default=Plan.events, help="size of the calendar")
    parser.add_argument("--rounds", type=int, default=Plan.rounds, help="rounds of slices")
    parser.add_argument("--seconds", type=int, default=Plan.seconds, help="length of a slice")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
