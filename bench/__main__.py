"""`python -m bench [R1 R4 …] [--full]` runs scenarios, prints a table and saves it in build/bench."""

import argparse
import sys
import time
import traceback
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
    except load.LoadError as error:
        print(error, file=sys.stderr)
        return 1
    lines, failed = _run(wanted, plan)
    written = report.table(lines)
    print(written)
    (places.folder() / "table.md").write_text(f"{written}\n", "utf-8")
    about = {
        "when": f"{datetime.now(UTC):%Y-%m-%d %H:%M}", "full": plan.full, "events": plan.events,
        "rounds": plan.rounds, "seconds": plan.seconds,
    }  # fmt: skip
    report.save(places.folder() / "result.json", lines, about)
    if failed:
        print(f"Could not be measured: {', '.join(failed)}.", file=sys.stderr)
    return 1 if failed else 0


def _run(wanted: list[str], plan: Plan) -> tuple[list[Line], list[str]]:
    """Run scenarios; return table lines and names of failed scenarios. Print progress to stderr."""
    lines: list[Line] = []
    failed: list[str] = []
    for name in wanted:
        begin = time.monotonic()
        print(f"{name} …", end=" ", file=sys.stderr, flush=True)
        try:
            lines += SCENARIOS[name](plan)
        except load.LoadError as error:
            print(error, file=sys.stderr)
            failed.append(name)
        except Exception:
            traceback.print_exc()
            failed.append(name)
        print(f"{time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return lines, failed


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "scenarios", nargs="*", type=str.upper, choices=[*SCENARIOS, []], metavar="SCENARIO",
        help=f"one of {', '.join(SCENARIOS)}; default: all of this run",
    )  # fmt: skip
    parser.add_argument(
        "--full", action="store_true", help="all sizes, MariaDB and other frameworks; takes an hour"
    )
    parser.add_argument("--events", type=int, default=Plan.events, help="size of the calendar")
    parser.add_argument("--rounds", type=int, default=Plan.rounds, help="rounds of slices")
    parser.add_argument("--seconds", type=int, default=Plan.seconds, help="length of a slice")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
