"""`python -m bench [GROUP …]` measures, prints the table, saves figures, table and charts in build/bench."""

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace

from bench import frameworks, load, machine, mariadb, pages, reads, report, writes
from bench.calendars import BUILD
from bench.targets import FULL, Figure, Plan

#: What is measured together, and whether a short run leaves it out.
GROUPS: dict[str, tuple[Callable[[Plan], Iterator[Figure]], bool]] = {
    "reads": (reads.reads, False),
    "pages": (pages.pages, False),
    "after-writes": (writes.after_writes, False),
    "writes": (writes.writes, False),
    "imports": (writes.imports, False),
    "frameworks": (frameworks.frameworks, True),
    "start": (machine.cold_start, False),
    "memory": (machine.memory, False),
    "mariadb": (mariadb.mariadb_rows, True),
}


def main(arguments: list[str]) -> int:
    given = _parser().parse_args(arguments)
    plan = FULL if given.full else Plan()
    changed = {name: value for name in ("sizes", "rounds", "lists") if (value := getattr(given, name))}
    plan = replace(plan, **changed)
    wanted = given.groups or [name for name, (_, full) in GROUPS.items() if given.full or not full]
    try:
        load.require_wrk()
    except load.LoadError as error:
        print(error, file=sys.stderr)
        return 1
    about = report.environment(plan)
    figures, failed = run(wanted, plan)
    report.save(BUILD, figures, about)
    print(report.table(figures))
    if failed:
        print(f"Could not be measured: {', '.join(failed)}.", file=sys.stderr)
    return 1 if failed else 0


def run(wanted: list[str], plan: Plan) -> tuple[list[Figure], list[str]]:
    """Measure these groups; return the figures and the names of groups that failed."""
    figures: list[Figure] = []
    failed: list[str] = []
    for name in wanted:
        begin = time.monotonic()
        try:
            for figure in GROUPS[name][0](plan):
                print(report.line(figure), file=sys.stderr, flush=True)
                figures.append(figure)
        except load.LoadError as error:
            print(error, file=sys.stderr)
            failed.append(name)
        except Exception:
            traceback.print_exc()
            failed.append(name)
        print(f"{name}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return figures, failed


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "groups", nargs="*", choices=[*GROUPS, []], metavar="GROUP",
        help=f"one of {', '.join(GROUPS)}; default: all of this run",
    )  # fmt: skip
    parser.add_argument("--full", action="store_true", help="more sizes, frameworks and MariaDB")
    parser.add_argument("--sizes", type=_sizes, metavar="N,N", help="sizes of the generated calendars")
    parser.add_argument("--rounds", type=int, help="rounds of slices of a second")
    parser.add_argument("--lists", type=int, help="so many different lists at least")
    return parser


def _sizes(value: str) -> tuple[int, ...]:
    return tuple(sorted(map(int, value.split(","))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
